SELECT CASE WHEN more > 0 THEN 'added' ELSE 'removed' END AS change, NULL::VARCHAR[] AS changed_columns,
    CASE WHEN more < 0 THEN r END AS old, CASE WHEN more > 0 THEN r END AS new
FROM (SELECT r, more, system.main.unnest(system.main.range(system.main.abs(more)::BIGINT)) FROM "redline counted")
ORDER BY r, change
