"redline repeated" AS (
    SELECT {key_columns}, system.main.count(*) FILTER ("redline side" = 0) AS "redline olds", system.main.count(*) FILTER ("redline side" = 1) AS "redline news"
    FROM "redline both" GROUP BY {key_columns} HAVING "redline olds" > 1 OR "redline news" > 1 LIMIT 3),
"redline checked" AS (
    SELECT CASE WHEN system.main.count(*) > 0 THEN system.main.error(system.main.concat(
        'not_unique: rows of one side share a key ', {key_text}, ': ', system.main.string_agg(system.main.concat({key_values}, ' (',
            "redline olds", ' in old, ', "redline news", ' in new)'), '; '),
        '. Give a key that names one row, or none, to compare whole rows')) END AS ok
    FROM "redline repeated"),
"redline old" AS (
    SELECT {key_aliases}, "redline row" AS r, true AS here
    FROM (SELECT * EXCLUDE ("redline side") FROM "redline both" WHERE "redline side" = 0) "redline row"),
"redline new" AS (
    SELECT {key_aliases}, "redline row" AS r, true AS here
    FROM (SELECT * EXCLUDE ("redline side") FROM "redline both" WHERE "redline side" = 1) "redline row"),
-- The rows that may differ. Rows of one side are marked by `here`, since an absent row is a STRUCT of NULLs.
"redline delta" AS MATERIALIZED (
    SELECT CASE WHEN o.here IS NULL THEN 'added' WHEN n.here IS NULL THEN 'removed' ELSE 'changed' END AS change, o.r AS old, n.r AS new
    FROM "redline old" o FULL JOIN "redline new" n ON {key_equal}
    WHERE (SELECT ok FROM "redline checked") IS NULL AND (o.here IS NULL OR n.here IS NULL OR {rows_differ})),
-- The two rows of a change below each other: so each column is compared without knowing its name.
"redline stacked" AS (
    SELECT 0 AS "redline side", NULL AS "redline nothing", old AS "redline old", new AS "redline new", system.main.unnest(old)
    FROM "redline delta" WHERE change = 'changed'
    UNION ALL SELECT 1, NULL, NULL, NULL, system.main.unnest(new) FROM "redline delta" WHERE change = 'changed'),
"redline pairs" AS (
    SELECT "redline side", "redline old", "redline new", {key_columns},
        system.main.struct_pack(o := {others}, n := system.main.lead({others}) OVER (PARTITION BY {key_columns} ORDER BY "redline side"))
    FROM "redline stacked"),
"redline flags" AS (
    SELECT "redline old", "redline new", {key_columns}, CASE WHEN {cells_differ} THEN system.main.struct_pack(
        old_value := {old_cell}::VARCHAR, new_value := {new_cell}::VARCHAR,
        difference := CASE WHEN {is_number} THEN system.main.subtract(TRY_CAST({new_cell}::VARCHAR AS DOUBLE), TRY_CAST({old_cell}::VARCHAR AS DOUBLE)) END)
        END
    FROM "redline pairs" WHERE "redline side" = 0),
"redline listed" AS (
    SELECT "redline old" AS old, "redline new" AS new,
        system.main.list_value(*COLUMNS(* EXCLUDE ("redline old", "redline new", {key_columns}))) AS cells
    FROM "redline flags"),
-- A column of one side changes no row. The first of those that are compared is "redline nothing".
"redline names" AS (
    SELECT system.main.list_prepend(NULL, system.main.list(
        CASE WHEN old_type IS NOT NULL AND new_type IS NOT NULL THEN name END ORDER BY position)) AS names
    FROM "redline columns"),
"redline changed" AS (
    SELECT old, new, system.main.list_filter(system.main.list_transform(cells, lambda cell, place:
            CASE WHEN cell IS NOT NULL THEN system.main.struct_pack(column_name := names[place], old_value := cell.old_value,
                new_value := cell.new_value, difference := cell.difference) END),
        lambda cell: cell.column_name IS NOT NULL) AS cells
    FROM "redline listed", "redline names")
