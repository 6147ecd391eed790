        -- A patch leaves out what is null: also a column that another version has.
        SELECT newest, NULL::VARCHAR AS error, value
        FROM (SELECT newest, system.main.file_at(file_path, commit_id, {repo}) AS place FROM "redline commits"
                WHERE status <> 'deleted' AND file_path ILIKE '%.parquet')
            JOIN (SELECT "redline place" AS place, system.main.json_merge_patch('{}',
                        system.main.json_merge_patch(system.main.to_json(versions), '{"redline place": null}'))::VARCHAR AS value
                FROM system.main.read_parquet(system.main.list_filter(system.main.file_versions_at({file}, {range}, {repo}),
                    lambda version: version ILIKE '%.parquet'), filename := 'redline place', union_by_name := true) AS versions)
            USING (place)
        UNION ALL
        SELECT newest, system.main.concat('the rows of ''', file_path, ''' are not read: it is no Parquet file'), NULL
        FROM "redline commits" WHERE status <> 'deleted' AND file_path NOT ILIKE '%.parquet'
