-- Both tables as one, in which a column of either has one type; a column that only one has is NULL in the rows of the other.
WITH "redline given" AS (
    SELECT 0 AS "redline side", * FROM {old} UNION ALL BY NAME SELECT 1 AS "redline side", * FROM {new}),
"redline both" AS MATERIALIZED (SELECT *{without_ignored} FROM "redline given"),
-- Its columns in their order, but those of the key. They are numbered, since alias() of a column may answer for another: DuckDB
-- 1.5.6 runs two parts of a plan once that differ in it alone. Names are folded as DuckDB's are, ASCII alone.
"redline columns" AS (
    SELECT coalesce(o.name, n.name) AS name, o.type AS old_type, n.type AS new_type,
        system.main.row_number() OVER (ORDER BY o.place IS NULL, o.place, n.place) AS position
    FROM (SELECT column_name AS name, column_type AS type, system.main.row_number() OVER () AS place, {folded} AS folded FROM (DESCRIBE FROM {old})) o
        FULL JOIN
        (SELECT column_name AS name, column_type AS type, system.main.row_number() OVER () AS place, {folded} AS folded FROM (DESCRIBE FROM {new})) n
        USING (folded)
    WHERE NOT system.main.list_contains([{left_out}]::VARCHAR[], folded)),
"redline types" AS (SELECT * FROM "redline columns" WHERE old_type IS NOT NULL AND new_type IS NOT NULL),
