-- The tools that change files, for a server with the duckdb_mcp extension: run it after tools.sql.
-- Made by `make sql` from redline_tools(); do not edit. docs/mcp.md says how it is used.

PRAGMA mcp_publish_tool('write_file',
    'Creates or overwrites a file and its parent directories. Example: path = workspace/notes.md, content = hello

Arguments:
- path (string, required): sandbox/relative/path.
- content (string, required): The whole content.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''write_file'', system.main.json_object(''path'', $path::VARCHAR, ''content'', $content::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"path":{"type":"string","description":"sandbox/relative/path."},"content":{"type":"string","description":"The whole content."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["path","content"]',
    'text');

PRAGMA mcp_publish_tool('edit_file',
    'Replaces old_string with new_string; or makes all edits of a list, or none. Example: path = workspace/a.py, old_string = x = 1, new_string = x = 2

Arguments:
- path (string, required): sandbox/relative/path.
- old_string (string, optional): Must match exactly and occur once (or replace_all).
- new_string (string, optional): The replacement.
- replace_all (boolean, optional): Every occurrence.
- edits (JSON list or one value, optional): Several at once.
- base_oid (string, optional): Of an answer; else stale.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''edit_file'', system.main.json_object(''path'', $path::VARCHAR, ''old_string'', $old_string::VARCHAR, ''new_string'', $new_string::VARCHAR, ''replace_all'', system.main.to_json($replace_all), ''edits'', system.main.to_json($edits), ''base_oid'', $base_oid::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"path":{"type":"string","description":"sandbox/relative/path."},"old_string":{"type":"string","description":"Must match exactly and occur once (or replace_all)."},"new_string":{"type":"string","description":"The replacement."},"replace_all":{"type":"boolean","description":"Every occurrence."},"edits":{"type":"string","description":"Several at once."},"base_oid":{"type":"string","description":"Of an answer; else stale."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["path"]',
    'text');

PRAGMA mcp_publish_tool('apply_patch',
    'Changes several files, all or none, by a git diff, *** Begin Patch or SEARCH/REPLACE blocks. Example: patch = the diff

Arguments:
- patch (string, required): Paths are sandbox/relative/path; the only sandbox may be left out.
- fuzz (boolean, optional): Let whitespace differ.
- dry_run (boolean, optional): Write nothing.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''apply_patch'', system.main.json_object(''patch'', $patch::VARCHAR, ''fuzz'', system.main.to_json($fuzz), ''dry_run'', system.main.to_json($dry_run), ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"patch":{"type":"string","description":"Paths are sandbox/relative/path; the only sandbox may be left out."},"fuzz":{"type":"boolean","description":"Let whitespace differ."},"dry_run":{"type":"boolean","description":"Write nothing."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["patch"]',
    'text');

PRAGMA mcp_publish_tool('undo',
    'Takes back a change; what others wrote since stays. Example: no arguments

Arguments:
- id (string, optional): Default: your last one.
- sandbox (string, optional): All of yours in it.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''undo'', system.main.json_object(''id'', $id::VARCHAR, ''sandbox'', $sandbox::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"id":{"type":"string","description":"Default: your last one."},"sandbox":{"type":"string","description":"All of yours in it."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('GitStage',
    'Stages files and hunks for a commit, or unstages them. Example: what = src/a.py

Arguments:
- what (JSON list or one value, required): Paths, hunks of GitDiff with ids = true, or a git diff.
- unstage (boolean, optional): Take them out.
- repo (string, optional): sandbox[/directory].
- dry_run (boolean, optional): Write nothing.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitStage'', system.main.json_object(''what'', system.main.to_json($what), ''unstage'', system.main.to_json($unstage), ''repo'', $repo::VARCHAR, ''dry_run'', system.main.to_json($dry_run), ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"what":{"type":"string","description":"Paths, hunks of GitDiff with ids = true, or a git diff."},"unstage":{"type":"boolean","description":"Take them out."},"repo":{"type":"string","description":"sandbox[/directory]."},"dry_run":{"type":"boolean","description":"Write nothing."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["what"]',
    'text');

PRAGMA mcp_publish_tool('GitCommit',
    'Commits what is staged, or named files and hunks. Example: message = Fix the sum, what = src/a.py

Arguments:
- message (string, required): Subject, then why.
- what (JSON list or one value, optional): As GitStage. Default: staged.
- repo (string, optional): sandbox[/directory].
- author (string, optional): `Name <address>`.
- dry_run (boolean, optional): Write nothing.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitCommit'', system.main.json_object(''message'', $message::VARCHAR, ''what'', system.main.to_json($what), ''repo'', $repo::VARCHAR, ''author'', $author::VARCHAR, ''dry_run'', system.main.to_json($dry_run), ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"message":{"type":"string","description":"Subject, then why."},"what":{"type":"string","description":"As GitStage. Default: staged."},"repo":{"type":"string","description":"sandbox[/directory]."},"author":{"type":"string","description":"`Name <address>`."},"dry_run":{"type":"boolean","description":"Write nothing."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["message"]',
    'text');
