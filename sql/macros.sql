-- Table macros over the functions of redline, with defaults; those over the list functions take columns, subqueries and
-- lateral joins as arguments. Run once per database:
--   .read sql/macros.sql
-- What their parameters mean, which redline_help() shows:
--   text_a: The old text
--   text_b: The new text
--   path_a: The old file, as sandbox/relative/path
--   path_b: The new file, likewise
--   context_lines: Unchanged lines around a change
--   label_a: The name of the old side in the header
--   label_b: The name of the new side in the header
--   from_rev: The old side: a revision, INDEX, WORKTREE or EMPTY
--   to_rev: The new side, likewise
--   repo: The repository, or a directory in it
--   seen: The ids of hunks that were seen, hunk_id or context_id, as a list
--   renames: Whether a moved file is compared with the one it was
--   paths: Git pathspecs, a text or a list; NULL: all files

-- One row, as diff_texts and diff_files.
CREATE OR REPLACE MACRO diff_texts(text_a, text_b, context_lines := 3, label_a := 'a', label_b := 'b') AS TABLE
    SELECT system.main.unnest(d) FROM (SELECT system.main.diff_texts(text_a, text_b, context_lines, label_a, label_b) AS d);
CREATE OR REPLACE MACRO diff_paths(path_a, path_b, context_lines := 3, label_a := NULL, label_b := NULL) AS TABLE
    SELECT system.main.unnest(d) FROM (SELECT system.main.diff_files(path_a, path_b, context_lines, label_a, label_b) AS d);
COMMENT ON MACRO TABLE diff_texts IS 'One row: how two texts differ';
COMMENT ON MACRO TABLE diff_paths IS 'One row: how two files differ';

-- A row per hunk that is left to see, and per changed file without hunks: FROM review_left('main', 'feature', '.', (SELECT
-- list(hunk_id) || list(context_id) FROM 'seen-*.jsonl')). A hunk was seen where its context_id is among the ids; where only its lines are
-- (hunk_id), it is shown with known_lines.
CREATE OR REPLACE MACRO review_left(from_rev, to_rev, repo, seen, renames := false, paths := NULL) AS TABLE
    WITH seen_ids AS MATERIALIZED (SELECT DISTINCT id FROM (SELECT system.main.unnest(system.main.string_split(given, '+')) AS id
        FROM (SELECT system.main.unnest(seen::VARCHAR[]) AS given)) WHERE id IS NOT NULL),
    hunks AS (
        SELECT file_path, hunk, old_start, new_start, section, patch, hunk_id, context_id
        FROM system.main.diff_hunks(from_rev, to_rev, repo, renames := renames, paths := paths)
        UNION ALL
        SELECT file_path, NULL, NULL, NULL, NULL, patch, hunk_id, context_id
        FROM system.main.file_patches(from_rev, to_rev, repo, renames := renames, paths := paths) WHERE hunk_id IS NOT NULL)
    SELECT hunks.*, hunk_id IN (SELECT id FROM seen_ids) AS known_lines
    FROM hunks WHERE context_id NOT IN (SELECT id FROM seen_ids) ORDER BY file_path, hunk;
COMMENT ON MACRO TABLE review_left IS 'The hunks of a comparison that nobody has seen yet';

-- Made by `make sql` from redline_help(), from here to the end; do not edit.

-- The native functions with the defaults of `git diff HEAD` in the current directory. They read only what the query asks for;
-- their arguments are constants or parameters.

-- A row per changed file: FROM changes(); FROM changes('main', 'feature', paths := ['src']).
CREATE OR REPLACE MACRO changes(from_rev := 'HEAD', to_rev := 'WORKTREE', repo := '.', merge_base := false, untracked := false,
        algorithm := 'myers', ignore_whitespace := 'none', ignore_blank_lines := false, context := 3, inter_hunk_context := 0,
        renames := false, copies := false, similarity := 50, rename_limit := 1000, paths := NULL) AS TABLE
    SELECT * FROM system.main.file_changes(from_rev, to_rev, repo, merge_base := merge_base, untracked := untracked, algorithm := algorithm,
        ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines, context := context,
        inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths);
COMMENT ON MACRO TABLE changes IS 'file_changes() with defaults: a row per changed file';

-- A row per changed file, with its patch.
CREATE OR REPLACE MACRO patches(from_rev := 'HEAD', to_rev := 'WORKTREE', repo := '.', merge_base := false, untracked := false,
        algorithm := 'myers', ignore_whitespace := 'none', ignore_blank_lines := false, context := 3, inter_hunk_context := 0,
        renames := false, copies := false, similarity := 50, rename_limit := 1000, paths := NULL, merges := 'first_parent') AS TABLE
    SELECT * FROM system.main.file_patches(from_rev, to_rev, repo, merge_base := merge_base, untracked := untracked, algorithm := algorithm,
        ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines, context := context,
        inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths, merges := merges);
COMMENT ON MACRO TABLE patches IS 'file_patches() with defaults: a row per changed file, with its patch';

-- A row per line of the diff, of all files: FROM git_diff('main', 'feature', paths := ['src']).
CREATE OR REPLACE MACRO git_diff(from_rev := 'HEAD', to_rev := 'WORKTREE', repo := '.', merge_base := false, untracked := false,
        algorithm := 'myers', ignore_whitespace := 'none', ignore_blank_lines := false, context := 3, inter_hunk_context := 0,
        renames := false, copies := false, similarity := 50, rename_limit := 1000, paths := NULL, merges := 'first_parent') AS TABLE
    SELECT * FROM system.main.diff_lines(from_rev, to_rev, repo, merge_base := merge_base, untracked := untracked, algorithm := algorithm,
        ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines, context := context,
        inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths, merges := merges);
COMMENT ON MACRO TABLE git_diff IS 'diff_lines() with defaults: a row per line of the diff, of all files';

-- The list functions as tables: arguments and options may be columns or subqueries, of a lateral join too. They compute every
-- column, and a NULL argument gives no row. Order by seq: DuckDB 1.5.6 reorders the rows of a lateral join.

CREATE OR REPLACE MACRO file_changes_each(from_rev, to_rev, repo := '.', merge_base := false, untracked := false, algorithm := 'myers',
        ignore_whitespace := 'none', ignore_blank_lines := false, context := 3, inter_hunk_context := 0, renames := false, copies := false,
        similarity := 50, rename_limit := 1000, paths := NULL) AS TABLE
    SELECT system.main.unnest(system.main.file_changes_list(from_rev, to_rev, repo, system.main.struct_pack(merge_base := merge_base,
        untracked := untracked, algorithm := algorithm, ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines,
        context := context, inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths)), max_depth := 2);
COMMENT ON MACRO TABLE file_changes_each IS 'The rows of file_changes(), whose arguments may be columns';

CREATE OR REPLACE MACRO commit_changes_each(range, repo := '.', merges := 'skip', since := NULL, until := NULL, mailmap := true,
        mailmap_file := NULL, contains := NULL, changed_lines := NULL, algorithm := 'myers', ignore_whitespace := 'none',
        ignore_blank_lines := false, context := 3, inter_hunk_context := 0, renames := false, copies := false, similarity := 50,
        rename_limit := 1000, paths := NULL) AS TABLE
    SELECT system.main.unnest(system.main.commit_changes_list(range, repo, system.main.struct_pack(merges := merges, since := since,
        until := until, mailmap := mailmap, mailmap_file := mailmap_file, contains := contains, changed_lines := changed_lines,
        algorithm := algorithm, ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines, context := context,
        inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths)), max_depth := 2);
COMMENT ON MACRO TABLE commit_changes_each IS 'The rows of commit_changes(), whose arguments may be columns';

CREATE OR REPLACE MACRO file_diff_each(file, from_rev, to_rev, repo := '.', merge_base := false, untracked := false, algorithm := 'myers',
        ignore_whitespace := 'none', ignore_blank_lines := false, context := 3, inter_hunk_context := 0) AS TABLE
    SELECT system.main.unnest(system.main.file_diff_list(file, from_rev, to_rev, repo, system.main.struct_pack(merge_base := merge_base,
        untracked := untracked, algorithm := algorithm, ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines,
        context := context, inter_hunk_context := inter_hunk_context)), max_depth := 2);
COMMENT ON MACRO TABLE file_diff_each IS 'The rows of file_diff(), whose arguments may be columns';

CREATE OR REPLACE MACRO diff_lines_each(from_rev, to_rev, repo := '.', merge_base := false, untracked := false, algorithm := 'myers',
        ignore_whitespace := 'none', ignore_blank_lines := false, context := 3, inter_hunk_context := 0, renames := false, copies := false,
        similarity := 50, rename_limit := 1000, paths := NULL, merges := 'first_parent') AS TABLE
    SELECT system.main.unnest(system.main.diff_lines_list(from_rev, to_rev, repo, system.main.struct_pack(merge_base := merge_base,
        untracked := untracked, algorithm := algorithm, ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines,
        context := context, inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths, merges := merges)), max_depth := 2);
COMMENT ON MACRO TABLE diff_lines_each IS 'The rows of diff_lines(), whose arguments may be columns';

CREATE OR REPLACE MACRO diff_hunks_each(from_rev, to_rev, repo := '.', merge_base := false, untracked := false, algorithm := 'myers',
        ignore_whitespace := 'none', ignore_blank_lines := false, context := 3, inter_hunk_context := 0, renames := false, copies := false,
        similarity := 50, rename_limit := 1000, paths := NULL) AS TABLE
    SELECT system.main.unnest(system.main.diff_hunks_list(from_rev, to_rev, repo, system.main.struct_pack(merge_base := merge_base,
        untracked := untracked, algorithm := algorithm, ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines,
        context := context, inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths)), max_depth := 2);
COMMENT ON MACRO TABLE diff_hunks_each IS 'The rows of diff_hunks(), whose arguments may be columns';

CREATE OR REPLACE MACRO file_patches_each(from_rev, to_rev, repo := '.', merge_base := false, untracked := false, algorithm := 'myers',
        ignore_whitespace := 'none', ignore_blank_lines := false, context := 3, inter_hunk_context := 0, renames := false, copies := false,
        similarity := 50, rename_limit := 1000, paths := NULL, merges := 'first_parent') AS TABLE
    SELECT system.main.unnest(system.main.file_patches_list(from_rev, to_rev, repo, system.main.struct_pack(merge_base := merge_base,
        untracked := untracked, algorithm := algorithm, ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines,
        context := context, inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths, merges := merges)), max_depth := 2);
COMMENT ON MACRO TABLE file_patches_each IS 'The rows of file_patches(), whose arguments may be columns';

CREATE OR REPLACE MACRO commits_each(range, repo := '.', since := NULL, until := NULL, paths := NULL, first_parent := false,
        mailmap := true, mailmap_file := NULL, notes_ref := NULL) AS TABLE
    SELECT system.main.unnest(system.main.commits_list(range, repo, system.main.struct_pack(since := since, until := until, paths := paths,
        first_parent := first_parent, mailmap := mailmap, mailmap_file := mailmap_file, notes_ref := notes_ref)), max_depth := 2);
COMMENT ON MACRO TABLE commits_each IS 'The rows of commits(), whose arguments may be columns';

CREATE OR REPLACE MACRO refs_each(repo) AS TABLE
    SELECT system.main.unnest(system.main.refs_list(repo), max_depth := 2);
COMMENT ON MACRO TABLE refs_each IS 'The rows of refs(), whose arguments may be columns';

CREATE OR REPLACE MACRO file_status_each(repo, renames := true, untracked := true, ignored := false, paths := NULL) AS TABLE
    SELECT system.main.unnest(system.main.file_status_list(repo, system.main.struct_pack(renames := renames, untracked := untracked,
        ignored := ignored, paths := paths)), max_depth := 2);
COMMENT ON MACRO TABLE file_status_each IS 'The rows of file_status(), whose arguments may be columns';

CREATE OR REPLACE MACRO file_blame_each(file, rev, repo := '.', lines := NULL, ignore_whitespace := 'none', first_parent := false,
        since := NULL, mailmap := true, mailmap_file := NULL, ignore_revs := NULL, moves := false, copies := 0) AS TABLE
    SELECT system.main.unnest(system.main.file_blame_list(file, rev, repo, system.main.struct_pack(lines := lines,
        ignore_whitespace := ignore_whitespace, first_parent := first_parent, since := since, mailmap := mailmap,
        mailmap_file := mailmap_file, ignore_revs := ignore_revs, moves := moves, copies := copies)), max_depth := 2);
COMMENT ON MACRO TABLE file_blame_each IS 'The rows of file_blame(), whose arguments may be columns';

CREATE OR REPLACE MACRO file_history_each(file, rev, repo := '.', since := NULL, until := NULL, first_parent := false, mailmap := true,
        mailmap_file := NULL) AS TABLE
    SELECT system.main.unnest(system.main.file_history_list(file, rev, repo, system.main.struct_pack(since := since, until := until,
        first_parent := first_parent, mailmap := mailmap, mailmap_file := mailmap_file)), max_depth := 2);
COMMENT ON MACRO TABLE file_history_each IS 'The rows of file_history(), whose arguments may be columns';

CREATE OR REPLACE MACRO line_history_each(file, first, last, rev, repo := '.', since := NULL, until := NULL, first_parent := false,
        mailmap := true, mailmap_file := NULL) AS TABLE
    SELECT system.main.unnest(system.main.line_history_list(file, first, last, rev, repo, system.main.struct_pack(since := since,
        until := until, first_parent := first_parent, mailmap := mailmap, mailmap_file := mailmap_file)), max_depth := 2);
COMMENT ON MACRO TABLE line_history_each IS 'The rows of line_history(), whose arguments may be columns';

CREATE OR REPLACE MACRO tree_blame_each(rev, repo := '.', paths := NULL, ignore_whitespace := 'none', first_parent := false, since := NULL,
        mailmap := true, mailmap_file := NULL, ignore_revs := NULL, moves := false, copies := 0) AS TABLE
    SELECT system.main.unnest(system.main.tree_blame_list(rev, repo, system.main.struct_pack(paths := paths,
        ignore_whitespace := ignore_whitespace, first_parent := first_parent, since := since, mailmap := mailmap,
        mailmap_file := mailmap_file, ignore_revs := ignore_revs, moves := moves, copies := copies)), max_depth := 2);
COMMENT ON MACRO TABLE tree_blame_each IS 'The rows of tree_blame(), whose arguments may be columns';

CREATE OR REPLACE MACRO tree_files_each(rev, repo := '.', paths := NULL) AS TABLE
    SELECT system.main.unnest(system.main.tree_files_list(rev, repo, system.main.struct_pack(paths := paths)), max_depth := 2);
COMMENT ON MACRO TABLE tree_files_each IS 'The rows of tree_files(), whose arguments may be columns';

CREATE OR REPLACE MACRO file_outline_each(file, rev, repo := '.') AS TABLE
    SELECT system.main.unnest(system.main.file_outline_list(file, rev, repo), max_depth := 2);
COMMENT ON MACRO TABLE file_outline_each IS 'The rows of file_outline(), whose arguments may be columns';
