-- What a history says of its files and authors: table macros over commit_changes, commits and tree_blame. Every argument has
-- a default; the first is the range or the revision, the second the repository. Run once per database, after LOAD redline:
--   .read sql/analytics.sql
-- docs/analytics.md has the columns and examples, and the limits of each measure. What the parameters mean, which
-- redline_help() shows:
--   range: The commits: a revision with all its ancestors, a..b, a...b or ALL
--   rev: The commit whose files are measured; for blame also INDEX or WORKTREE
--   repo: The repository, or a directory in it
--   paths: Git pathspecs, a text or a list; NULL: all files
--   since: Only commits of this time or later, as git log --since; NULL: all
--   until: Only commits of this time or earlier, as git log --until; NULL: all
--   renames: Whether a file that is only renamed counts as changed by its differing lines alone
--   mailmap: Whether names are those of .mailmap
--   mailmap_file: The path of a mailmap of your own, whose entries are preferred; NULL: none
--   per: The length of a period: day, week, month, quarter or year, of the author's time in UTC
--   depth: How many components of a path name its directory; 0: the whole repository, NULL: each directory by itself
--   complexity: How complicated a file is: lines, or indentation
--   min_support: The least commits that both files of a pair are in
--   min_confidence: The least part of a file's commits that the other one is in, 0 to 1
--   max_files: Commits that change more files than this tell nothing and are left out
--   ignore_whitespace: For blame, as in file_blame: none, change or all
--   ignore_revs: For blame: commits to pass over, such as those that only reformat; NULL: none
--   threshold: The part of the lines that the authors of the factor wrote together, 0 to 1
--   as_of: The time at which ages end; NULL: that of the revision
--   pattern: The names of the tags that are releases, with * and ?
--
-- Everything is called by its full name, so that no macro of the database replaces a part of a measure; arithmetic too, since
-- DuckDB lets a macro replace an operator.
--
-- An author is a name after .mailmap, as `git shortlog` counts them. Changes are those of `git log --no-merges`: what a merge
-- brings is counted in the commits that it merges. Periods are those of the author's time, in UTC.

-- Churn: lines added and removed over a time.
--   J. C. Munson, S. G. Elbaum: Code Churn: A Measure for Estimating the Impact of Code Change. ICSM 1998.
--   N. Nagappan, T. Ball: Use of Relative Code Churn Measures to Predict System Defect Density. ICSE 2005.
-- additions, deletions: the sums of `git log --numstat`; churn: both together. A binary file has no lines.
-- A renamed file keeps its old changes under its old name; followed_changes (below) adds them up.

-- A row per file.
CREATE OR REPLACE MACRO file_churn(range := 'HEAD', repo := '.', paths := NULL, since := NULL, until := NULL, renames := true) AS TABLE
    SELECT file_path, system.main.count(*) AS commits, system.main.count(DISTINCT author_name) AS authors,
        coalesce(system.main.sum(additions), 0)::BIGINT AS additions, coalesce(system.main.sum(deletions), 0)::BIGINT AS deletions,
        coalesce(system.main.sum(system.main.add(additions, deletions)), 0)::BIGINT AS churn,
        system.main.min(author_date) AS first_change, system.main.max(author_date) AS last_change
    FROM system.main.commit_changes(range, repo, paths := paths, since := since, until := until, renames := renames)
    GROUP BY file_path ORDER BY churn DESC, file_path;

-- A row per directory: the first `depth` components of the path, or all with NULL; '.' is the root.
CREATE OR REPLACE MACRO directory_churn(range := 'HEAD', repo := '.', depth := 1, paths := NULL, since := NULL, until := NULL, renames := true) AS TABLE
    SELECT CASE WHEN system.main.length(top) = 0 THEN '.' ELSE top END AS directory, system.main.count(DISTINCT file_path) AS files,
        system.main.count(DISTINCT commit_id) AS commits, system.main.count(DISTINCT author_name) AS authors,
        coalesce(system.main.sum(additions), 0)::BIGINT AS additions, coalesce(system.main.sum(deletions), 0)::BIGINT AS deletions,
        coalesce(system.main.sum(system.main.add(additions, deletions)), 0)::BIGINT AS churn,
        system.main.min(author_date) AS first_change, system.main.max(author_date) AS last_change
    FROM (
        SELECT *, system.main.array_to_string(system.main.list_slice(parts, 1, system.main.least(depth, system.main.add(system.main.len(parts), -1))), '/') AS top
        FROM (
            SELECT *, system.main.string_split(file_path, '/') AS parts
            FROM system.main.commit_changes(range, repo, paths := paths, since := since, until := until, renames := renames)))
    GROUP BY top ORDER BY churn DESC, directory;

-- A row per author.
CREATE OR REPLACE MACRO author_churn(range := 'HEAD', repo := '.', paths := NULL, since := NULL, until := NULL, renames := true, mailmap := true, mailmap_file := NULL) AS TABLE
    SELECT author_name, system.main.count(DISTINCT commit_id) AS commits, system.main.count(DISTINCT file_path) AS files,
        coalesce(system.main.sum(additions), 0)::BIGINT AS additions, coalesce(system.main.sum(deletions), 0)::BIGINT AS deletions,
        coalesce(system.main.sum(system.main.add(additions, deletions)), 0)::BIGINT AS churn,
        system.main.min(author_date) AS first_change, system.main.max(author_date) AS last_change
    FROM system.main.commit_changes(range, repo, paths := paths, since := since, until := until, renames := renames, mailmap := mailmap, mailmap_file := mailmap_file)
    GROUP BY author_name ORDER BY churn DESC, author_name;

-- A row per day, week, month, quarter or year in which something changed; `period` is its first day.
CREATE OR REPLACE MACRO period_churn(range := 'HEAD', repo := '.', per := 'month', paths := NULL, since := NULL, until := NULL, renames := true) AS TABLE
    SELECT system.main.date_trunc(per, system.main.make_timestamp(system.main.epoch_us(author_date)))::DATE AS period,
        system.main.count(DISTINCT commit_id) AS commits, system.main.count(DISTINCT author_name) AS authors,
        system.main.count(DISTINCT file_path) AS files,
        coalesce(system.main.sum(additions), 0)::BIGINT AS additions, coalesce(system.main.sum(deletions), 0)::BIGINT AS deletions,
        coalesce(system.main.sum(system.main.add(additions, deletions)), 0)::BIGINT AS churn
    FROM system.main.commit_changes(range, repo, paths := paths, since := since, until := until, renames := renames)
    GROUP BY 1 ORDER BY 1;

-- A row per directory, as in directory_churn, and period, as in period_churn, in which something in it changed.
CREATE OR REPLACE MACRO directory_period_churn(range := 'HEAD', repo := '.', depth := 1, per := 'month', paths := NULL, since := NULL, until := NULL, renames := true) AS TABLE
    SELECT CASE WHEN system.main.length(top) = 0 THEN '.' ELSE top END AS directory,
        system.main.date_trunc(per, system.main.make_timestamp(system.main.epoch_us(author_date)))::DATE AS period,
        system.main.count(DISTINCT file_path) AS files, system.main.count(DISTINCT commit_id) AS commits,
        system.main.count(DISTINCT author_name) AS authors,
        coalesce(system.main.sum(additions), 0)::BIGINT AS additions, coalesce(system.main.sum(deletions), 0)::BIGINT AS deletions,
        coalesce(system.main.sum(system.main.add(additions, deletions)), 0)::BIGINT AS churn
    FROM (
        SELECT *, system.main.array_to_string(system.main.list_slice(parts, 1, system.main.least(depth, system.main.add(system.main.len(parts), -1))), '/') AS top
        FROM (
            SELECT *, system.main.string_split(file_path, '/') AS parts
            FROM system.main.commit_changes(range, repo, paths := paths, since := since, until := until, renames := renames)))
    GROUP BY 1, 2 ORDER BY directory, period;

-- History through renames: the rows of commit_changes, with the name that each file got in the end as current_path. To add up
-- the changes of a file under all its names, group by current_path.
-- A change is followed to the next rename of its path in a newer commit, as far as the path is not deleted before. A change
-- after which the path is renamed away, with no new file of that name between, was made on another branch and goes the
-- same way. Renames made by a merge are not seen.
CREATE OR REPLACE MACRO followed_changes(range := 'HEAD', repo := '.', since := NULL, until := NULL) AS TABLE
    WITH RECURSIVE
    -- pos counts from the newest change.
    changed AS MATERIALIZED (
        SELECT system.main.row_number() OVER () AS pos, commit_id, author_name, author_email, author_date, committer_date, subject,
            file_path, status, old_path, similarity, additions, deletions, is_binary
        FROM system.main.commit_changes(range, repo, renames := true, since := since)),
    -- Up to the empty line, this is in every macro that follows renames: make sql copies it.
    -- Where a name ends, and the name of the file from there on.
    endings AS MATERIALIZED (
        SELECT old_path AS path, pos, file_path AS next_path FROM changed WHERE status = 'renamed'
        UNION ALL SELECT file_path, pos, NULL FROM changed WHERE status = 'deleted'),
    renamings AS MATERIALIZED (
        SELECT e.pos, e.next_path, CASE WHEN n.next_path IS NOT NULL THEN n.pos END AS next_pos
        FROM (SELECT * FROM endings WHERE next_path IS NOT NULL) e ASOF LEFT JOIN endings n ON e.next_path = n.path AND e.pos > n.pos),
    finals AS (
        SELECT pos, next_path AS current_path FROM renamings WHERE next_pos IS NULL
        UNION ALL SELECT r.pos, f.current_path FROM renamings r JOIN finals f ON r.next_pos = f.pos),
    -- The origin of the name at a change: a new file, or a rename that left none.
    births AS (
        SELECT file_path AS path, pos, false AS is_gone FROM changed WHERE status IN ('added', 'renamed')
        UNION ALL SELECT path, pos, true FROM endings WHERE next_path IS NOT NULL),
    placed AS (
        SELECT c.*, CASE WHEN c.status = 'deleted' THEN NULL WHEN b.is_gone THEN b.pos WHEN n.next_path IS NOT NULL THEN n.pos END AS next_pos
        FROM changed c ASOF LEFT JOIN endings n ON c.file_path = n.path AND c.pos > n.pos
        ASOF LEFT JOIN births b ON c.file_path = b.path AND c.pos <= b.pos),
    followed AS (
        SELECT coalesce(f.current_path, p.file_path) AS current_path, p.* FROM placed p LEFT JOIN finals f ON p.next_pos = f.pos
        WHERE until IS NULL OR p.committer_date <= until)

    SELECT * EXCLUDE (pos, next_pos) FROM followed ORDER BY pos;

-- Hotspots: files that are both complicated and often changed.
--   A. Tornhill: Your Code as a Crime Scene. Pragmatic Bookshelf 2015 (and its tool, Code Maat).
--   A. Hindle, M. W. Godfrey, R. C. Holt: Reading Beside the Lines: Indentation as a Proxy for Complexity Metrics. ICPC 2008.
-- complexity: 'lines', or 'indentation': the leading whitespace of all lines in steps of four spaces or a tab, which finds
-- nesting in any language. score: commits and complexity, each divided by its largest value, multiplied: 1 is the file that
-- leads in both. Changes are those of the file under all its names, as in followed_changes.
CREATE OR REPLACE MACRO hotspots(rev := 'HEAD', repo := '.', paths := NULL, since := NULL, until := NULL, complexity := 'lines') AS TABLE
    WITH RECURSIVE
    changed AS MATERIALIZED (
        SELECT system.main.row_number() OVER () AS pos, author_name, committer_date, file_path, status, old_path, additions, deletions
        FROM system.main.commit_changes(rev, repo, renames := true, since := since)),
    -- As in followed_changes.
    endings AS MATERIALIZED (
        SELECT old_path AS path, pos, file_path AS next_path FROM changed WHERE status = 'renamed'
        UNION ALL SELECT file_path, pos, NULL FROM changed WHERE status = 'deleted'),
    renamings AS MATERIALIZED (
        SELECT e.pos, e.next_path, CASE WHEN n.next_path IS NOT NULL THEN n.pos END AS next_pos
        FROM (SELECT * FROM endings WHERE next_path IS NOT NULL) e ASOF LEFT JOIN endings n ON e.next_path = n.path AND e.pos > n.pos),
    finals AS (
        SELECT pos, next_path AS current_path FROM renamings WHERE next_pos IS NULL
        UNION ALL SELECT r.pos, f.current_path FROM renamings r JOIN finals f ON r.next_pos = f.pos),
    births AS (
        SELECT file_path AS path, pos, false AS is_gone FROM changed WHERE status IN ('added', 'renamed')
        UNION ALL SELECT path, pos, true FROM endings WHERE next_path IS NOT NULL),
    placed AS (
        SELECT c.*, CASE WHEN c.status = 'deleted' THEN NULL WHEN b.is_gone THEN b.pos WHEN n.next_path IS NOT NULL THEN n.pos END AS next_pos
        FROM changed c ASOF LEFT JOIN endings n ON c.file_path = n.path AND c.pos > n.pos
        ASOF LEFT JOIN births b ON c.file_path = b.path AND c.pos <= b.pos),
    followed AS (
        SELECT coalesce(f.current_path, p.file_path) AS current_path, p.* FROM placed p LEFT JOIN finals f ON p.next_pos = f.pos
        WHERE until IS NULL OR p.committer_date <= until),

    counted AS (
        SELECT current_path AS path, system.main.count(*) AS commits, system.main.count(DISTINCT author_name) AS authors,
            coalesce(system.main.sum(system.main.add(additions, deletions)), 0)::BIGINT AS churn
        FROM followed GROUP BY current_path),
    -- All lines of a revision are its additions to the empty tree.
    sized AS (
        SELECT file_path, additions AS lines, CASE complexity WHEN 'lines' THEN additions::DOUBLE
            WHEN 'indentation' THEN system.main."/"(system.main.length(system.main.replace(system.main.array_to_string(
                system.main.regexp_extract_all(system.main.file_content(file_path, rev, repo), '(?m)^([ \t]*)[^ \t\r\n]', 1), ''),
                system.main.chr(9), '    ')), 4)
            ELSE system.main.error('invalid_args: complexity is lines or indentation') END AS measure
        FROM system.main.file_changes('EMPTY', rev, repo, paths := paths)
        WHERE NOT is_binary AND new_mode IN ('100644', '100755'))
    SELECT s.file_path, c.commits, c.authors, c.churn, s.lines, s.measure AS complexity,
        system.main.multiply(system.main."/"(c.commits, system.main.max(c.commits) OVER ()),
            system.main."/"(s.measure, system.main.max(s.measure) OVER ())) AS score
    FROM sized s JOIN counted c ON s.file_path = c.path
    ORDER BY score DESC, s.file_path;

-- Co-change: files that change in the same commits (logical or change coupling).
--   H. Gall, K. Hajek, M. Jazayeri: Detection of Logical Coupling Based on Product Release History. ICSM 1998.
--   T. Zimmermann, P. Weissgerber, S. Diehl, A. Zeller: Mining Version Histories to Guide Software Changes. ICSE 2004.
-- support: commits that change both; confidence: of the commits that change file_path, the part that changes with_file too.
-- Commits of more than max_files files (a new licence header, a formatter) say nothing and are left out of all counts. The
-- defaults are those of Code Maat: at least 5 commits, 30 percent, at most 30 files. Files are counted under the names that
-- they got in the end, as in followed_changes.
CREATE OR REPLACE MACRO co_changes(range := 'HEAD', repo := '.', since := NULL, until := NULL, min_support := 5, min_confidence := 0.3, max_files := 30) AS TABLE
    WITH RECURSIVE
    changed AS MATERIALIZED (
        SELECT system.main.row_number() OVER () AS pos, commit_id, committer_date, file_path, status, old_path
        FROM system.main.commit_changes(range, repo, renames := true, since := since)),
    -- As in followed_changes.
    endings AS MATERIALIZED (
        SELECT old_path AS path, pos, file_path AS next_path FROM changed WHERE status = 'renamed'
        UNION ALL SELECT file_path, pos, NULL FROM changed WHERE status = 'deleted'),
    renamings AS MATERIALIZED (
        SELECT e.pos, e.next_path, CASE WHEN n.next_path IS NOT NULL THEN n.pos END AS next_pos
        FROM (SELECT * FROM endings WHERE next_path IS NOT NULL) e ASOF LEFT JOIN endings n ON e.next_path = n.path AND e.pos > n.pos),
    finals AS (
        SELECT pos, next_path AS current_path FROM renamings WHERE next_pos IS NULL
        UNION ALL SELECT r.pos, f.current_path FROM renamings r JOIN finals f ON r.next_pos = f.pos),
    births AS (
        SELECT file_path AS path, pos, false AS is_gone FROM changed WHERE status IN ('added', 'renamed')
        UNION ALL SELECT path, pos, true FROM endings WHERE next_path IS NOT NULL),
    placed AS (
        SELECT c.*, CASE WHEN c.status = 'deleted' THEN NULL WHEN b.is_gone THEN b.pos WHEN n.next_path IS NOT NULL THEN n.pos END AS next_pos
        FROM changed c ASOF LEFT JOIN endings n ON c.file_path = n.path AND c.pos > n.pos
        ASOF LEFT JOIN births b ON c.file_path = b.path AND c.pos <= b.pos),
    followed AS (
        SELECT coalesce(f.current_path, p.file_path) AS current_path, p.* FROM placed p LEFT JOIN finals f ON p.next_pos = f.pos
        WHERE until IS NULL OR p.committer_date <= until),

    together AS MATERIALIZED (
        SELECT commit_id, path, system.main.count(*) OVER (PARTITION BY path) AS commits
        FROM (
            SELECT commit_id, path, system.main.count(*) OVER (PARTITION BY commit_id) AS files
            FROM (SELECT DISTINCT commit_id, current_path AS path FROM followed))
        WHERE files <= max_files)
    SELECT a.path AS file_path, b.path AS with_file, system.main.count(*) AS support, a.commits, b.commits AS with_commits,
        system.main."/"(system.main.count(*), a.commits) AS confidence
    FROM together a JOIN together b ON a.commit_id = b.commit_id AND a.path <> b.path
    GROUP BY a.path, b.path, a.commits, b.commits
    HAVING support >= min_support AND confidence >= min_confidence
    ORDER BY support DESC, confidence DESC, a.path, with_file;

-- Ownership: whose lines are still there, by blame.
--   C. Bird, N. Nagappan, B. Murphy, H. Gall, P. Devanbu: Don't Touch My Code! Examining the Effects of Ownership on Software
--   Quality. FSE 2011 (by commits).
--   P. C. Rigby, Y. C. Zhu, S. M. Donadelli, A. Mockus: Quantifying and Mitigating Turnover-Induced Knowledge Loss. ICSE 2016
--   (by blame).
-- A row per file and author. share: the author's part of the file's lines. place: 1 is the owner. Lines that are not
-- committed have no author.
CREATE OR REPLACE MACRO file_owners(rev := 'HEAD', repo := '.', paths := NULL, ignore_whitespace := 'none', ignore_revs := NULL, mailmap_file := NULL) AS TABLE
    SELECT file_path, author_name, lines,
        system.main."/"(lines, system.main.sum(lines) OVER (PARTITION BY file_path)) AS share,
        system.main.row_number() OVER (PARTITION BY file_path ORDER BY lines DESC, author_name) AS place
    FROM (
        SELECT file_path, author_name, system.main.sum(lines)::BIGINT AS lines
        FROM system.main.tree_blame(rev, repo, paths := paths, ignore_whitespace := ignore_whitespace, ignore_revs := ignore_revs, mailmap_file := mailmap_file)
        GROUP BY file_path, author_name)
    ORDER BY file_path, place;

-- Bus factor: the smallest number of authors who wrote half of the current lines.
--   CHAOSS: Contributor Absence Factor (formerly Bus Factor), https://chaoss.community/kb/metric-bus-factor/ (of any kind of
--   contribution: here of lines, by blame).
-- A row per directory, the first `depth` components of the path: 0 is the whole repository, NULL every directory by itself.
-- threshold: the part of the lines that counts, from 0 to 1. owners: these authors, the largest part first.
CREATE OR REPLACE MACRO bus_factor(rev := 'HEAD', repo := '.', depth := 0, paths := NULL, threshold := 0.5, ignore_whitespace := 'none', ignore_revs := NULL, mailmap_file := NULL) AS TABLE
    WITH blamed AS MATERIALIZED (
        SELECT author_name, file_path, lines, CASE WHEN system.main.length(top) = 0 THEN '.' ELSE top END AS directory
        FROM (
            SELECT author_name, file_path, lines, system.main.array_to_string(
                system.main.list_slice(parts, 1, system.main.least(depth, system.main.add(system.main.len(parts), -1))), '/') AS top
            FROM (
                SELECT author_name, file_path, lines, system.main.string_split(file_path, '/') AS parts
                FROM system.main.tree_blame(rev, repo, paths := paths, ignore_whitespace := ignore_whitespace, ignore_revs := ignore_revs, mailmap_file := mailmap_file)
                WHERE author_name IS NOT NULL))),
    ranked AS (
        SELECT directory, author_name, lines, system.main.sum(lines) OVER (PARTITION BY directory) AS total,
            coalesce(system.main.sum(lines) OVER (PARTITION BY directory ORDER BY lines DESC, author_name
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
        FROM (SELECT directory, author_name, system.main.sum(lines)::BIGINT AS lines FROM blamed GROUP BY directory, author_name)),
    counted AS (SELECT directory, system.main.count(DISTINCT file_path) AS files FROM blamed GROUP BY directory)
    SELECT directory, any_files AS files, lines, authors, bus_factor, owners
    FROM (
        SELECT r.directory, system.main.any_value(c.files) AS any_files, system.main.any_value(r.total)::BIGINT AS lines,
            system.main.count(*) AS authors,
            system.main.count(*) FILTER (r.before < system.main.multiply(r.total, threshold)) AS bus_factor,
            system.main.list(r.author_name ORDER BY r.lines DESC, r.author_name) FILTER (r.before < system.main.multiply(r.total, threshold)) AS owners
        FROM ranked r JOIN counted c ON r.directory = c.directory
        GROUP BY r.directory)
    ORDER BY lines DESC, directory;

-- Code age: how long ago the lines that are there were written, by blame.
--   E. Bernhardsson: The half-life of code & the ship of Theseus. 2016 (and its tool, Git of Theseus).
--   A. Tornhill, as above (by the last change of a file: the column `newest`).
-- A row per file. Ages are complete days before as_of, by default the time of the revision's commit (HEAD's for INDEX and
-- WORKTREE): mean_days and median_days over the lines. Lines that are not committed are not counted.
CREATE OR REPLACE MACRO code_age(rev := 'HEAD', repo := '.', paths := NULL, as_of := NULL, ignore_whitespace := 'none', ignore_revs := NULL) AS TABLE
    WITH reference AS (
        SELECT system.main.epoch_us(coalesce(as_of::TIMESTAMPTZ, committer_date)) AS at
        FROM (SELECT committer_date FROM system.main.commits(
            CASE WHEN system.main.upper(rev) IN ('INDEX', 'STAGED', 'WORKTREE', 'WORKDIR') THEN 'HEAD' ELSE rev END, repo) LIMIT 1)),
    aged AS (
        SELECT b.file_path, b.lines, b.author_date,
            system.main.date_sub('day', system.main.make_timestamp(system.main.epoch_us(b.author_date)), system.main.make_timestamp(r.at)) AS days
        FROM system.main.tree_blame(rev, repo, paths := paths, ignore_whitespace := ignore_whitespace, ignore_revs := ignore_revs) b, reference r
        WHERE b.author_date IS NOT NULL),
    ranked AS (
        SELECT *, system.main.sum(lines) OVER (PARTITION BY file_path ORDER BY days) AS up_to, system.main.sum(lines) OVER (PARTITION BY file_path) AS total
        FROM aged)
    SELECT file_path, system.main.sum(lines)::BIGINT AS lines, system.main.min(author_date) AS oldest, system.main.max(author_date) AS newest,
        system.main."/"(system.main.sum(system.main.multiply(days, lines)), system.main.sum(lines)) AS mean_days,
        system.main.min(days) FILTER (system.main.add(up_to, up_to) >= total) AS median_days
    FROM ranked GROUP BY file_path ORDER BY median_days DESC, file_path;

-- A row per day, week, month, quarter or year in which lines that are there were written.
CREATE OR REPLACE MACRO code_cohorts(rev := 'HEAD', repo := '.', per := 'year', paths := NULL, ignore_whitespace := 'none', ignore_revs := NULL) AS TABLE
    SELECT period, system.main.count(DISTINCT file_path) AS files, system.main.count(DISTINCT author_name) AS authors,
        system.main.sum(lines)::BIGINT AS lines, system.main."/"(system.main.sum(lines), system.main.sum(system.main.sum(lines)) OVER ()) AS share
    FROM (
        SELECT file_path, author_name, lines, system.main.date_trunc(per, system.main.make_timestamp(system.main.epoch_us(author_date)))::DATE AS period
        FROM system.main.tree_blame(rev, repo, paths := paths, ignore_whitespace := ignore_whitespace, ignore_revs := ignore_revs)
        WHERE author_date IS NOT NULL)
    GROUP BY period ORDER BY period;

-- Releases: the tags whose names match a pattern of DuckDB's GLOB, in the order of time: that of an annotated tag, else that of
-- the commit. previous: the release before it in that order, whatever their branches.
CREATE OR REPLACE MACRO releases(repo := '.', pattern := '*') AS TABLE
    SELECT name, commit_id, released_at, system.main.lag(name) OVER (ORDER BY released_at, name) AS previous
    FROM (
        SELECT short_name AS name, commit_id, coalesce(tagged_at, committed_at) AS released_at
        FROM system.main.refs(repo) WHERE kind = 'tag' AND commit_id IS NOT NULL AND system.main."~~~"(short_name, pattern))
    ORDER BY released_at, name;

-- Survival: a row per release and period in which lines that it has were written, as code_cohorts of each release. What is left
-- of a period's lines in later releases is the curve of its survival (Bernhardsson, as above). Every release is blamed whole.
CREATE OR REPLACE MACRO code_survival(repo := '.', pattern := '*', per := 'year', paths := NULL, ignore_whitespace := 'none', ignore_revs := NULL) AS TABLE
    SELECT release, released_at, period, system.main.sum(lines)::BIGINT AS lines,
        system.main."/"(system.main.sum(lines), system.main.sum(system.main.sum(lines)) OVER (PARTITION BY release)) AS share
    FROM (
        SELECT release, released_at, run.lines AS lines,
            system.main.date_trunc(per, system.main.make_timestamp(system.main.epoch_us(run.author_date)))::DATE AS period
        FROM (
            SELECT name AS release, released_at, system.main.unnest(system.main.tree_blame_list(commit_id, repo, system.main.struct_pack(
                paths := paths, ignore_whitespace := ignore_whitespace, ignore_revs := ignore_revs))) AS run
            FROM (
                SELECT short_name AS name, commit_id, coalesce(tagged_at, committed_at) AS released_at
                FROM system.main.refs(repo) WHERE kind = 'tag' AND commit_id IS NOT NULL AND system.main."~~~"(short_name, pattern))))
    WHERE period IS NOT NULL
    GROUP BY release, released_at, period ORDER BY released_at, release, period;

-- Activity: who commits when. No tree is read. Merges are counted, as in `git shortlog -sn`, and also by themselves.

-- A row per author.
CREATE OR REPLACE MACRO authors(range := 'HEAD', repo := '.', paths := NULL, since := NULL, until := NULL, mailmap := true, mailmap_file := NULL) AS TABLE
    SELECT author_name, system.main.list(DISTINCT author_email ORDER BY author_email) AS emails, system.main.count(*) AS commits,
        system.main.count(*) FILTER (system.main.len(parent_ids) > 1) AS merges,
        system.main.count(DISTINCT system.main.make_timestamp(system.main.epoch_us(author_date))::DATE) AS active_days,
        system.main.min(author_date) AS first_commit, system.main.max(author_date) AS last_commit
    FROM system.main.commits(range, repo, paths := paths, since := since, until := until, mailmap := mailmap, mailmap_file := mailmap_file)
    GROUP BY author_name ORDER BY commits DESC, author_name;

-- A row per author and day, week, month, quarter or year.
CREATE OR REPLACE MACRO author_activity(range := 'HEAD', repo := '.', per := 'month', paths := NULL, since := NULL, until := NULL, mailmap := true, mailmap_file := NULL) AS TABLE
    SELECT system.main.date_trunc(per, system.main.make_timestamp(system.main.epoch_us(author_date)))::DATE AS period, author_name,
        system.main.count(*) AS commits, system.main.count(*) FILTER (system.main.len(parent_ids) > 1) AS merges,
        system.main.count(DISTINCT system.main.make_timestamp(system.main.epoch_us(author_date))::DATE) AS active_days
    FROM system.main.commits(range, repo, paths := paths, since := since, until := until, mailmap := mailmap, mailmap_file := mailmap_file)
    GROUP BY 1, author_name ORDER BY 1, commits DESC, author_name;

-- What duckdb_functions() and redline_help() say of them.
COMMENT ON MACRO TABLE file_churn IS 'How much each file changed: commits, authors, added and removed lines';
COMMENT ON MACRO TABLE directory_churn IS 'How much each directory changed, to a depth';
COMMENT ON MACRO TABLE author_churn IS 'How much each author changed';
COMMENT ON MACRO TABLE period_churn IS 'How much changed in each day, week, month, quarter or year';
COMMENT ON MACRO TABLE directory_period_churn IS 'How much each directory changed in each period';
COMMENT ON MACRO TABLE followed_changes IS 'The rows of commit_changes() with the name that each file got in the end';
COMMENT ON MACRO TABLE hotspots IS 'Files that are both complicated and often changed, the most so first';
COMMENT ON MACRO TABLE co_changes IS 'Pairs of files that change in the same commits';
COMMENT ON MACRO TABLE file_owners IS 'Whose lines each file has now, by blame';
COMMENT ON MACRO TABLE bus_factor IS 'How few authors wrote half of the lines of each directory';
COMMENT ON MACRO TABLE code_age IS 'How old the lines of each file are, by blame';
COMMENT ON MACRO TABLE code_cohorts IS 'How many lines that are there were written in each period';
COMMENT ON MACRO TABLE releases IS 'The tags of a pattern in the order of time, each with the one before it';
COMMENT ON MACRO TABLE code_survival IS 'What each release has left of the lines of each period';
COMMENT ON MACRO TABLE authors IS 'Who wrote commits: how many, when first and last';
COMMENT ON MACRO TABLE author_activity IS 'Who wrote commits in each period';
