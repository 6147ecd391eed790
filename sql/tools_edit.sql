-- Every tool, those that change files included, for a server with the duckdb_mcp extension: run it after LOAD redline.
-- Made by `make sql` from redline_tools(); do not edit. docs/mcp.md says how it is used.

PRAGMA mcp_publish_tool('Diff',
    'Shows what differs between two files or two texts as a unified diff. Give either path_a and path_b, or text_a and text_b. context_lines (0 to 20, default 3) sets how many unchanged lines stand around a change; label_a and label_b name the sides in the diff. Equal contents give an empty diff and identical = true. A long diff is cut at the end of a line and says so.

Arguments:
- path_a (string, optional): The path of the first file; with path_b, and without text_a and text_b.
- path_b (string, optional): The path of the second file.
- text_a (string, optional): The first text; with text_b, and without path_a and path_b.
- text_b (string, optional): The second text.
- label_a (string, optional): The name of the first side in the diff. Default: its path, or a.
- label_b (string, optional): The name of the second side in the diff. Default: its path, or b.
- context_lines (integer, optional): Unchanged lines around a change, 0 to 20. Default: 3.',
    'SELECT system.main.redline_call_text(''Diff'', system.main.json_object(''path_a'', $path_a::VARCHAR, ''path_b'', $path_b::VARCHAR, ''text_a'', $text_a::VARCHAR, ''text_b'', $text_b::VARCHAR, ''label_a'', $label_a::VARCHAR, ''label_b'', $label_b::VARCHAR, ''context_lines'', $context_lines::BIGINT)) AS answer',
    '{"path_a":{"type":"string","description":"The path of the first file; with path_b, and without text_a and text_b."},"path_b":{"type":"string","description":"The path of the second file."},"text_a":{"type":"string","description":"The first text; with text_b, and without path_a and path_b."},"text_b":{"type":"string","description":"The second text."},"label_a":{"type":"string","description":"The name of the first side in the diff. Default: its path, or a."},"label_b":{"type":"string","description":"The name of the second side in the diff. Default: its path, or b."},"context_lines":{"type":"integer","description":"Unchanged lines around a change, 0 to 20. Default: 3."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('read_file',
    'Returns the text of a file. path is sandbox/relative/path, as redline_capabilities() names the sandboxes. At most max_chars characters (default 48000) from offset (default 0) on are returned; truncated says that more follows. Binary files are refused. Where the sandbox wants an approval, the call fails with approval_required until a person has said yes.

Arguments:
- path (string, required): The file, as sandbox/relative/path.
- offset (integer, optional): Characters to leave out at the start. Default: 0.
- max_chars (integer, optional): The most characters to return. Default: 48000.',
    'SELECT system.main.redline_call_text(''read_file'', system.main.json_object(''path'', $path::VARCHAR, ''offset'', $offset::BIGINT, ''max_chars'', $max_chars::BIGINT)) AS answer',
    '{"path":{"type":"string","description":"The file, as sandbox/relative/path."},"offset":{"type":"integer","description":"Characters to leave out at the start. Default: 0."},"max_chars":{"type":"integer","description":"The most characters to return. Default: 48000."}}',
    '["path"]',
    'text');

PRAGMA mcp_publish_tool('write_file',
    'Makes a file, or replaces it as a whole, with content; missing directories are made. path is sandbox/relative/path in a sandbox that may be written. To change a part of a file, use edit_file. Where the sandbox wants an approval, as is the default, the call fails with approval_required until a person has said yes; then repeat it unchanged.

Arguments:
- path (string, required): The file, as sandbox/relative/path; directories that are missing are made.
- content (string, required): The whole new content.',
    'SELECT system.main.redline_call_text(''write_file'', system.main.json_object(''path'', $path::VARCHAR, ''content'', $content::VARCHAR)) AS answer',
    '{"path":{"type":"string","description":"The file, as sandbox/relative/path; directories that are missing are made."},"content":{"type":"string","description":"The whole new content."}}',
    '["path","content"]',
    'text');

PRAGMA mcp_publish_tool('edit_file',
    'Replaces old_string by new_string in the file at path (sandbox/relative/path, in a sandbox that may be written). old_string must stand in the file exactly once, with its blanks and line breaks; replace_all (default false) replaces every place. edits, instead, is a list of such replacements that are matched against the file as it is and made together or not at all. base_oid is the id that an earlier result gave: if the file has changed since, nothing is done. Errors name close passages and their lines. Where the sandbox wants an approval, as is the default, the call fails with approval_required until a person has said yes; then repeat it unchanged.

Arguments:
- path (string, required): The file, as sandbox/relative/path.
- old_string (string, optional): The text to replace, which must stand in the file once unless replace_all is true.
- new_string (string, optional): What takes its place; empty to remove it.
- replace_all (boolean, optional): Whether every place is replaced. Default: false.
- edits (array, optional): Several replacements instead of old_string and new_string: all are matched against the file as it is, and
made together or not at all.
- base_oid (string, optional): The git blob id that the file must have; another one is an error, and nothing is changed.',
    'SELECT system.main.redline_call_text(''edit_file'', system.main.json_object(''path'', $path::VARCHAR, ''old_string'', $old_string::VARCHAR, ''new_string'', $new_string::VARCHAR, ''replace_all'', $replace_all::BOOLEAN, ''edits'', $edits::JSON, ''base_oid'', $base_oid::VARCHAR)) AS answer',
    '{"path":{"type":"string","description":"The file, as sandbox/relative/path."},"old_string":{"type":"string","description":"The text to replace, which must stand in the file once unless replace_all is true."},"new_string":{"type":"string","description":"What takes its place; empty to remove it."},"replace_all":{"type":"boolean","description":"Whether every place is replaced. Default: false."},"edits":{"type":"array","description":"Several replacements instead of old_string and new_string: all are matched against the file as it is, and\nmade together or not at all.","items":{"description":"One of several replacements.","type":"object","properties":{"old_string":{"description":"The text to replace, which must stand in the file once unless replace_all is true.","type":"string"},"new_string":{"description":"What takes its place; empty to remove it.","type":"string"},"replace_all":{"description":"Whether every place is replaced. Default: false.","type":["boolean","null"]}},"additionalProperties":false,"required":["old_string","new_string"]}},"base_oid":{"type":"string","description":"The git blob id that the file must have; another one is an error, and nothing is changed."}}',
    '["path"]',
    'text');

PRAGMA mcp_publish_tool('GitDiff',
    'Shows what changed between two sides of a git repository: the totals, one line per changed file, then as many hunks as there is room for, shared fairly between the files; lock files and generated files come last. What is left out is named: the same call with cursor = next_cursor goes on there. from_rev = main...feature shows what a branch changed, from_rev = HEAD what is not committed yet, from_rev = HEAD with to_rev = INDEX what is staged. file_path shows one file alone.

Arguments:
- from_rev (string, required): The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
- to_rev (string, optional): The new side, likewise. Left out, from_rev is a range or is compared with the work tree.
- file_path (string, optional): One file to show alone, by its path from the root of the repository; not with paths.
- path (string, optional): The repository, or a directory in it. Default: the current directory, or the only sandbox.
- paths (array, optional): Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.
- context_lines (integer, optional): Unchanged lines around a change, -1 for the whole file. Default: 3.
- ignore_whitespace (string, optional): Which white space is ignored: none (default), all, change, eol or cr_at_eol.
- renames (boolean, optional): Whether a file that was moved is one entry, with its old path, and not two. Default: false.
- max_bytes (integer, optional): The bytes that the whole answer may have, 2000 or more. Default: 48000.
- cursor (string, optional): next_cursor of the answer before, to go on where it ended; the other arguments stay the same.',
    'SELECT system.main.redline_call_text(''GitDiff'', system.main.json_object(''from_rev'', $from_rev::VARCHAR, ''to_rev'', $to_rev::VARCHAR, ''file_path'', $file_path::VARCHAR, ''path'', $path::VARCHAR, ''paths'', $paths::JSON, ''context_lines'', $context_lines::BIGINT, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''max_bytes'', $max_bytes::BIGINT, ''cursor'', $cursor::VARCHAR)) AS answer',
    '{"from_rev":{"type":"string","description":"The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b."},"to_rev":{"type":"string","description":"The new side, likewise. Left out, from_rev is a range or is compared with the work tree."},"file_path":{"type":"string","description":"One file to show alone, by its path from the root of the repository; not with paths."},"path":{"type":"string","description":"The repository, or a directory in it. Default: the current directory, or the only sandbox."},"paths":{"type":"array","description":"Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.","items":{"type":"string"}},"context_lines":{"type":"integer","description":"Unchanged lines around a change, -1 for the whole file. Default: 3."},"ignore_whitespace":{"type":"string","description":"Which white space is ignored: none (default), all, change, eol or cr_at_eol."},"renames":{"type":"boolean","description":"Whether a file that was moved is one entry, with its old path, and not two. Default: false."},"max_bytes":{"type":"integer","description":"The bytes that the whole answer may have, 2000 or more. Default: 48000."},"cursor":{"type":"string","description":"next_cursor of the answer before, to go on where it ended; the other arguments stay the same."}}',
    '["from_rev"]',
    'text');

PRAGMA mcp_publish_tool('GitDiffSummary',
    'Lists the files that changed between two sides of a git repository, with what happened to each and its added and removed lines, like git diff --stat: the way to begin with a large change. from_rev = main...feature lists what a branch changed, from_rev = HEAD what is not committed yet. Where the list is cut, the same call with cursor = next_cursor goes on.

Arguments:
- from_rev (string, required): The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
- to_rev (string, optional): The new side, likewise. Left out, from_rev is a range or is compared with the work tree.
- path (string, optional): The repository, or a directory in it. Default: the current directory, or the only sandbox.
- paths (array, optional): Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.
- ignore_whitespace (string, optional): Which white space is ignored where lines are counted: none (default), all, change, eol or cr_at_eol.
- renames (boolean, optional): Whether a file that was moved is one entry, with its old path, and not two. Default: false.
- max_bytes (integer, optional): The bytes that the whole answer may have, 2000 or more. Default: 48000.
- cursor (string, optional): next_cursor of the answer before, to go on where it ended; the other arguments stay the same.',
    'SELECT system.main.redline_call_text(''GitDiffSummary'', system.main.json_object(''from_rev'', $from_rev::VARCHAR, ''to_rev'', $to_rev::VARCHAR, ''path'', $path::VARCHAR, ''paths'', $paths::JSON, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''max_bytes'', $max_bytes::BIGINT, ''cursor'', $cursor::VARCHAR)) AS answer',
    '{"from_rev":{"type":"string","description":"The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b."},"to_rev":{"type":"string","description":"The new side, likewise. Left out, from_rev is a range or is compared with the work tree."},"path":{"type":"string","description":"The repository, or a directory in it. Default: the current directory, or the only sandbox."},"paths":{"type":"array","description":"Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.","items":{"type":"string"}},"ignore_whitespace":{"type":"string","description":"Which white space is ignored where lines are counted: none (default), all, change, eol or cr_at_eol."},"renames":{"type":"boolean","description":"Whether a file that was moved is one entry, with its old path, and not two. Default: false."},"max_bytes":{"type":"integer","description":"The bytes that the whole answer may have, 2000 or more. Default: 48000."},"cursor":{"type":"string","description":"next_cursor of the answer before, to go on where it ended; the other arguments stay the same."}}',
    '["from_rev"]',
    'text');

PRAGMA mcp_publish_tool('GitDiffFile',
    'Shows what changed in one file between two sides of a git repository, as git''s patch. from_rev = main...feature shows what a branch changed, from_rev = HEAD what is not committed yet. Where the patch is cut, the same call with cursor = next_cursor goes on.

Arguments:
- file_path (string, required): The file, by its path from the root of the repository.
- from_rev (string, required): The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
- to_rev (string, optional): The new side, likewise. Left out, from_rev is a range or is compared with the work tree.
- path (string, optional): The repository, or a directory in it. Default: the current directory, or the only sandbox.
- context_lines (integer, optional): Unchanged lines around a change, -1 for the whole file. Default: 3.
- ignore_whitespace (string, optional): Which white space is ignored: none (default), all, change, eol or cr_at_eol.
- renames (boolean, optional): Whether a file that was moved is compared with the one that it was made from. Default: false.
- max_bytes (integer, optional): The bytes that the whole answer may have, 2000 or more. Default: 48000.
- cursor (string, optional): next_cursor of the answer before, to go on where it ended; the other arguments stay the same.',
    'SELECT system.main.redline_call_text(''GitDiffFile'', system.main.json_object(''file_path'', $file_path::VARCHAR, ''from_rev'', $from_rev::VARCHAR, ''to_rev'', $to_rev::VARCHAR, ''path'', $path::VARCHAR, ''context_lines'', $context_lines::BIGINT, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''max_bytes'', $max_bytes::BIGINT, ''cursor'', $cursor::VARCHAR)) AS answer',
    '{"file_path":{"type":"string","description":"The file, by its path from the root of the repository."},"from_rev":{"type":"string","description":"The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b."},"to_rev":{"type":"string","description":"The new side, likewise. Left out, from_rev is a range or is compared with the work tree."},"path":{"type":"string","description":"The repository, or a directory in it. Default: the current directory, or the only sandbox."},"context_lines":{"type":"integer","description":"Unchanged lines around a change, -1 for the whole file. Default: 3."},"ignore_whitespace":{"type":"string","description":"Which white space is ignored: none (default), all, change, eol or cr_at_eol."},"renames":{"type":"boolean","description":"Whether a file that was moved is compared with the one that it was made from. Default: false."},"max_bytes":{"type":"integer","description":"The bytes that the whole answer may have, 2000 or more. Default: 48000."},"cursor":{"type":"string","description":"next_cursor of the answer before, to go on where it ended; the other arguments stay the same."}}',
    '["file_path","from_rev"]',
    'text');
