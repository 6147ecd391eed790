"redline rows" AS (SELECT 0 AS side, r FROM "redline olds" UNION ALL SELECT 1, r FROM "redline news"),
-- Equal rows are counted on both sides.
"redline counted" AS (
    SELECT r, system.main.subtract(system.main.count(*) FILTER (side = 1), system.main.count(*) FILTER (side = 0)) AS more
    FROM "redline rows" GROUP BY r HAVING more <> 0)
