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
    'SELECT system.main.redline_call_text(''Diff'', system.main.json_object(''path_a'', $path_a::VARCHAR, ''path_b'', $path_b::VARCHAR, ''text_a'', $text_a::VARCHAR, ''text_b'', $text_b::VARCHAR, ''label_a'', $label_a::VARCHAR, ''label_b'', $label_b::VARCHAR, ''context_lines'', $context_lines::BIGINT, ''max_bytes'', $max_bytes::BIGINT, ''format'', $format::VARCHAR)) AS answer',
    '{"path_a":{"type":"string","description":""},"path_b":{"type":"string","description":""},"text_a":{"type":"string","description":""},"text_b":{"type":"string","description":""},"label_a":{"type":"string","description":"Name of the old side."},"label_b":{"type":"string","description":"Name of the new side."},"context_lines":{"type":"integer","description":"0 to 20. Default: 3."},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('GitDiffSummary',
    'Lists the changed files with added and removed lines, like git diff --stat: start here for a large change. Example: from = main...topic

Arguments:
- from (string, required): Revision or range.
- to (string, optional): Default: WORKTREE.
- repo (string, optional): See GitDiff.
- paths (array, optional): Git pathspecs.
- ignore_whitespace (string, optional): See GitDiff.
- renames (boolean, optional)
- cursor (string, optional)
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''GitDiffSummary'', system.main.json_object(''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''paths'', $paths::JSON, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''cursor'', $cursor::VARCHAR, ''max_bytes'', $max_bytes::BIGINT, ''format'', $format::VARCHAR)) AS answer',
    '{"from":{"type":"string","description":"Revision or range."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"See GitDiff."},"paths":{"type":"array","description":"Git pathspecs.","items":{"type":"string"}},"ignore_whitespace":{"type":"string","description":"See GitDiff."},"renames":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '["from"]',
    'text');

PRAGMA mcp_publish_tool('GitDiff',
    'Shows what changed: totals, the list of files, then hunks, page by page; lock files and generated files come last. Examples: from = main...topic (a branch), from = HEAD (uncommitted), from = HEAD, to = INDEX (staged)

Arguments:
- from (string, required): Revision, INDEX, WORKTREE or EMPTY; without to also a..b or a...b.
- to (string, optional): Default: WORKTREE.
- repo (string, optional): sandbox or sandbox/directory. Default: the only sandbox.
- file (string, optional): Only this file.
- paths (array, optional): Git pathspecs: src, *.rs, :!docs.
- context_lines (integer, optional): Default: 3; -1: the whole file.
- ignore_whitespace (string, optional): none (default), all, change, eol, cr_at_eol.
- renames (boolean, optional)
- cursor (string, optional)
- max_bytes (integer, optional)
- format (string, optional)',
    'SELECT system.main.redline_call_text(''GitDiff'', system.main.json_object(''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''file'', $file::VARCHAR, ''paths'', $paths::JSON, ''context_lines'', $context_lines::BIGINT, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''cursor'', $cursor::VARCHAR, ''max_bytes'', $max_bytes::BIGINT, ''format'', $format::VARCHAR)) AS answer',
    '{"from":{"type":"string","description":"Revision, INDEX, WORKTREE or EMPTY; without to also a..b or a...b."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"sandbox or sandbox/directory. Default: the only sandbox."},"file":{"type":"string","description":"Only this file."},"paths":{"type":"array","description":"Git pathspecs: src, *.rs, :!docs.","items":{"type":"string"}},"context_lines":{"type":"integer","description":"Default: 3; -1: the whole file."},"ignore_whitespace":{"type":"string","description":"none (default), all, change, eol, cr_at_eol."},"renames":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
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
    'SELECT system.main.redline_call_text(''GitDiffFile'', system.main.json_object(''file'', $file::VARCHAR, ''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''context_lines'', $context_lines::BIGINT, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''cursor'', $cursor::VARCHAR, ''max_bytes'', $max_bytes::BIGINT, ''format'', $format::VARCHAR)) AS answer',
    '{"file":{"type":"string","description":"From the repository''s root."},"from":{"type":"string","description":"Revision or range."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"See GitDiff."},"context_lines":{"type":"integer","description":"Default: 3; -1: the whole file."},"ignore_whitespace":{"type":"string","description":"See GitDiff."},"renames":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '["file","from"]',
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
    'SELECT system.main.redline_call_text(''read_file'', system.main.json_object(''path'', $path::VARCHAR, ''first_line'', $first_line::BIGINT, ''last_line'', $last_line::BIGINT, ''line_numbers'', $line_numbers::BOOLEAN, ''cursor'', $cursor::VARCHAR, ''max_bytes'', $max_bytes::BIGINT, ''format'', $format::VARCHAR)) AS answer',
    '{"path":{"type":"string","description":"sandbox/relative/path."},"first_line":{"type":"integer","description":"From 1."},"last_line":{"type":"integer","description":""},"line_numbers":{"type":"boolean","description":""},"cursor":{"type":"string","description":""},"max_bytes":{"type":"integer","description":""},"format":{"type":"string","description":""}}',
    '["path"]',
    'text');
