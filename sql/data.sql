-- Table macros over files of data: what changed between two tables, and in every version of a file. `old` and `new` are each
-- what may stand behind FROM, as a text: a table, a view, a file ('HEAD~1:prices.csv' is one of a revision), a call of a
-- function, or a query in parentheses. The joins are
-- DuckDB's own. docs/data.md explains them; their arguments are constants or parameters. What they mean, which redline_help()
-- shows:
--   old: The old table: what may stand behind FROM, as a text
--   new: The new table, likewise
--   key: The columns that name a row, a text or a list; NULL: equal rows are counted, or the columns are chosen
--   repo: The repository of files that are named as REVISION:PATH, or a directory in it
--   ignore: Columns that are not compared, a text or a list; NULL: none
--   tolerance: How far two numbers may be apart and count as equal
--   relative_tolerance: The same as a part of the larger number
--   ignore_case: Whether texts that differ in case alone are equal
--   nulls_equal: Whether NULL is equal to NULL
--   file: The path of the file of data in the repository
--   range: The commits: a revision with all its ancestors, or a..b

-- A row per row that was added, removed or changed; without a key, equal rows are counted.
CREATE OR REPLACE MACRO table_changes(old, new, key := NULL, repo := '.', ignore := NULL, tolerance := 0, relative_tolerance := 0,
        ignore_case := false, nulls_equal := true) AS TABLE
    SELECT * FROM system.main.query(system.main.table_changes_sql('rows', old, new, system.main.struct_pack(key := key, repo := repo,
        ignore := ignore, tolerance := tolerance::VARCHAR, relative_tolerance := relative_tolerance::VARCHAR,
        ignore_case := ignore_case, nulls_equal := nulls_equal)));
COMMENT ON MACRO TABLE table_changes IS 'What changed between two tables: a row per row that was added, removed or changed';

-- A row per cell that changed in a row of both tables.
CREATE OR REPLACE MACRO cell_changes(old, new, key := NULL, repo := '.', ignore := NULL, tolerance := 0, relative_tolerance := 0,
        ignore_case := false, nulls_equal := true) AS TABLE
    SELECT * FROM system.main.query(system.main.table_changes_sql('cells', old, new, system.main.struct_pack(key := key, repo := repo,
        ignore := ignore, tolerance := tolerance::VARCHAR, relative_tolerance := relative_tolerance::VARCHAR,
        ignore_case := ignore_case, nulls_equal := nulls_equal)));
COMMENT ON MACRO TABLE cell_changes IS 'What changed between two tables: a row per changed cell, with the value before and after';

-- One row: how many rows and cells changed, and in which columns.
CREATE OR REPLACE MACRO table_change_summary(old, new, key := NULL, repo := '.', ignore := NULL, tolerance := 0, relative_tolerance := 0,
        ignore_case := false, nulls_equal := true) AS TABLE
    SELECT * FROM system.main.query(system.main.table_changes_sql('summary', old, new, system.main.struct_pack(key := key, repo := repo,
        ignore := ignore, tolerance := tolerance::VARCHAR, relative_tolerance := relative_tolerance::VARCHAR,
        ignore_case := ignore_case, nulls_equal := nulls_equal)));
COMMENT ON MACRO TABLE table_change_summary IS 'What changed between two tables: how many rows and cells, and in which columns';

-- A row per column that was added, removed, renamed, retyped or moved.
CREATE OR REPLACE MACRO schema_changes(old, new, repo := '.') AS TABLE
    SELECT * FROM system.main.query(system.main.table_changes_sql('schema', old, new, system.main.struct_pack(repo := repo)));
COMMENT ON MACRO TABLE schema_changes IS 'A row per column that was added, removed, renamed, retyped or moved between two tables';

-- A row per column that could be the key of a comparison by itself.
CREATE OR REPLACE MACRO table_keys(old, new, ignore := NULL, repo := '.') AS TABLE
    SELECT * FROM system.main.query(system.main.table_changes_sql('keys', old, new, system.main.struct_pack(ignore := ignore, repo := repo)));
COMMENT ON MACRO TABLE table_keys IS 'A row per column that names a row of two tables: on neither side a value of it is NULL or there twice';

-- A row per row that a commit added, removed or changed in a file, oldest commit first.
CREATE OR REPLACE MACRO data_history(file, key := NULL, range := 'HEAD', repo := '.') AS TABLE
    SELECT * FROM system.main.query(system.main.data_history_sql('rows', file, range, repo, system.main.struct_pack(key := key)));
COMMENT ON MACRO TABLE data_history IS 'The history of a file of data: a row per row that a commit added, removed or changed';

-- A row per cell that a commit set, changed or removed in a file, oldest commit first.
CREATE OR REPLACE MACRO data_history_cells(file, key := NULL, range := 'HEAD', repo := '.') AS TABLE
    SELECT * FROM system.main.query(system.main.data_history_sql('cells', file, range, repo, system.main.struct_pack(key := key)));
COMMENT ON MACRO TABLE data_history_cells IS 'The history of a file of data: a row per cell that a commit set, changed or removed';
