SELECT {named_keys}column_name, old_value, new_value, change, commit_id, committed_at, author_name, subject FROM (
    SELECT version, {keys}, change, column_name, system.main.json_extract_string(old, place) AS old_value,
        system.main.json_extract_string(new, place) AS new_value
    FROM (SELECT *, system.main.concat('/', system.main.replace(system.main.replace(column_name, '~', '~0'), '/', '~1')) AS place
        FROM (SELECT *, system.main.unnest(system.main.list_distinct(system.main.list_concat(
            system.main.json_keys(old), system.main.json_keys(new)))) AS column_name FROM "redline events"))
    WHERE column_name NOT IN ({key_literals}))
JOIN "redline good" USING (version) JOIN "redline commits" USING (newest)
WHERE old_value IS DISTINCT FROM new_value
ORDER BY newest DESC, {keys}, column_name
