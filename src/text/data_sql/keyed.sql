-- A row that differs is in a list, since DuckDB keeps every column of a STRUCT for each of the others, too.
"redline joined" AS MATERIALIZED (
    SELECT {joined_keys}, o.here AS old_here, n.here AS new_here, o.here IS NULL OR n.here IS NULL OR {rows_differ} AS differs,
        CASE WHEN differs THEN system.main.list_value(o.r) END AS old, CASE WHEN differs THEN system.main.list_value(n.r) END AS new
    FROM (SELECT {key_aliases}, r, true AS here FROM "redline olds") o
        FULL JOIN (SELECT {key_aliases}, r, true AS here FROM "redline news") n ON {key_equal}),
-- A key that both sides have joins more rows than there are if it is not unique; one that one side has is there twice.
"redline unique" AS MATERIALIZED (
    SELECT (SELECT system.main.count(old_here) FROM "redline joined") = (SELECT system.main.count(*) FROM "redline olds")
        AND (SELECT system.main.count(new_here) FROM "redline joined") = (SELECT system.main.count(*) FROM "redline news")
        AND NOT EXISTS (SELECT 1 FROM "redline joined" WHERE old_here IS NULL OR new_here IS NULL GROUP BY {keys} HAVING system.main.count(*) > 1) AS ok),
"redline repeated" AS (
    SELECT {keys}, system.main.count(*) FILTER (side = 0) AS olds, system.main.count(*) FILTER (side = 1) AS news
    FROM (SELECT 0 AS side, {key_aliases} FROM "redline olds" UNION ALL SELECT 1, {key_aliases} FROM "redline news")
    WHERE NOT (SELECT ok FROM "redline unique") GROUP BY {keys} HAVING olds > 1 OR news > 1 LIMIT 3),
"redline checked" AS (
    SELECT CASE WHEN system.main.count(*) > 0 THEN system.main.error(system.main.concat(
        'not_unique: rows of one side share a key ', {key_text}, ': ', system.main.string_agg(system.main.concat({key_values}, ' (',
            olds, ' in old, ', news, ' in new)'), '; '),
        '. Give a key that names one row, or none, to compare whole rows')) END AS ok
    FROM "redline repeated"),
-- The rows that may differ. Rows of one side are marked, since an absent row is a STRUCT of NULLs.
"redline delta" AS MATERIALIZED (
    SELECT CASE WHEN old_here IS NULL THEN 'added' WHEN new_here IS NULL THEN 'removed' ELSE 'changed' END AS change, old[1] AS old, new[1] AS new,
        system.main.row_number() OVER () AS "redline number"
    FROM "redline joined" WHERE differs AND (SELECT ok FROM "redline checked") IS NULL),
-- Of those, the rows that differ in a column of both sides: the values of others are left out.
"redline shared olds" AS (
    SELECT "redline number", "redline shared" AS r FROM (SELECT "redline number", {shared} FROM (
        SELECT "redline number", system.main.struct_pack(v := {all_of_row}) FROM (
            SELECT "redline number", system.main.unnest(old) FROM "redline delta" WHERE change = 'changed')
        UNION ALL BY NAME SELECT *{without_ignored} FROM "redline sides")) "redline shared"),
"redline shared news" AS (
    SELECT "redline number", "redline shared" AS r FROM (SELECT "redline number", {shared} FROM (
        SELECT "redline number", system.main.struct_pack(v := {all_of_row}) FROM (
            SELECT "redline number", system.main.unnest(new) FROM "redline delta" WHERE change = 'changed')
        UNION ALL BY NAME SELECT *{without_ignored} FROM "redline sides")) "redline shared"),
"redline different" AS (
    SELECT old, new FROM "redline delta" WHERE change = 'changed' AND "redline number" IN (
        SELECT "redline number" FROM "redline shared olds" o JOIN "redline shared news" n USING ("redline number") WHERE {rows_differ})),
-- The two rows of a change below each other: so each column is compared without knowing its name.
"redline stacked" AS (
    SELECT 0 AS "redline side", NULL AS "redline nothing", old AS "redline old", new AS "redline new", system.main.unnest(old)
    FROM "redline different"
    UNION ALL SELECT 1, NULL, NULL, NULL, system.main.unnest(new) FROM "redline different"),
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
        CASE WHEN old_type IS NOT NULL AND new_type IS NOT NULL THEN system.main.struct_pack(name := name,
            is_old_json := old_type = 'JSON' AND new_type <> 'JSON', is_new_json := new_type = 'JSON' AND old_type <> 'JSON') END ORDER BY position)) AS names
    FROM "redline columns"),
-- A text of JSON is the text itself where the other side is no JSON.
"redline changed" AS (
    SELECT old, new, system.main.list_filter(system.main.list_transform(cells, lambda cell, place:
            CASE WHEN cell IS NOT NULL THEN system.main.struct_pack(column_name := names[place].name,
                old_value := CASE WHEN names[place].is_old_json THEN {plain_old} ELSE cell.old_value END,
                new_value := CASE WHEN names[place].is_new_json THEN {plain_new} ELSE cell.new_value END,
                difference := cell.difference, is_json := names[place].is_old_json OR names[place].is_new_json) END),
        lambda cell: cell.column_name IS NOT NULL AND (NOT cell.is_json OR cell.old_value IS DISTINCT FROM cell.new_value)) AS cells
    FROM "redline listed", "redline names")
