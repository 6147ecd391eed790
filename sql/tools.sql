-- The tools that only read, for a server with the duckdb_mcp extension: run it after LOAD redline.
-- Made by `make sql` from redline_tools(); do not edit. docs/mcp.md says how it is used.

PRAGMA mcp_publish_tool('Diff',
    'Compares two files or two texts; returns a unified diff. Give path_a and path_b, or text_a and text_b. Example: path_a = workspace/old.txt, path_b = workspace/new.txt

Arguments:
- path_a (string, optional)
- path_b (string, optional)
- text_a (string, optional)
- text_b (string, optional)
- label_a (string, optional): Name of the old side.
- label_b (string, optional): Name of the new side.
- context_lines (integer, optional): 0 to 20. Default: 3.
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''Diff'', system.main.json_object(''path_a'', $path_a::VARCHAR, ''path_b'', $path_b::VARCHAR, ''text_a'', $text_a::VARCHAR, ''text_b'', $text_b::VARCHAR, ''label_a'', $label_a::VARCHAR, ''label_b'', $label_b::VARCHAR, ''context_lines'', system.main.to_json($context_lines), ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"path_a":{"type":"string","description":""},"path_b":{"type":"string","description":""},"text_a":{"type":"string","description":""},"text_b":{"type":"string","description":""},"label_a":{"type":"string","description":"Name of the old side."},"label_b":{"type":"string","description":"Name of the new side."},"context_lines":{"type":"integer","description":"0 to 20. Default: 3."},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('GitDiffSummary',
    'Lists the changed files with added and removed lines, like git diff --stat: start here for a large change. Example: from = main...topic

Arguments:
- from (string, required): Revision or range.
- to (string, optional): Default: WORKTREE.
- repo (string, optional): See GitDiff.
- paths (JSON list or one value, optional): Git pathspecs.
- ignore_whitespace (string, optional): See GitDiff.
- renames (boolean, optional)
- cursor (string, optional)
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''GitDiffSummary'', system.main.json_object(''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''paths'', system.main.to_json($paths), ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', system.main.to_json($renames), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"from":{"type":"string","description":"Revision or range."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"See GitDiff."},"paths":{"type":"string","description":"Git pathspecs."},"ignore_whitespace":{"type":"string","description":"See GitDiff."},"renames":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '["from"]',
    'text');

PRAGMA mcp_publish_tool('GitDiff',
    'Shows what changed: totals, the list of files, then hunks, page by page; lock files and generated files come last. Examples: from = main...topic (a branch), from = HEAD (uncommitted), from = HEAD, to = INDEX (staged)

Arguments:
- from (string, required): Revision, INDEX, WORKTREE or EMPTY; without to also a..b or a...b.
- to (string, optional): Default: WORKTREE.
- repo (string, optional): sandbox or sandbox/directory. Default: the only sandbox.
- file (string, optional): Only this file.
- paths (JSON list or one value, optional): Git pathspecs: src, *.rs, :!docs.
- context_lines (integer, optional): Default: 3; -1: the whole file.
- ignore_whitespace (string, optional): none (default), all, change, eol, cr_at_eol.
- renames (boolean, optional)
- cursor (string, optional)
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''GitDiff'', system.main.json_object(''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''file'', $file::VARCHAR, ''paths'', system.main.to_json($paths), ''context_lines'', system.main.to_json($context_lines), ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', system.main.to_json($renames), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"from":{"type":"string","description":"Revision, INDEX, WORKTREE or EMPTY; without to also a..b or a...b."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"sandbox or sandbox/directory. Default: the only sandbox."},"file":{"type":"string","description":"Only this file."},"paths":{"type":"string","description":"Git pathspecs: src, *.rs, :!docs."},"context_lines":{"type":"integer","description":"Default: 3; -1: the whole file."},"ignore_whitespace":{"type":"string","description":"none (default), all, change, eol, cr_at_eol."},"renames":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '["from"]',
    'text');

PRAGMA mcp_publish_tool('GitDiffFile',
    'Shows what changed in one file. Example: file = src/main.rs, from = HEAD~1, to = HEAD

Arguments:
- file (string, required): From the repository''s root.
- from (string, required): Revision or range.
- to (string, optional): Default: WORKTREE.
- repo (string, optional): See GitDiff.
- context_lines (integer, optional): Default: 3; -1: the whole file.
- ignore_whitespace (string, optional): See GitDiff.
- renames (boolean, optional)
- cursor (string, optional)
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''GitDiffFile'', system.main.json_object(''file'', $file::VARCHAR, ''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''context_lines'', system.main.to_json($context_lines), ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', system.main.to_json($renames), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"file":{"type":"string","description":"From the repository''s root."},"from":{"type":"string","description":"Revision or range."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"See GitDiff."},"context_lines":{"type":"integer","description":"Default: 3; -1: the whole file."},"ignore_whitespace":{"type":"string","description":"See GitDiff."},"renames":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '["file","from"]',
    'text');

PRAGMA mcp_publish_tool('list_files',
    'Lists the files below a directory of a sandbox with their sizes, or those of a revision of a repository, without ignored ones. Example: path = workspace/src, glob = *.rs

Arguments:
- path (string, optional): sandbox or sandbox/directory. Default: the only sandbox.
- repo (string, optional): Of rev.
- rev (string, optional): A revision instead of the files on disk.
- glob (string, optional)
- depth (integer, optional): Levels. Default: all.
- include_ignored (boolean, optional)
- cursor (string, optional)
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''list_files'', system.main.json_object(''path'', $path::VARCHAR, ''repo'', $repo::VARCHAR, ''rev'', $rev::VARCHAR, ''glob'', $glob::VARCHAR, ''depth'', system.main.to_json($depth), ''include_ignored'', system.main.to_json($include_ignored), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"path":{"type":"string","description":"sandbox or sandbox/directory. Default: the only sandbox."},"repo":{"type":"string","description":"Of rev."},"rev":{"type":"string","description":"A revision instead of the files on disk."},"glob":{"type":"string","description":""},"depth":{"type":"integer","description":"Levels. Default: all."},"include_ignored":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('search',
    'Finds lines in the files of a sandbox, or of a revision of a repository, that hold a text or, with regex, match an expression. Example: pattern = fn main, path = workspace/src, glob = *.rs

Arguments:
- pattern (string, required)
- regex (boolean, optional)
- ignore_case (boolean, optional)
- path (string, optional): See list_files; or a file.
- repo (string, optional)
- rev (string, optional)
- glob (string, optional)
- context_lines (integer, optional): 0 to 20. Default: 0.
- include_ignored (boolean, optional)
- cursor (string, optional)
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''search'', system.main.json_object(''pattern'', $pattern::VARCHAR, ''regex'', system.main.to_json($regex), ''ignore_case'', system.main.to_json($ignore_case), ''path'', $path::VARCHAR, ''repo'', $repo::VARCHAR, ''rev'', $rev::VARCHAR, ''glob'', $glob::VARCHAR, ''context_lines'', system.main.to_json($context_lines), ''include_ignored'', system.main.to_json($include_ignored), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"pattern":{"type":"string","description":""},"regex":{"type":"boolean","description":""},"ignore_case":{"type":"boolean","description":""},"path":{"type":"string","description":"See list_files; or a file."},"repo":{"type":"string","description":""},"rev":{"type":"string","description":""},"glob":{"type":"string","description":""},"context_lines":{"type":"integer","description":"0 to 20. Default: 0."},"include_ignored":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '["pattern"]',
    'text');

PRAGMA mcp_publish_tool('read_file',
    'Returns lines of a text file of any size, and base_oid, which guards an edit of this version. Example: path = workspace/src/main.rs, first_line = 1, last_line = 80

Arguments:
- path (string, required): sandbox/relative/path.
- first_line (integer, optional): From 1.
- last_line (integer, optional)
- line_numbers (boolean, optional)
- cursor (string, optional)
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''read_file'', system.main.json_object(''path'', $path::VARCHAR, ''first_line'', system.main.to_json($first_line), ''last_line'', system.main.to_json($last_line), ''line_numbers'', system.main.to_json($line_numbers), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"path":{"type":"string","description":"sandbox/relative/path."},"first_line":{"type":"integer","description":"From 1."},"last_line":{"type":"integer","description":""},"line_numbers":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '["path"]',
    'text');

PRAGMA mcp_publish_tool('redline_capabilities',
    'Names the sandboxes, what may be written in each, the repositories and the tools, with examples of paths. Example: no arguments

Arguments:
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''redline_capabilities'', system.main.json_object(''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '[]',
    'text');
