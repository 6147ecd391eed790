-- The types of each column on both sides, as two STRUCTs: that of a side which lacks the column has no `v`. No row is read for them.
-- A type that is not known, of a column of NULLs alone, is BOOLEAN.
WITH "redline old types" AS (SELECT system.main.replace_type(COLUMNS(*), NULL, NULL::BOOLEAN) FROM {old} WHERE false),
"redline new types" AS (SELECT system.main.replace_type(COLUMNS(*), NULL, NULL::BOOLEAN) FROM {new} WHERE false),
"redline sides" AS (
    SELECT system.main.struct_pack(o := system.main.struct_pack(v := COLUMNS(*), w := NULL::BIT), n := {no_value}) FROM "redline old types"
    UNION ALL BY NAME
    SELECT system.main.struct_pack(o := {no_value}, n := system.main.struct_pack(v := COLUMNS(*), w := NULL::BIT)) FROM "redline new types"),
-- A column of one side has its type on both. DuckDB 1.5.6 mistakes the types if the next step is taken in the same one.
"redline known" AS (SELECT system.main.struct_pack(o := {known_old}, n := {known_new}) FROM "redline sides"),
"redline paired" AS (
    SELECT system.main.struct_pack(o := system.main.struct_extract({old_type}, 'v'), n := system.main.struct_extract({new_type}, 'v'))
    FROM "redline known"),
"redline plain" AS (SELECT system.main.struct_pack(o := {old_type}, n := {new_type}, po := {old_plain}, pn := {new_plain}) FROM "redline paired"),
"redline old plain" AS (SELECT {plain_old_type} FROM "redline plain"),
"redline new plain" AS (SELECT {plain_new_type} FROM "redline plain"),
"redline both plain" AS (FROM "redline old plain" UNION ALL BY NAME FROM "redline new plain"),
-- The shapes of whole rows.
"redline old shape" AS (SELECT {shape} AS s FROM "redline old plain" "redline row"),
"redline new shape" AS (SELECT {shape} AS s FROM "redline new plain" "redline row"),
"redline both shape" AS (SELECT {shape} AS s FROM "redline both plain" "redline row"),
-- Of each column: its types; what UNION ALL would make of both (`m`); the shape of each with the fields of the other (`so`, `sn`), and of
-- `m` (`s`); the ranks of both (`r`), and of `m` (`rs`).
"redline unions" AS (
    SELECT system.main.struct_pack(o := {old_type}, n := {new_type}) FROM "redline plain"
    UNION ALL BY NAME SELECT system.main.struct_pack(m := COLUMNS(*)) FROM "redline both plain"
    UNION ALL BY NAME SELECT system.main.struct_pack(so := COLUMNS(*)) FROM (SELECT system.main.unnest(s) FROM (
        FROM "redline old shape" UNION ALL SELECT {fields} FROM "redline new shape"))
    UNION ALL BY NAME SELECT system.main.struct_pack(sn := COLUMNS(*)) FROM (SELECT system.main.unnest(s) FROM (
        FROM "redline new shape" UNION ALL SELECT {fields} FROM "redline old shape"))
    UNION ALL BY NAME SELECT system.main.struct_pack(s := {or_any}) FROM (SELECT system.main.unnest(s) FROM "redline both shape")
    UNION ALL BY NAME SELECT system.main.struct_pack(r := COLUMNS(*)) FROM (SELECT system.main.unnest(s) FROM (
        SELECT {ranks} AS s FROM "redline old shape" UNION ALL SELECT {ranks} FROM "redline new shape"))
    UNION ALL BY NAME SELECT system.main.struct_pack(rs := COLUMNS(*)) FROM (SELECT system.main.unnest(s) FROM (
        SELECT {ranks} AS s FROM "redline both shape"))),
-- The one type of each column, and so of a row; it lacks no column of either side.
"redline types of all" AS (SELECT {unified} FROM "redline unions"),
"redline form" AS (SELECT *{without_ignored} FROM "redline types of all"),
"redline olds" AS MATERIALIZED (
    SELECT system.main.cast_to_type("redline row", (SELECT "redline type" FROM "redline form" "redline type")) AS r FROM {old} AS "redline row"),
"redline news" AS MATERIALIZED (
    SELECT system.main.cast_to_type("redline row", (SELECT "redline type" FROM "redline form" "redline type")) AS r FROM {new} AS "redline row"),
-- The columns in their order, but those of the key. They are numbered, since alias() of a column may answer for another: DuckDB
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
