SELECT {named_keys}change, commit_id, committed_at, author_name, subject, old, new, error FROM (
    SELECT newest, {keys}, change, old, new, NULL::VARCHAR AS error FROM "redline events" JOIN "redline good" USING (version)
    UNION ALL SELECT newest, {null_keys}, 'unreadable', NULL, NULL, error FROM "redline faults") JOIN "redline commits" USING (newest)
ORDER BY newest DESC, {keys}, change
