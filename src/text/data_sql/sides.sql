-- Both tables as one, in which a column of either has one type; a column that only one has is NULL in the rows of the other.
WITH "redline given" AS (
    SELECT 0 AS "redline side", * FROM {old} UNION ALL BY NAME SELECT 1 AS "redline side", * FROM {new}),
"redline both" AS MATERIALIZED (SELECT *{without_ignored} FROM "redline given"),
-- The columns that both have.
"redline types" AS (
    SELECT o.column_name AS name, o.column_type AS old_type, n.column_type AS new_type,
        system.main.row_number() OVER () AS position
    FROM (DESCRIBE FROM {old}) o JOIN (DESCRIBE FROM {new}) n
        ON system.main.lower(o.column_name) = system.main.lower(n.column_name)),
