        SELECT newest, data.error AS error,
            system.main.unnest(CASE WHEN data.error IS NOT NULL THEN [NULL::VARCHAR] ELSE data.rows END) AS value
        FROM (SELECT newest, system.main.data_rows(CASE WHEN status <> 'deleted'
                THEN system.main.file_content(file_path, commit_id, {repo}) END, file_path) AS data FROM "redline commits")
