, "redline totals" AS (
    SELECT (SELECT system.main.count(*) FROM "redline olds") AS olds,
        (SELECT coalesce(system.main.sum(more) FILTER (more > 0), 0) FROM "redline counted") AS rows_added,
        (SELECT coalesce(system.main.abs(system.main.sum(more) FILTER (more < 0)), 0) FROM "redline counted") AS rows_removed)
SELECT rows_added::BIGINT AS rows_added, rows_removed::BIGINT AS rows_removed, 0::BIGINT AS rows_changed,
    system.main.subtract(olds, rows_removed)::BIGINT AS rows_unchanged, 0::BIGINT AS cells_changed,
    []::STRUCT(column_name VARCHAR, cells_changed BIGINT, difference DOUBLE)[] AS columns,
    ARRAY(SELECT name FROM "redline columns" WHERE old_type IS NULL ORDER BY position) AS columns_added,
    ARRAY(SELECT name FROM "redline columns" WHERE new_type IS NULL ORDER BY position) AS columns_removed
FROM "redline totals"
