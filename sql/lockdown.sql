-- A host for agents: redline reads in one directory, DuckDB itself opens no file, and nothing of it can
-- be changed by SQL. Run once per database, as its owner, with your own directory in both places:
--   .read sql/lockdown.sql
-- To let a person approve changes, SET GLOBAL redline_approver to the SHA-256 of a key of the host's own before this is
-- run: docs/approving.md.
--
-- The order matters: LOAD fails once external access is off, and no setting can be changed once the
-- configuration is locked. docs/security.md states what this guarantees, and what it does not.

LOAD redline;

-- What redline may read: files as 'workspace/relative/path', repositories as 'workspace/directory'.
-- "mode": "rw" allows writing as well; write_approval and edit_approval are on unless set to false.
SET GLOBAL redline_sandboxes = '[{"name": "workspace", "root": "/srv/workspace", "mode": "ro"}]';

-- Which tools an agent may use.
SET GLOBAL redline_tool_grants = ['Diff', 'GitDiffSummary', 'GitDiff', 'GitDiffFile', 'GitLog', 'GitShow', 'GitFile', 'GitBlame',
    'GitStatus', 'GitRefs', 'GitRangeDiff', 'list_files', 'search', 'read_file', 'redline_capabilities'];

-- The roots again: redline keeps DuckDB's own limits too.
SET GLOBAL allowed_directories = ['/srv/workspace'];

SET GLOBAL enable_external_access = false;

-- DuckDB's own readers and COPY would pass by the sandbox: they read every file of an allowed directory
-- and write there ('.git/hooks/pre-commit' too). This closes local files to them. A database file
-- can then not be written, and large queries cannot spill to disk; leave the line out where you
-- need that, and 'duckdb_files' below, and let agents call tools only, not run SQL of their own.
SET GLOBAL disabled_filesystems = 'LocalFileSystem';

-- What one session of an agent may ask of the host: proposals that wait, and calls of tools in a minute.
SET GLOBAL redline_max_proposals = 100;
SET GLOBAL redline_max_calls = 600;

SET GLOBAL lock_configuration = true;

-- The script checks itself: where a statement above has failed, this one fails too, and nothing may be served.
-- 'mcp_servers' is open where the extension duckdb_mcp was loaded and `SET GLOBAL mcp_lock_servers = true` was not run
-- before the lock: SQL could start any program. DuckDB before 2.0 lets SQL switch on logging and profiling under every
-- lock; docs/security.md describes what that shows.
SELECT CASE WHEN system.main.list_has_any(open_doors, ['configuration', 'external_access', 'no_sandboxes', 'mcp_servers', 'duckdb_files'])
    THEN system.main.error('sql/lockdown.sql has left doors open: serve nothing') ELSE 'locked' END AS lockdown
FROM system.main.redline_capabilities();
