SELECT change, {key_of_delta}, NULL::VARCHAR[] AS changed_columns, CASE WHEN change = 'removed' THEN old END AS old,
    CASE WHEN change = 'added' THEN new END AS new
FROM "redline delta" WHERE change <> 'changed'
UNION ALL
SELECT 'changed', {key_of_old}, system.main.list_transform(cells, lambda cell: cell.column_name), old, new
FROM "redline changed" WHERE system.main.len(cells) > 0
ORDER BY {key_places}
