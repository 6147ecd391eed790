-- The tools that only read, for a server with the duckdb_mcp extension: run it after LOAD redline.
-- Made by `make sql` from redline_tools(); do not edit. docs/mcp.md says how it is used.

PRAGMA mcp_publish_tool('Diff',
    'The unified diff of two files or texts. Example: path_a = workspace/a.txt, path_b = workspace/b.txt

Arguments:
- path_a (string, optional): The old file: sandbox/relative/path.
- path_b (string, optional): The new file.
- text_a (string, optional): Instead of path_a.
- text_b (string, optional): Instead of path_b.
- label_a (string, optional): Name of the old side.
- label_b (string, optional): Name of the new side.
- context_lines (integer, optional): 0 to 20. Default: 3.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''Diff'', system.main.json_object(''path_a'', $path_a::VARCHAR, ''path_b'', $path_b::VARCHAR, ''text_a'', $text_a::VARCHAR, ''text_b'', $text_b::VARCHAR, ''label_a'', $label_a::VARCHAR, ''label_b'', $label_b::VARCHAR, ''context_lines'', system.main.to_json($context_lines), ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"path_a":{"type":"string","description":"The old file: sandbox/relative/path."},"path_b":{"type":"string","description":"The new file."},"text_a":{"type":"string","description":"Instead of path_a."},"text_b":{"type":"string","description":"Instead of path_b."},"label_a":{"type":"string","description":"Name of the old side."},"label_b":{"type":"string","description":"Name of the new side."},"context_lines":{"type":"integer","description":"0 to 20. Default: 3."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('GitDiffSummary',
    'Lists changed files, like git diff --stat: start here. Example: from = main...topic

Arguments:
- from (string, required): Revision, INDEX, WORKTREE, EMPTY; without to a..b, a...b.
- to (string, optional): Default: WORKTREE.
- repo (string, optional): sandbox[/directory].
- paths (JSON list or one value, optional): Pathspecs: *.rs, :!docs.
- ignore_whitespace (string, optional): none (default), all, change, eol, cr_at_eol.
- renames (boolean, optional): Default: true.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitDiffSummary'', system.main.json_object(''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''paths'', system.main.to_json($paths), ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', system.main.to_json($renames), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"from":{"type":"string","description":"Revision, INDEX, WORKTREE, EMPTY; without to a..b, a...b."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"sandbox[/directory]."},"paths":{"type":"string","description":"Pathspecs: *.rs, :!docs."},"ignore_whitespace":{"type":"string","description":"none (default), all, change, eol, cr_at_eol."},"renames":{"type":"boolean","description":"Default: true."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["from"]',
    'text');

PRAGMA mcp_publish_tool('GitDiff',
    'Compares revisions: totals, files, then hunks, page by page. Examples: from = main...topic; from = HEAD, to = INDEX (staged)

Arguments:
- from (string, required): Revision, INDEX, WORKTREE, EMPTY; without to a..b, a...b.
- to (string, optional): Default: WORKTREE.
- repo (string, optional): sandbox[/directory].
- file (string, optional): From the repo''s root.
- paths (JSON list or one value, optional): Pathspecs: *.rs, :!docs.
- context_lines (integer, optional): Default: 3; -1: whole file.
- ignore_whitespace (string, optional): none (default), all, change, eol, cr_at_eol.
- renames (boolean, optional): Default: true.
- except_ids (JSON list or one value, optional): Hunks seen: ids, or a..b.
- ids (boolean, optional): Name each hunk.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitDiff'', system.main.json_object(''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''file'', $file::VARCHAR, ''paths'', system.main.to_json($paths), ''context_lines'', system.main.to_json($context_lines), ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', system.main.to_json($renames), ''except_ids'', system.main.to_json($except_ids), ''ids'', system.main.to_json($ids), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"from":{"type":"string","description":"Revision, INDEX, WORKTREE, EMPTY; without to a..b, a...b."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"sandbox[/directory]."},"file":{"type":"string","description":"From the repo''s root."},"paths":{"type":"string","description":"Pathspecs: *.rs, :!docs."},"context_lines":{"type":"integer","description":"Default: 3; -1: whole file."},"ignore_whitespace":{"type":"string","description":"none (default), all, change, eol, cr_at_eol."},"renames":{"type":"boolean","description":"Default: true."},"except_ids":{"type":"string","description":"Hunks seen: ids, or a..b."},"ids":{"type":"boolean","description":"Name each hunk."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["from"]',
    'text');

PRAGMA mcp_publish_tool('GitDiffFile',
    'Shows what changed in one file. Example: file = src/main.rs, from = HEAD~1

Arguments:
- file (string, required): From the repo''s root.
- from (string, required): Revision, INDEX, WORKTREE, EMPTY; without to a..b, a...b.
- to (string, optional): Default: WORKTREE.
- repo (string, optional): sandbox[/directory].
- context_lines (integer, optional): Default: 3; -1: whole file.
- ignore_whitespace (string, optional): none (default), all, change, eol, cr_at_eol.
- renames (boolean, optional): Default: true.
- ids (boolean, optional): Name each hunk.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitDiffFile'', system.main.json_object(''file'', $file::VARCHAR, ''from'', $from::VARCHAR, ''to'', $to::VARCHAR, ''repo'', $repo::VARCHAR, ''context_lines'', system.main.to_json($context_lines), ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', system.main.to_json($renames), ''ids'', system.main.to_json($ids), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"file":{"type":"string","description":"From the repo''s root."},"from":{"type":"string","description":"Revision, INDEX, WORKTREE, EMPTY; without to a..b, a...b."},"to":{"type":"string","description":"Default: WORKTREE."},"repo":{"type":"string","description":"sandbox[/directory]."},"context_lines":{"type":"integer","description":"Default: 3; -1: whole file."},"ignore_whitespace":{"type":"string","description":"none (default), all, change, eol, cr_at_eol."},"renames":{"type":"boolean","description":"Default: true."},"ids":{"type":"boolean","description":"Name each hunk."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["file","from"]',
    'text');

PRAGMA mcp_publish_tool('GitLog',
    'Lists commits, newest first; with file those that changed it, through renames, or only its lines or a function of it. Example: range = v1..main, contains = parse_args

Arguments:
- range (string, optional): Revision, a..b or ALL. Default: HEAD.
- repo (string, optional): sandbox[/directory].
- file (string, optional): From the repo''s root.
- paths (JSON list or one value, optional): Pathspecs: *.rs, :!docs.
- contains (string, optional): A text added or removed.
- changed_lines (string, optional): A regex of changed lines.
- message (string, optional): A regex of a message line.
- author (string, optional): A regex of the author.
- first_line (integer, optional): Of lines of file.
- last_line (integer, optional): From 1.
- function (string, optional): A function of file.
- since (string, optional): A date: 2026-01-31, 2 weeks ago.
- until (string, optional): A date.
- limit (integer, optional): Most commits in all.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitLog'', system.main.json_object(''range'', $range::VARCHAR, ''repo'', $repo::VARCHAR, ''file'', $file::VARCHAR, ''paths'', system.main.to_json($paths), ''contains'', $contains::VARCHAR, ''changed_lines'', $changed_lines::VARCHAR, ''message'', $message::VARCHAR, ''author'', $author::VARCHAR, ''first_line'', system.main.to_json($first_line), ''last_line'', system.main.to_json($last_line), ''function'', $function::VARCHAR, ''since'', $since::VARCHAR, ''until'', $until::VARCHAR, ''limit'', system.main.to_json($limit), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"range":{"type":"string","description":"Revision, a..b or ALL. Default: HEAD."},"repo":{"type":"string","description":"sandbox[/directory]."},"file":{"type":"string","description":"From the repo''s root."},"paths":{"type":"string","description":"Pathspecs: *.rs, :!docs."},"contains":{"type":"string","description":"A text added or removed."},"changed_lines":{"type":"string","description":"A regex of changed lines."},"message":{"type":"string","description":"A regex of a message line."},"author":{"type":"string","description":"A regex of the author."},"first_line":{"type":"integer","description":"Of lines of file."},"last_line":{"type":"integer","description":"From 1."},"function":{"type":"string","description":"A function of file."},"since":{"type":"string","description":"A date: 2026-01-31, 2 weeks ago."},"until":{"type":"string","description":"A date."},"limit":{"type":"integer","description":"Most commits in all."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('GitShow',
    'Shows a commit: its message, then what it changed as GitDiff. Example: rev = HEAD~1

Arguments:
- rev (string, optional): Default: HEAD.
- repo (string, optional): sandbox[/directory].
- paths (JSON list or one value, optional): Pathspecs: *.rs, :!docs.
- context_lines (integer, optional): Default: 3; -1: whole file.
- merges (string, optional): first_parent (default) or combined.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitShow'', system.main.json_object(''rev'', $rev::VARCHAR, ''repo'', $repo::VARCHAR, ''paths'', system.main.to_json($paths), ''context_lines'', system.main.to_json($context_lines), ''merges'', $merges::VARCHAR, ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"rev":{"type":"string","description":"Default: HEAD."},"repo":{"type":"string","description":"sandbox[/directory]."},"paths":{"type":"string","description":"Pathspecs: *.rs, :!docs."},"context_lines":{"type":"integer","description":"Default: 3; -1: whole file."},"merges":{"type":"string","description":"first_parent (default) or combined."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('GitFile',
    'As read_file, at rev (HEAD), INDEX, or in a conflict ours, theirs or base. Example: file = src/main.rs, rev = v1

Arguments:
- file (string, required): From the repo''s root.
- rev (string, optional): A revision. Default: HEAD.
- repo (string, optional): sandbox[/directory].
- first_line (integer, optional): From 1.
- last_line (integer, optional): From 1.
- line_numbers (boolean, optional): Default: false.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitFile'', system.main.json_object(''file'', $file::VARCHAR, ''rev'', $rev::VARCHAR, ''repo'', $repo::VARCHAR, ''first_line'', system.main.to_json($first_line), ''last_line'', system.main.to_json($last_line), ''line_numbers'', system.main.to_json($line_numbers), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"file":{"type":"string","description":"From the repo''s root."},"rev":{"type":"string","description":"A revision. Default: HEAD."},"repo":{"type":"string","description":"sandbox[/directory]."},"first_line":{"type":"integer","description":"From 1."},"last_line":{"type":"integer","description":"From 1."},"line_numbers":{"type":"boolean","description":"Default: false."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["file"]',
    'text');

PRAGMA mcp_publish_tool('GitBlame',
    'Says which commit each line of a file is from. Example: file = src/main.rs

Arguments:
- file (string, required): From the repo''s root.
- rev (string, optional): A revision. Default: HEAD.
- repo (string, optional): sandbox[/directory].
- first_line (integer, optional): From 1.
- last_line (integer, optional): From 1.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitBlame'', system.main.json_object(''file'', $file::VARCHAR, ''rev'', $rev::VARCHAR, ''repo'', $repo::VARCHAR, ''first_line'', system.main.to_json($first_line), ''last_line'', system.main.to_json($last_line), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"file":{"type":"string","description":"From the repo''s root."},"rev":{"type":"string","description":"A revision. Default: HEAD."},"repo":{"type":"string","description":"sandbox[/directory]."},"first_line":{"type":"integer","description":"From 1."},"last_line":{"type":"integer","description":"From 1."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["file"]',
    'text');

PRAGMA mcp_publish_tool('GitStatus',
    'Lists staged, changed, untracked and conflicting files, like git status --short. Example: no arguments

Arguments:
- repo (string, optional): sandbox[/directory].
- paths (JSON list or one value, optional): Pathspecs: *.rs, :!docs.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitStatus'', system.main.json_object(''repo'', $repo::VARCHAR, ''paths'', system.main.to_json($paths), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"repo":{"type":"string","description":"sandbox[/directory]."},"paths":{"type":"string","description":"Pathspecs: *.rs, :!docs."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('GitRefs',
    'Lists branches and tags, their commits, and how far branches are from upstream. Example: glob = refs/tags/v*

Arguments:
- repo (string, optional): sandbox[/directory].
- glob (string, optional): Such as *.rs.
- contains (string, optional): A commit.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitRefs'', system.main.json_object(''repo'', $repo::VARCHAR, ''glob'', $glob::VARCHAR, ''contains'', $contains::VARCHAR, ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"repo":{"type":"string","description":"sandbox[/directory]."},"glob":{"type":"string","description":"Such as *.rs."},"contains":{"type":"string","description":"A commit."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('GitRangeDiff',
    'Pairs the commits of a rebased series, like git range-diff. Example: old_range = main..v1, new_range = main..v2

Arguments:
- old_range (string, required): Before: a..b.
- new_range (string, required): After: a..b.
- repo (string, optional): sandbox[/directory].
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''GitRangeDiff'', system.main.json_object(''old_range'', $old_range::VARCHAR, ''new_range'', $new_range::VARCHAR, ''repo'', $repo::VARCHAR, ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"old_range":{"type":"string","description":"Before: a..b."},"new_range":{"type":"string","description":"After: a..b."},"repo":{"type":"string","description":"sandbox[/directory]."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["old_range","new_range"]',
    'text');

PRAGMA mcp_publish_tool('list_files',
    'Lists files with sizes: below a directory, without ignored ones, or of a revision. Example: path = workspace/src, glob = *.rs

Arguments:
- path (string, optional): sandbox/directory. Default: the only one.
- repo (string, optional): sandbox[/directory].
- rev (string, optional): Instead of the files on disk.
- glob (string, optional): Such as *.rs.
- depth (integer, optional): Levels.
- include_ignored (boolean, optional): Default: false.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''list_files'', system.main.json_object(''path'', $path::VARCHAR, ''repo'', $repo::VARCHAR, ''rev'', $rev::VARCHAR, ''glob'', $glob::VARCHAR, ''depth'', system.main.to_json($depth), ''include_ignored'', system.main.to_json($include_ignored), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"path":{"type":"string","description":"sandbox/directory. Default: the only one."},"repo":{"type":"string","description":"sandbox[/directory]."},"rev":{"type":"string","description":"Instead of the files on disk."},"glob":{"type":"string","description":"Such as *.rs."},"depth":{"type":"integer","description":"Levels."},"include_ignored":{"type":"boolean","description":"Default: false."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('search',
    'Finds lines of the files of a sandbox or of a revision. Example: pattern = fn main, glob = *.rs

Arguments:
- pattern (string, required): A text within a line.
- regex (boolean, optional): pattern is a regex.
- ignore_case (boolean, optional): Default: false.
- path (string, optional): As list_files, or a file.
- repo (string, optional): sandbox[/directory].
- rev (string, optional): A revision. Default: HEAD.
- glob (string, optional): Such as *.rs.
- context_lines (integer, optional): 0 to 20.
- include_ignored (boolean, optional): Default: false.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''search'', system.main.json_object(''pattern'', $pattern::VARCHAR, ''regex'', system.main.to_json($regex), ''ignore_case'', system.main.to_json($ignore_case), ''path'', $path::VARCHAR, ''repo'', $repo::VARCHAR, ''rev'', $rev::VARCHAR, ''glob'', $glob::VARCHAR, ''context_lines'', system.main.to_json($context_lines), ''include_ignored'', system.main.to_json($include_ignored), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"pattern":{"type":"string","description":"A text within a line."},"regex":{"type":"boolean","description":"pattern is a regex."},"ignore_case":{"type":"boolean","description":"Default: false."},"path":{"type":"string","description":"As list_files, or a file."},"repo":{"type":"string","description":"sandbox[/directory]."},"rev":{"type":"string","description":"A revision. Default: HEAD."},"glob":{"type":"string","description":"Such as *.rs."},"context_lines":{"type":"integer","description":"0 to 20."},"include_ignored":{"type":"boolean","description":"Default: false."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["pattern"]',
    'text');

PRAGMA mcp_publish_tool('read_file',
    'Returns lines of a text file of any size, and base_oid, which guards an edit. Example: path = workspace/src/main.rs, last_line = 80

Arguments:
- path (string, required): sandbox/relative/path.
- first_line (integer, optional): From 1.
- last_line (integer, optional): From 1.
- line_numbers (boolean, optional): Default: false.
- cursor (string, optional): A next_cursor.
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''read_file'', system.main.json_object(''path'', $path::VARCHAR, ''first_line'', system.main.to_json($first_line), ''last_line'', system.main.to_json($last_line), ''line_numbers'', system.main.to_json($line_numbers), ''cursor'', $cursor::VARCHAR, ''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"path":{"type":"string","description":"sandbox/relative/path."},"first_line":{"type":"integer","description":"From 1."},"last_line":{"type":"integer","description":"From 1."},"line_numbers":{"type":"boolean","description":"Default: false."},"cursor":{"type":"string","description":"A next_cursor."},"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '["path"]',
    'text');

PRAGMA mcp_publish_tool('redline_capabilities',
    'Names sandboxes, what may be written in each, repositories and tools. Example: no arguments

Arguments:
- max_bytes (integer, optional): Default: 18000.
- format (string, optional): text (default) or json.',
    'SELECT system.main.redline_call_text(''redline_capabilities'', system.main.json_object(''max_bytes'', system.main.to_json($max_bytes), ''format'', $format::VARCHAR), ''duckdb_mcp'', true) AS answer',
    '{"max_bytes":{"type":"integer","description":"Default: 18000."},"format":{"type":"string","description":"text (default) or json."}}',
    '[]',
    'text');
