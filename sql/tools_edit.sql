-- Every tool, those that change files included, for a server with the duckdb_mcp extension: run it after LOAD redline.
-- Made by `make sql` from redline_tools(); do not edit. docs/mcp.md says how it is used.

PRAGMA mcp_publish_tool('Diff',
    'Compares two files or two texts and returns a unified diff. Give either path_a and path_b, or text_a and text_b. context_lines (0 to 20, default 3) is the number of unchanged lines around each change. label_a and label_b name the sides in the diff. Equal contents return an empty diff and identical = true. A long diff is cut at a line end and says so.

Arguments:
- path_a (string, optional): Path of the first file; requires path_b and excludes text_a and text_b.
- path_b (string, optional): Path of the second file.
- text_a (string, optional): The first text; requires text_b and excludes path_a and path_b.
- text_b (string, optional): The second text.
- label_a (string, optional): Name of the first side in the diff. Default: its path, or a.
- label_b (string, optional): Name of the second side in the diff. Default: its path, or b.
- context_lines (integer, optional): Unchanged lines around a change, 0 to 20. Default: 3.',
    'SELECT system.main.redline_call_text(''Diff'', system.main.json_object(''path_a'', $path_a::VARCHAR, ''path_b'', $path_b::VARCHAR, ''text_a'', $text_a::VARCHAR, ''text_b'', $text_b::VARCHAR, ''label_a'', $label_a::VARCHAR, ''label_b'', $label_b::VARCHAR, ''context_lines'', $context_lines::BIGINT)) AS answer',
    '{"path_a":{"type":"string","description":"Path of the first file; requires path_b and excludes text_a and text_b."},"path_b":{"type":"string","description":"Path of the second file."},"text_a":{"type":"string","description":"The first text; requires text_b and excludes path_a and path_b."},"text_b":{"type":"string","description":"The second text."},"label_a":{"type":"string","description":"Name of the first side in the diff. Default: its path, or a."},"label_b":{"type":"string","description":"Name of the second side in the diff. Default: its path, or b."},"context_lines":{"type":"integer","description":"Unchanged lines around a change, 0 to 20. Default: 3."}}',
    '[]',
    'text');

PRAGMA mcp_publish_tool('read_file',
    'Returns the text of a file. path is sandbox/relative/path; redline_capabilities() lists the sandboxes. Returns at most max_chars characters (default 48000) starting at offset (default 0); truncated is true when more follows. Refuses binary files. If the sandbox requires approval, the call fails with approval_required until a person approves it.

Arguments:
- path (string, required): The file, as sandbox/relative/path.
- offset (integer, optional): Characters to skip at the start. Default: 0.
- max_chars (integer, optional): Maximum characters to return. Default: 48000.',
    'SELECT system.main.redline_call_text(''read_file'', system.main.json_object(''path'', $path::VARCHAR, ''offset'', $offset::BIGINT, ''max_chars'', $max_chars::BIGINT)) AS answer',
    '{"path":{"type":"string","description":"The file, as sandbox/relative/path."},"offset":{"type":"integer","description":"Characters to skip at the start. Default: 0."},"max_chars":{"type":"integer","description":"Maximum characters to return. Default: 48000."}}',
    '["path"]',
    'text');

PRAGMA mcp_publish_tool('write_file',
    'Creates or overwrites a file and its parent directories. path is sandbox/relative/path in a writable sandbox. To change part of a file, use edit_file. If the sandbox requires approval (the default), the call fails with approval_required until a person approves it; then repeat the same call.

Arguments:
- path (string, required): The file, as sandbox/relative/path; missing parent directories are created.
- content (string, required): The whole new content.',
    'SELECT system.main.redline_call_text(''write_file'', system.main.json_object(''path'', $path::VARCHAR, ''content'', $content::VARCHAR)) AS answer',
    '{"path":{"type":"string","description":"The file, as sandbox/relative/path; missing parent directories are created."},"content":{"type":"string","description":"The whole new content."}}',
    '["path","content"]',
    'text');

PRAGMA mcp_publish_tool('edit_file',
    'Replaces old_string with new_string in a file. path is sandbox/relative/path in a writable sandbox. old_string must match the file exactly, whitespace and line breaks included, and occur exactly once; replace_all (default false) replaces every occurrence. Instead of one replacement, edits takes a list; all are matched against the current file and applied together or not at all. base_oid is the id from an earlier result: if the file has changed since, nothing is written. Errors name similar passages and their lines. If the sandbox requires approval (the default), the call fails with approval_required until a person approves it; then repeat the same call.

Arguments:
- path (string, required): The file, as sandbox/relative/path.
- old_string (string, optional): The text to replace; it must occur exactly once unless replace_all is true.
- new_string (string, optional): The replacement; empty to delete the text.
- replace_all (boolean, optional): Replace every occurrence. Default: false.
- edits (array, optional): Several replacements, instead of old_string and new_string: all are matched against the current file and
applied together or not at all.
- base_oid (string, optional): The git blob id the file must have; with any other, the call fails and nothing is written.',
    'SELECT system.main.redline_call_text(''edit_file'', system.main.json_object(''path'', $path::VARCHAR, ''old_string'', $old_string::VARCHAR, ''new_string'', $new_string::VARCHAR, ''replace_all'', $replace_all::BOOLEAN, ''edits'', $edits::JSON, ''base_oid'', $base_oid::VARCHAR)) AS answer',
    '{"path":{"type":"string","description":"The file, as sandbox/relative/path."},"old_string":{"type":"string","description":"The text to replace; it must occur exactly once unless replace_all is true."},"new_string":{"type":"string","description":"The replacement; empty to delete the text."},"replace_all":{"type":"boolean","description":"Replace every occurrence. Default: false."},"edits":{"type":"array","description":"Several replacements, instead of old_string and new_string: all are matched against the current file and\napplied together or not at all.","items":{"description":"One of several replacements.","type":"object","properties":{"old_string":{"description":"The text to replace; it must occur exactly once unless replace_all is true.","type":"string"},"new_string":{"description":"The replacement; empty to delete the text.","type":"string"},"replace_all":{"description":"Replace every occurrence. Default: false.","type":["boolean","null"]}},"additionalProperties":false,"required":["old_string","new_string"]}},"base_oid":{"type":"string","description":"The git blob id the file must have; with any other, the call fails and nothing is written."}}',
    '["path"]',
    'text');

PRAGMA mcp_publish_tool('GitDiff',
    'Shows what changed between two sides of a git repository: totals, one line per changed file, then as many hunks as fit, shared fairly between the files, with lock files and generated files last. The answer names what it leaves out; to continue, repeat the call with cursor = next_cursor. from_rev = main...feature shows what a branch changed; from_rev = HEAD shows uncommitted changes; from_rev = HEAD with to_rev = INDEX shows staged changes. file_path limits the answer to one file.

Arguments:
- from_rev (string, required): The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
- to_rev (string, optional): The new side, likewise. If omitted, from_rev is a range or is compared with the work tree.
- file_path (string, optional): The only file to show, by its path from the repository root; not together with paths.
- path (string, optional): The repository, or a directory in it. Default: the current directory, or the only sandbox.
- paths (array, optional): Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.
- context_lines (integer, optional): Unchanged lines around a change, -1 for the whole file. Default: 3.
- ignore_whitespace (string, optional): Whitespace to ignore: none (default), all, change, eol or cr_at_eol.
- renames (boolean, optional): Detect renames: a moved file is one entry with its old path. Default: false.
- max_bytes (integer, optional): Maximum bytes of the whole answer, 2000 or more. Default: 48000.
- cursor (string, optional): next_cursor of the previous answer, to continue there; keep the other arguments unchanged.',
    'SELECT system.main.redline_call_text(''GitDiff'', system.main.json_object(''from_rev'', $from_rev::VARCHAR, ''to_rev'', $to_rev::VARCHAR, ''file_path'', $file_path::VARCHAR, ''path'', $path::VARCHAR, ''paths'', $paths::JSON, ''context_lines'', $context_lines::BIGINT, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''max_bytes'', $max_bytes::BIGINT, ''cursor'', $cursor::VARCHAR)) AS answer',
    '{"from_rev":{"type":"string","description":"The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b."},"to_rev":{"type":"string","description":"The new side, likewise. If omitted, from_rev is a range or is compared with the work tree."},"file_path":{"type":"string","description":"The only file to show, by its path from the repository root; not together with paths."},"path":{"type":"string","description":"The repository, or a directory in it. Default: the current directory, or the only sandbox."},"paths":{"type":"array","description":"Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.","items":{"type":"string"}},"context_lines":{"type":"integer","description":"Unchanged lines around a change, -1 for the whole file. Default: 3."},"ignore_whitespace":{"type":"string","description":"Whitespace to ignore: none (default), all, change, eol or cr_at_eol."},"renames":{"type":"boolean","description":"Detect renames: a moved file is one entry with its old path. Default: false."},"max_bytes":{"type":"integer","description":"Maximum bytes of the whole answer, 2000 or more. Default: 48000."},"cursor":{"type":"string","description":"next_cursor of the previous answer, to continue there; keep the other arguments unchanged."}}',
    '["from_rev"]',
    'text');

PRAGMA mcp_publish_tool('GitDiffSummary',
    'Lists the files that changed between two sides of a git repository, with status, added and removed lines, like git diff --stat. Start here for a large change. from_rev = main...feature lists what a branch changed; from_rev = HEAD lists uncommitted changes. If the list is cut, repeat the call with cursor = next_cursor.

Arguments:
- from_rev (string, required): The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
- to_rev (string, optional): The new side, likewise. If omitted, from_rev is a range or is compared with the work tree.
- path (string, optional): The repository, or a directory in it. Default: the current directory, or the only sandbox.
- paths (array, optional): Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.
- ignore_whitespace (string, optional): Whitespace to ignore when counting lines: none (default), all, change, eol or cr_at_eol.
- renames (boolean, optional): Detect renames: a moved file is one entry with its old path. Default: false.
- max_bytes (integer, optional): Maximum bytes of the whole answer, 2000 or more. Default: 48000.
- cursor (string, optional): next_cursor of the previous answer, to continue there; keep the other arguments unchanged.',
    'SELECT system.main.redline_call_text(''GitDiffSummary'', system.main.json_object(''from_rev'', $from_rev::VARCHAR, ''to_rev'', $to_rev::VARCHAR, ''path'', $path::VARCHAR, ''paths'', $paths::JSON, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''max_bytes'', $max_bytes::BIGINT, ''cursor'', $cursor::VARCHAR)) AS answer',
    '{"from_rev":{"type":"string","description":"The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b."},"to_rev":{"type":"string","description":"The new side, likewise. If omitted, from_rev is a range or is compared with the work tree."},"path":{"type":"string","description":"The repository, or a directory in it. Default: the current directory, or the only sandbox."},"paths":{"type":"array","description":"Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.","items":{"type":"string"}},"ignore_whitespace":{"type":"string","description":"Whitespace to ignore when counting lines: none (default), all, change, eol or cr_at_eol."},"renames":{"type":"boolean","description":"Detect renames: a moved file is one entry with its old path. Default: false."},"max_bytes":{"type":"integer","description":"Maximum bytes of the whole answer, 2000 or more. Default: 48000."},"cursor":{"type":"string","description":"next_cursor of the previous answer, to continue there; keep the other arguments unchanged."}}',
    '["from_rev"]',
    'text');

PRAGMA mcp_publish_tool('GitDiffFile',
    'Shows what changed in one file between two sides of a git repository, as a git patch. from_rev = main...feature shows what a branch changed; from_rev = HEAD shows uncommitted changes. If the patch is cut, repeat the call with cursor = next_cursor.

Arguments:
- file_path (string, required): The file, by its path from the repository root.
- from_rev (string, required): The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
- to_rev (string, optional): The new side, likewise. If omitted, from_rev is a range or is compared with the work tree.
- path (string, optional): The repository, or a directory in it. Default: the current directory, or the only sandbox.
- context_lines (integer, optional): Unchanged lines around a change, -1 for the whole file. Default: 3.
- ignore_whitespace (string, optional): Whitespace to ignore: none (default), all, change, eol or cr_at_eol.
- renames (boolean, optional): Detect renames: compare a moved file with its origin. Default: false.
- max_bytes (integer, optional): Maximum bytes of the whole answer, 2000 or more. Default: 48000.
- cursor (string, optional): next_cursor of the previous answer, to continue there; keep the other arguments unchanged.',
    'SELECT system.main.redline_call_text(''GitDiffFile'', system.main.json_object(''file_path'', $file_path::VARCHAR, ''from_rev'', $from_rev::VARCHAR, ''to_rev'', $to_rev::VARCHAR, ''path'', $path::VARCHAR, ''context_lines'', $context_lines::BIGINT, ''ignore_whitespace'', $ignore_whitespace::VARCHAR, ''renames'', $renames::BOOLEAN, ''max_bytes'', $max_bytes::BIGINT, ''cursor'', $cursor::VARCHAR)) AS answer',
    '{"file_path":{"type":"string","description":"The file, by its path from the repository root."},"from_rev":{"type":"string","description":"The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b."},"to_rev":{"type":"string","description":"The new side, likewise. If omitted, from_rev is a range or is compared with the work tree."},"path":{"type":"string","description":"The repository, or a directory in it. Default: the current directory, or the only sandbox."},"context_lines":{"type":"integer","description":"Unchanged lines around a change, -1 for the whole file. Default: 3."},"ignore_whitespace":{"type":"string","description":"Whitespace to ignore: none (default), all, change, eol or cr_at_eol."},"renames":{"type":"boolean","description":"Detect renames: compare a moved file with its origin. Default: false."},"max_bytes":{"type":"integer","description":"Maximum bytes of the whole answer, 2000 or more. Default: 48000."},"cursor":{"type":"string","description":"next_cursor of the previous answer, to continue there; keep the other arguments unchanged."}}',
    '["file_path","from_rev"]',
    'text');
