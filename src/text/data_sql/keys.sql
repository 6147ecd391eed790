SELECT name AS column_name FROM "redline types" JOIN (
    SELECT system.main.unnest(uniques) AS is_unique, system.main.generate_subscripts(uniques, 1) AS position
    FROM (SELECT system.main.list_value(*COLUMNS(*)) AS uniques FROM (
        SELECT system.main.count(DISTINCT COLUMNS(* EXCLUDE ("redline side"))) FILTER ("redline side" = 0) = system.main.count(*) FILTER ("redline side" = 0)
            AND system.main.count(DISTINCT COLUMNS(* EXCLUDE ("redline side"))) FILTER ("redline side" = 1) = system.main.count(*) FILTER ("redline side" = 1)
        FROM (SELECT 0 AS "redline side", system.main.unnest(r) FROM "redline olds" UNION ALL SELECT 1, system.main.unnest(r) FROM "redline news")))) USING (position)
WHERE is_unique ORDER BY position
