-- A server for agents over HTTP, on the extension duckdb_mcp: all tools, and a person at this shell who approves changes.
-- Set the directory below (twice), and run it in the directory above this one as
--   REDLINE_KEY=… REDLINE_TOKEN=… duckdb -unsigned -cmd ".read sql/mcp_http.sql"
-- Both are long random texts (openssl rand -hex 32): the key is the person's alone, the token the client's, which sends it
-- as `Authorization: Bearer …` to http://localhost:8765/mcp. docs/mcp.md lists what is tested and what is not.

.bail on
.mode trash

LOAD duckdb_mcp;
LOAD redline;

-- No client starts a program through ATTACH … (TYPE mcp).
SET GLOBAL mcp_lock_servers = true;

.read sql/tools.sql
.read sql/tools_edit.sql

SET GLOBAL redline_sandboxes = '[{"name": "workspace", "root": "/srv/workspace", "mode": "rw"}]';
-- Where the sandbox has "git": "commit", 'GitStage' and 'GitCommit' may be added.
SET GLOBAL redline_tool_grants = ['Diff', 'GitDiffSummary', 'GitDiff', 'GitDiffFile', 'GitLog', 'GitShow', 'GitFile', 'GitBlame',
    'GitStatus', 'GitRefs', 'GitRangeDiff', 'list_files', 'search', 'read_file', 'redline_capabilities', 'write_file', 'edit_file',
    'apply_patch', 'undo'];
SET GLOBAL redline_max_proposals = 100;
SET GLOBAL redline_max_calls = 600;

-- Variables are of this connection alone; the lock below closes the environment. redline knows only the digest of the key.
SET VARIABLE redline_key = system.main.getenv('REDLINE_KEY');
SET VARIABLE redline_token = system.main.getenv('REDLINE_TOKEN');
SELECT CASE WHEN system.main.least(system.main.length(system.main.getvariable('redline_key')), system.main.length(system.main.getvariable('redline_token'))) < 32
    THEN system.main.error('REDLINE_KEY and REDLINE_TOKEN must have 32 characters or more') END;
SET GLOBAL redline_approver = system.main.sha256(system.main.getvariable('redline_key'));

SET GLOBAL allowed_directories = ['/srv/workspace'];
SET GLOBAL enable_external_access = false;
SET GLOBAL disabled_filesystems = 'LocalFileSystem';
SET GLOBAL lock_configuration = true;

-- Nothing is served unless all of that has worked.
SELECT CASE WHEN system.main.list_has_any(open_doors, ['configuration', 'external_access', 'no_sandboxes', 'mcp_servers', 'duckdb_files'])
    THEN system.main.error('sql/mcp_http.sql has left doors open: nothing is served') END
FROM system.main.redline_capabilities();

PRAGMA mcp_server_start('http', 'localhost', 8765, system.main.json_object('background', true, 'require_auth', true,
    'auth_token', system.main.getvariable('redline_token'), 'builtin_tools', false, 'enable_query_tool', false, 'enable_describe_tool', false,
    'enable_list_tables_tool', false, 'enable_database_info_tool', false, 'enable_export_tool', false,
    'enable_execute_tool', false));

-- The person at this shell: `FROM waiting();` shows the waiting changes, page by page, and under the last page of each the
-- word that says that it was seen: `SELECT yes(id, seen);` is a yes to exactly that. Where the file has changed since, or
-- the agent has asked for something else, the word is another, and the yes is refused. `SELECT no(id);` declines what
-- waits. They are of this connection alone.
CREATE TEMP MACRO page_proof(page) AS system.main.split_part(page.proof, '-', 2)[1:12];
CREATE TEMP MACRO waiting() AS TABLE
    SELECT id, page.text AS shown, CASE WHEN page.page = page.pages THEN page_proof(page) END AS seen
    FROM (SELECT approval_id AS id, system.main.unnest(system.main.approval_pages(payload, 100, 40)) AS page
        FROM system.main.pending_approvals(system.main.getvariable('redline_key')));
CREATE TEMP MACRO yes(one, word) AS (
    SELECT CASE WHEN page_proof(page) = word
        THEN system.main.approve(payload, 'once', system.main.getvariable('redline_key'), page.proof)
        ELSE system.main.error('what waits is not what was seen: look at it again with FROM waiting()') END
    FROM (SELECT payload, system.main.approval_pages(payload, 100, 40)[-1] AS page
        FROM system.main.pending_approvals(system.main.getvariable('redline_key')) WHERE approval_id = one));
CREATE TEMP MACRO no(one) AS (
    SELECT system.main.decline(payload, system.main.getvariable('redline_key'))
    FROM system.main.pending_approvals(system.main.getvariable('redline_key')) WHERE approval_id = one);
-- What the person mistypes ends nothing.
.bail off
.mode line
