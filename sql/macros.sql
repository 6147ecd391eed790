-- Table macros over the list functions: arguments may be columns, subqueries and lateral joins,
-- and the repository defaults to the current folder. Run once per database:
--   .read sql/macros.sql
--
-- The native file_changes and file_diff read only what the query asks for; these compute every
-- column. Use them where the arguments come from rows. Order by seq: DuckDB 1.5.6 reorders the
-- rows of a lateral join.

CREATE OR REPLACE MACRO file_changes_each(from_rev, to_rev, repo := '.') AS TABLE
    SELECT unnest(file_changes_list(from_rev, to_rev, repo), recursive := true);

CREATE OR REPLACE MACRO file_diff_each(file, from_rev, to_rev, repo := '.', context := 3) AS TABLE
    SELECT unnest(file_diff_list(file, from_rev, to_rev, repo, context), recursive := true);
