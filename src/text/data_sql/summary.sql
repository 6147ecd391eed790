, "redline cells" AS (
    SELECT column_name, system.main.count(*) AS cells_changed, system.main.fsum(difference) AS difference
    FROM (SELECT system.main.unnest(cells, max_depth := 2) FROM "redline changed") GROUP BY column_name),
"redline totals" AS (
    SELECT (SELECT system.main.count(*) FROM "redline olds") AS olds,
        (SELECT system.main.count(*) FILTER (change = 'added') FROM "redline delta") AS rows_added,
        (SELECT system.main.count(*) FILTER (change = 'removed') FROM "redline delta") AS rows_removed,
        (SELECT system.main.count(*) FILTER (system.main.len(cells) > 0) FROM "redline changed") AS rows_changed)
SELECT rows_added::BIGINT AS rows_added, rows_removed::BIGINT AS rows_removed, rows_changed::BIGINT AS rows_changed,
    system.main.subtract(system.main.subtract(olds, rows_removed), rows_changed)::BIGINT AS rows_unchanged,
    (SELECT coalesce(system.main.sum(cells_changed), 0)::BIGINT FROM "redline cells") AS cells_changed,
    (SELECT coalesce(system.main.list({column_name: column_name, cells_changed: cells_changed, difference: difference} ORDER BY position), [])
        FROM "redline cells" JOIN "redline types" ON name = column_name) AS columns,
    ARRAY(SELECT name FROM "redline columns" WHERE old_type IS NULL ORDER BY position) AS columns_added,
    ARRAY(SELECT name FROM "redline columns" WHERE new_type IS NULL ORDER BY position) AS columns_removed
FROM "redline totals"
