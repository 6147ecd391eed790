WITH RECURSIVE "redline old" AS (
    SELECT system.main.row_number() OVER () AS place, column_name AS name, {folded} AS folded, column_type AS type FROM (DESCRIBE FROM {old})),
"redline new" AS (
    SELECT system.main.row_number() OVER () AS place, column_name AS name, {folded} AS folded, column_type AS type FROM (DESCRIBE FROM {new})),
-- The content of each column, whatever the order of the rows.
"redline old contents" AS (
    SELECT system.main.unnest(contents, max_depth := 2), system.main.generate_subscripts(contents, 1) AS place
    FROM (SELECT system.main.list_value(*COLUMNS(*)) AS contents FROM (
        SELECT system.main.struct_pack(filled := system.main.count(COLUMNS(*)), content := system.main.sum(system.main.hash(COLUMNS(*)::VARCHAR))) FROM {old}))),
"redline new contents" AS (
    SELECT system.main.unnest(contents, max_depth := 2), system.main.generate_subscripts(contents, 1) AS place
    FROM (SELECT system.main.list_value(*COLUMNS(*)) AS contents FROM (
        SELECT system.main.struct_pack(filled := system.main.count(COLUMNS(*)), content := system.main.sum(system.main.hash(COLUMNS(*)::VARCHAR))) FROM {new}))),
"redline gone" AS (
    SELECT name, content, filled, system.main.row_number() OVER (PARTITION BY content, filled ORDER BY place) AS nth
    FROM "redline old contents" JOIN "redline old" o USING (place)
    WHERE filled > 0 AND NOT EXISTS (FROM "redline new" n WHERE n.folded = o.folded)),
"redline come" AS (
    SELECT name, content, filled, system.main.row_number() OVER (PARTITION BY content, filled ORDER BY place) AS nth
    FROM "redline new contents" JOIN "redline new" n USING (place)
    WHERE filled > 0 AND NOT EXISTS (FROM "redline old" o WHERE n.folded = o.folded)),
-- Each column of old with that of new that it is, by its name or by its content.
"redline same" AS (
    SELECT o.name AS old_name, n.name AS new_name, o.type AS old_type, n.type AS new_type, o.place AS old_position, n.place AS new_position
    FROM "redline old" o JOIN "redline new" n ON o.folded = n.folded
        OR EXISTS (FROM "redline gone" g JOIN "redline come" c ON g.content = c.content AND g.filled = c.filled AND g.nth = c.nth
            WHERE g.name = o.name AND c.name = n.name)),
-- The longest run of columns that are in the same order on both sides: the others have moved.
"redline order" AS (SELECT system.main.list(new_position ORDER BY old_position) AS places FROM "redline same"),
"redline runs" AS (
    SELECT 0 AS done, []::STRUCT(length BIGINT, run BIGINT[])[] AS runs
    UNION ALL
    SELECT system.main.add(done, 1), system.main.list_append(runs, system.main.struct_pack(
        length := system.main.add(1, coalesce(best.length, 0)), run := system.main.list_append(coalesce(best.run, []), place)))
    FROM (SELECT done, runs, place, system.main.list_max(system.main.list_filter(runs, lambda one: one.run[-1] < place)) AS best
        FROM (SELECT done, runs, places[system.main.add(done, 1)] AS place FROM "redline runs", "redline order"
            WHERE done < system.main.len(places)))),
"redline kept" AS (SELECT system.main.list_max(runs).run AS run FROM "redline runs" ORDER BY done DESC LIMIT 1)
SELECT change, old_name, new_name, old_type, new_type, old_position, new_position FROM (
    SELECT 1 AS kind, 'added' AS change, NULL::VARCHAR AS old_name, name AS new_name, NULL::VARCHAR AS old_type, type AS new_type,
        NULL::BIGINT AS old_position, place AS new_position
    FROM "redline new" n WHERE NOT EXISTS (FROM "redline same" WHERE new_name = n.name)
    UNION ALL SELECT 2, 'removed', name, NULL, type, NULL, place, NULL
    FROM "redline old" o WHERE NOT EXISTS (FROM "redline same" WHERE old_name = o.name)
    UNION ALL SELECT 3, 'renamed', old_name, new_name, old_type, new_type, old_position, new_position
    FROM "redline same" WHERE old_name <> new_name
    UNION ALL SELECT 4, 'retyped', old_name, new_name, old_type, new_type, old_position, new_position
    FROM "redline same" WHERE old_type <> new_type
    UNION ALL SELECT 5, 'moved', old_name, new_name, old_type, new_type, old_position, new_position
    FROM "redline same" WHERE NOT system.main.list_contains((SELECT run FROM "redline kept"), new_position))
ORDER BY kind, coalesce(old_position, new_position)
