SELECT {key_columns}, column_name, old_value, new_value, CASE WHEN old_type <> new_type THEN old_type END AS old_type,
    CASE WHEN old_type <> new_type THEN new_type END AS new_type
FROM (SELECT {key_of_old}, system.main.unnest(cells, max_depth := 2) FROM "redline changed") JOIN "redline types" ON name = column_name
ORDER BY {key_columns}, position
