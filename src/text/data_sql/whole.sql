"redline rows" AS (
    SELECT 0 AS side, "redline row" AS r
    FROM (SELECT * EXCLUDE ("redline side") FROM "redline both" WHERE "redline side" = 0) "redline row"
    UNION ALL SELECT 1, "redline row"
    FROM (SELECT * EXCLUDE ("redline side") FROM "redline both" WHERE "redline side" = 1) "redline row"),
-- Equal rows are counted on both sides.
"redline counted" AS (
    SELECT r, system.main.subtract(system.main.count(*) FILTER (side = 1), system.main.count(*) FILTER (side = 0)) AS more
    FROM "redline rows" GROUP BY r HAVING more <> 0)
