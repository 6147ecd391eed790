-- What every thread of host.c runs, in the repository that memory.rs writes (see there for its files).
-- The `--!` lines say what is to come of a statement; host.c explains them.

-- ---------------------------------------------------------------- the table functions

--! rows: 57
SELECT * FROM file_changes('HEAD~1', 'HEAD', '.');

--! rows: 57
SELECT file_path, status FROM file_changes('HEAD~1', 'HEAD', '.');

--! rows: 57
SELECT new_size, file_path, is_binary FROM file_changes('HEAD~1', 'HEAD', '.') WHERE file_path <> '';

--! rows: 1
SELECT count(*) FROM file_changes('HEAD~1', 'HEAD', '.');

--! rows: 124
SELECT file_path, old_size, new_size FROM file_changes('EMPTY', 'HEAD~1', '.');

--! rows: 1
SELECT count(*), sum(additions), sum(deletions) FROM file_changes('HEAD', 'HEAD~1', '.');

--! rows: 0
SELECT * FROM file_changes('HEAD', 'HEAD', '.');

--! rows: 57
SELECT a.file_path FROM file_changes('HEAD~1', 'HEAD', '.') a JOIN file_changes('HEAD', 'HEAD~1', '.') b USING (file_path);

--! rows: 1
SELECT * FROM file_changes('HEAD~1', 'HEAD', '.') LIMIT 1;

--! rows: 8
SELECT * FROM file_diff('directory0/file000.txt', 'HEAD~1', 'HEAD', '.');

--! rows: 2
SELECT * FROM file_diff('directory0/file000.txt', 'HEAD~1', 'HEAD', '.', context := 0);

--! rows: 31
SELECT * FROM file_diff('directory0/file000.txt', 'HEAD~1', 'HEAD', '.', context := -1);

--! rows: 1
SELECT * FROM file_diff('binary.bin', 'HEAD~1', 'HEAD', '.');

--! rows: 0
SELECT * FROM file_diff('tool.sh', 'HEAD~1', 'HEAD', '.');

--! rows: 20000
SELECT * FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '.');

--! rows: 1
SELECT * FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '.') LIMIT 1;

-- ---------------------------------------------------------------- the scalar functions

--! rows: 57
SELECT unnest(file_changes_list('HEAD~1', 'HEAD', '.'), recursive := true);

--! rows: 3000
SELECT unnest(file_diff_list('lines.txt', 'EMPTY', 'HEAD', '.'), recursive := true) LIMIT 3000;

--! rows: 8
SELECT unnest(file_diff_list('directory0/file000.txt', 'HEAD~1', 'HEAD', '.', {'context': 3}), recursive := true);

-- Rows with NULL between them, and lists of every length in one vector.
--! rows: 300
SELECT i, file_diff_list(CASE WHEN i % 3 = 0 THEN NULL ELSE printf('directory%d/file%03d.txt', i % 40 % 6, i % 40) END,
                         'HEAD~1', CASE WHEN i % 7 = 0 THEN NULL ELSE 'HEAD' END, '.')
FROM range(300) t(i);

--! rows: 20
SELECT file_path, len(file_diff_list(file_path, 'HEAD~1', 'HEAD', '.')) FROM file_changes('HEAD~1', 'HEAD', '.') LIMIT 20;

--! rows: 1
SELECT unified_diff('a', 'a'), unified_diff(NULL, 'a'), unified_diff('a', 'b', 0), unified_diff('a', 'b', -1, 'x', 'y');

--! rows: 5000
SELECT unified_diff(repeat('same' || chr(10), i % 50), repeat('same' || chr(10), i % 47) || i, i % 5)
FROM range(5000) t(i);

--! rows: 4000
SELECT unified_diff(CASE WHEN i % 5 <> 0 THEN 'a' || i END, CASE WHEN i % 4 <> 0 THEN 'b' || chr(0) || i END, 3, 'l' || i, 'r')
FROM range(4000) t(i);

--! rows: 1
SELECT diff_texts('a', 'b'), diff_texts(NULL, 'a'), diff_texts('a', NULL, 3, NULL, NULL), diff_texts('a', 'a', 0, 'x', 'y');

--! rows: 2500
SELECT diff_texts(CASE WHEN i % 3 <> 0 THEN 'a' || i END, repeat('b' || chr(10), i % 50), i % 21, CASE WHEN i % 5 <> 0 THEN 'l' || i END, 'r')
FROM range(2500) t(i);

-- Files of the repository, read through DuckDB's file system.
--! rows: 200
SELECT diff_files(CASE WHEN i % 4 <> 0 THEN 'HEAD' END, 'config', i % 21) FROM range(200) t(i);

-- Each type of argument with NULL in it.
--! rows: 2500
SELECT approval_display(CASE WHEN i % 7 <> 0 THEN printf('{"description": "d%d"}', i) END, CASE WHEN i % 5 <> 0 THEN 20 + i % 100 END,
                        CASE WHEN i % 4 <> 0 THEN i - 9 END, CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END)
FROM range(2500) t(i);

-- Lists of structs with NULL at every level, short texts and long ones.
--! rows: 3000
SELECT redline_debug_edits('p' || i, CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN [NULL, {'old_string': NULL, 'new_string': 'b' || i}]
    ELSE [{'old_string': repeat('a', i % 30), 'new_string': 'c'}, {'old_string': 'd', 'new_string': 'e'}] END) FROM range(3000) t(i);

--! rows: 20
SELECT redline_call(CASE WHEN i % 2 = 0 THEN 'GitDiff' ELSE 'GitDiffSummary' END,
                    '{"from_rev": "HEAD~1", "to_rev": "HEAD", "path": ".", "max_bytes": 4000}') FROM range(20) t(i);

--! partial
SELECT * FROM diff_review('HEAD~1', 'HEAD', '.');

--! rows: 1
SELECT * FROM redline_capabilities();

-- ---------------------------------------------------------------- errors

--! error: invalid_args:
SELECT approval_display('no JSON' || i, 80, -1, i % 2 = 0) FROM range(3000) t(i);

--! error: invalid_args:
SELECT * FROM file_changes(NULL, 'HEAD', '.');

--! error: invalid_args:
SELECT * FROM file_diff('lines.txt', 'HEAD', NULL, '.');

--! error: not_found:
SELECT * FROM file_changes('no-such-branch', 'HEAD', '.');

--! error: not_found:
SELECT * FROM file_changes('HEAD~1', 'HEAD', './no/such/directory');

--! error: not_found:
SELECT * FROM file_diff('directory0/file00.txt', 'HEAD~1', 'HEAD', '.');

--! error: not_found:
SELECT file_changes_list('no-such-branch', 'HEAD', '.');

--! error: not_found:
SELECT file_diff_list('missing' || i, 'HEAD~1', 'HEAD', '.') FROM range(3000) t(i);

--! error: invalid_args:
SELECT * FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '.', context := -7);

--! error: invalid_args:
SELECT diff_texts('a', 'b', i) FROM range(3000) t(i);

--! error: not_found:
SELECT diff_files('HEAD', 'missing' || i) FROM range(3000) t(i);

--! error: tool_failed:
SELECT diff_files('HEAD', 'refs');

-- Functions that panic on purpose are in builds with debug assertions only, as this one.
--! error: tool_failed:
SELECT redline_debug_panic('x' || i) FROM range(3000) t(i);

--! error: tool_failed:
SELECT * FROM redline_debug_panic_scan('bind');

--! error: tool_failed:
SELECT * FROM redline_debug_panic_scan('open');

--! error: tool_failed:
SELECT * FROM redline_debug_panic_scan('scan');

SELECT * FROM redline_debug_panic_scan('drop');

-- ---------------------------------------------------------------- scans that end early

--! partial
SELECT * FROM file_changes('EMPTY', 'HEAD', '.');

--! partial
SELECT content FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '.');

--! partial
SELECT i, unified_diff('a' || i, 'b' || i) FROM range(10000) t(i);

--! abandon: 1
SELECT * FROM file_changes('EMPTY', 'HEAD', '.');

--! abandon: 2
SELECT sum(length(content)) FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '.');

--! abandon: 0
SELECT * FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '.');

--! interrupt: 20
SELECT sum(additions) FROM (
    SELECT additions FROM file_changes('HEAD~1', 'HEAD', '.') UNION ALL
    SELECT additions FROM file_changes('HEAD', 'HEAD~1', '.') UNION ALL
    SELECT additions FROM file_changes('HEAD~1', 'HEAD', '.') UNION ALL
    SELECT additions FROM file_changes('HEAD', 'HEAD~1', '.')
);

--! interrupt: 20
SELECT sum(length(content)) FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '.');

--! interrupt: 20
SELECT sum(length(unified_diff('a' || i, 'b' || i))) FROM range(20000) t(i);

PREPARE changes AS SELECT count(*) FROM file_changes('HEAD~1', 'HEAD', '.');

--! rows: 1
EXECUTE changes;

--! rows: 1
EXECUTE changes;

DEALLOCATE changes;

-- ---------------------------------------------------------------- settings and memory, in a database of one's own

--! own database
SET threads = 1;

SET temp_directory = '';

SET memory_limit = '60MB';

--! error: Out of Memory
SELECT content FROM file_diff('one-line.txt', 'EMPTY', 'HEAD', '.');

--! rows: 57
SELECT * FROM file_changes('HEAD~1', 'HEAD', '.');

--! error: Out of Memory
SELECT unified_diff('a', 'b', 3, l, l) FROM (SELECT repeat('x', 25000000) AS l);

--! rows: 1
SELECT unified_diff('a', 'b');

--! error: Out of Memory
SELECT diff_texts('a', 'b', 3, l, l) FROM (SELECT repeat('x', 25000000) AS l);

SET redline_max_read_bytes = 3;

--! error: too_large:
SELECT diff_files('HEAD', 'config');

RESET redline_max_read_bytes;

SET redline_tool_grants = NULL;

--! error: permission_denied:
SELECT diff_files('HEAD', 'config');

--! error: permission_denied:
SELECT * FROM file_changes('HEAD~1', 'HEAD', '.');

RESET redline_tool_grants;

SET enable_external_access = false;

--! error: fs_denied:
SELECT diff_files('HEAD', 'config');

--! error: fs_denied:
SELECT * FROM file_changes('HEAD~1', 'HEAD', '.');

--! error: fs_denied:
SELECT file_diff_list('lines.txt', 'EMPTY', 'HEAD', '.');

--! shared database
-- The neighbour's settings do not show here.
--! rows: 57
SELECT * FROM file_changes('HEAD~1', 'HEAD', '.');
