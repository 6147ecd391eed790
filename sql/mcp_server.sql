-- A server for agents on the extension duckdb_mcp: the tools that read, one directory, and no other way in.
-- Set the directory in sql/lockdown.sql, then give an MCP client this command, to be run in the directory
-- above this one:
--   duckdb -unsigned -f sql/mcp_server.sql
-- (not -init, after which the tool itself changes a setting, and the lock stops it). `INSTALL duckdb_mcp
-- FROM community` has to be run once before. docs/mcp.md lists what is tested and what is not.

-- Only the protocol may be on stdout, and a failure ends the script, also if it comes from a pipe.
.bail on
.mode trash

LOAD duckdb_mcp;
LOAD redline;

-- No client starts a program through ATTACH … (TYPE mcp).
SET GLOBAL mcp_lock_servers = true;

.read sql/macros.sql

-- The tools that read. To let agents change files, read sql/tools_edit.sql after it, and in
-- sql/lockdown.sql give the sandbox "mode": "rw" and grant write_file and edit_file.
.read sql/tools.sql

-- A prompt that people find in their client.
PRAGMA mcp_register_prompt_template('review', 'Reviews what a branch changed',
    'Review the change {range} of the repository {repo}: call GitDiffSummary with from = {range} and repo = {repo}, then GitDiff page by page, and name each mistake with its file and line.');

.read sql/lockdown.sql

-- The server's own tools run any SQL, and so any function. They are off: by one name since 2.3,
-- each by its own before.
PRAGMA mcp_server_start('stdio', 'localhost', 0, '{"builtin_tools": false, "enable_query_tool": false, "enable_describe_tool": false, "enable_list_tables_tool": false, "enable_database_info_tool": false, "enable_export_tool": false, "enable_execute_tool": false}');
