WITH "redline commits" AS MATERIALIZED (
    SELECT system.main.row_number() OVER () AS newest, commit_id, committer_date AS committed_at, author_name, subject, file_path, status
    FROM system.main.file_history({file}, {range}, {repo})),
-- A version that is not readable is one row without values.
"redline rows" AS MATERIALIZED (
    SELECT newest, error, value, {keys_of_value} FROM (
{values}    )),
"redline faults" AS MATERIALIZED (
    SELECT newest, system.main.any_value(error) AS error FROM "redline rows" WHERE error IS NOT NULL GROUP BY newest
    {key_faults}),
"redline good" AS MATERIALIZED (
    SELECT newest, system.main.row_number() OVER (ORDER BY newest DESC) AS version FROM "redline commits"
    WHERE newest NOT IN (SELECT newest FROM "redline faults")),
-- The rows that a version has and its neighbour has not, or not so.
"redline placed" AS MATERIALIZED (
    SELECT version, value, {keys}, system.main.lag(version) OVER same AS version_before, system.main.lag(value) OVER same AS value_before,
        system.main.lead(version) OVER same AS version_after
    FROM "redline rows" JOIN "redline good" USING (newest)
    WINDOW same AS (PARTITION BY {keys} ORDER BY version)
    QUALIFY version_before IS DISTINCT FROM system.main.subtract(version, 1) OR value_before IS DISTINCT FROM value
        OR version_after IS DISTINCT FROM system.main.add(version, 1)),
"redline events" AS (
    SELECT version, CASE WHEN version_before = system.main.subtract(version, 1) THEN 'changed' ELSE 'added' END AS change, {keys},
        CASE WHEN version_before = system.main.subtract(version, 1) THEN value_before END::JSON AS old, value::JSON AS new
    FROM "redline placed"
    WHERE version_before IS DISTINCT FROM system.main.subtract(version, 1) OR value_before IS DISTINCT FROM value
    UNION ALL
    SELECT system.main.add(version, 1), 'removed', {keys}, value::JSON, NULL
    FROM "redline placed"
    WHERE version_after IS DISTINCT FROM system.main.add(version, 1) AND version < (SELECT system.main.max(version) FROM "redline good"))
