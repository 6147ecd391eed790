-- The types of each column on both sides, as two STRUCTs: that of a side which lacks the column has no `v`. No row is read for them.
-- A type that is not known, of a column of NULLs alone, becomes that of any other or else BOOLEAN.
WITH "redline old types" AS (SELECT * FROM {old} WHERE false),
"redline new types" AS (SELECT * FROM {new} WHERE false),
"redline sides" AS (
    SELECT system.main.struct_pack(o := system.main.struct_pack(v := COLUMNS(*), w := NULL::BIT), n := system.main.struct_pack(w := NULL::BIT))
    FROM "redline old types"
    UNION ALL BY NAME SELECT system.main.struct_pack(o := system.main.struct_pack(v := CASE WHEN COLUMNS(*) IS NULL THEN false END))
    FROM "redline old types"
    UNION ALL BY NAME
    SELECT system.main.struct_pack(o := system.main.struct_pack(w := NULL::BIT), n := system.main.struct_pack(v := COLUMNS(*), w := NULL::BIT))
    FROM "redline new types"
    UNION ALL BY NAME SELECT system.main.struct_pack(n := system.main.struct_pack(v := CASE WHEN COLUMNS(*) IS NULL THEN false END))
    FROM "redline new types"),
-- A column of one side has its type on both. DuckDB 1.5.6 mistakes the types if the next step is taken in the same one.
"redline known" AS (SELECT system.main.struct_pack(o := {known_old}, n := {known_new}) FROM "redline sides"),
"redline paired" AS (
    SELECT system.main.struct_pack(o := system.main.struct_extract({old_type}, 'v'), n := system.main.struct_extract({new_type}, 'v'))
    FROM "redline known"),
-- What UNION ALL would make of both types (`m`), of each and a number (`fo`, `fn`), and of each and a STRUCT (`so`, `sn`); and
-- each without JSON (`po`, `pn`).
"redline unions" AS (
    SELECT system.main.struct_pack(o := {old_type}, n := {new_type}, m := {old_text}, fo := {old_time}, fn := {new_time}, so := {old_text}, sn := {new_text},
        po := {old_text}, pn := {new_text})
    FROM "redline paired"
    UNION ALL BY NAME SELECT system.main.struct_pack(m := {new_text}) FROM "redline paired"
    UNION ALL BY NAME SELECT system.main.struct_pack(
        fo := CASE WHEN COLUMNS(*) IS NULL THEN NULL::DOUBLE END, fn := CASE WHEN COLUMNS(*) IS NULL THEN NULL::DOUBLE END,
        so := CASE WHEN COLUMNS(*) IS NULL THEN {no_value} END, sn := CASE WHEN COLUMNS(*) IS NULL THEN {no_value} END) FROM "redline paired"),
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
