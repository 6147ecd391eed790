UNION ALL
    SELECT newest, system.main.concat('not_unique: the key ', {key_text}, ' names several rows or none: ',
        system.main.array_to_string(system.main.list_slice(system.main.list(said ORDER BY said), 1, 3), '; '))
    FROM (SELECT newest, system.main.concat({key_values}, ' (', system.main.count(*), ' rows)') AS said
        FROM "redline rows" WHERE error IS NULL GROUP BY newest, {keys} HAVING system.main.count(*) > 1 OR {key_is_null})
    GROUP BY newest
