-- Table macros over the list functions: arguments may be columns, subqueries and lateral joins,
-- and the repository defaults to the current directory. Run once per database:
--   .read sql/macros.sql
--
-- The native file_changes and file_diff read only what the query asks for; these compute every
-- column. Use them where the arguments come from rows. Order by seq: DuckDB 1.5.6 reorders the
-- rows of a lateral join.

CREATE OR REPLACE MACRO file_changes_each(from_rev, to_rev, repo := '.') AS TABLE
    SELECT system.main.unnest(system.main.file_changes_list(from_rev, to_rev, repo), recursive := true);

CREATE OR REPLACE MACRO file_diff_each(file, from_rev, to_rev, repo := '.', context := 3) AS TABLE
    SELECT system.main.unnest(system.main.file_diff_list(file, from_rev, to_rev, repo, context), recursive := true);

CREATE OR REPLACE MACRO commits_each(range, repo := '.') AS TABLE
    SELECT system.main.unnest(system.main.commits_list(range, repo), recursive := true);

CREATE OR REPLACE MACRO refs_each(repo) AS TABLE
    SELECT system.main.unnest(system.main.refs_list(repo), recursive := true);

CREATE OR REPLACE MACRO tree_files_each(rev, repo := '.') AS TABLE
    SELECT system.main.unnest(system.main.tree_files_list(rev, repo), recursive := true);

CREATE OR REPLACE MACRO file_blame_each(file, rev, repo := '.') AS TABLE
    SELECT system.main.unnest(system.main.file_blame_list(file, rev, repo), recursive := true);

CREATE OR REPLACE MACRO file_history_each(file, rev, repo := '.') AS TABLE
    SELECT system.main.unnest(system.main.file_history_list(file, rev, repo), recursive := true);

CREATE OR REPLACE MACRO file_status_each(repo) AS TABLE
    SELECT system.main.unnest(system.main.file_status_list(repo), recursive := true);

-- Twins of the tools in SQL, with the same arguments and defaults. Without revisions they compare
-- the work tree with HEAD.

-- A row per changed file, as file_changes.
CREATE OR REPLACE MACRO git_diff_summary(from_rev := 'HEAD', to_rev := 'WORKTREE', path := '.') AS TABLE
    SELECT system.main.unnest(system.main.file_changes_list(from_rev, to_rev, path), recursive := true);

-- A row per line of one file's diff, as file_diff.
CREATE OR REPLACE MACRO git_diff_file(file_path, from_rev := 'HEAD', to_rev := 'WORKTREE', path := '.', context_lines := 3) AS TABLE
    SELECT system.main.unnest(system.main.file_diff_list(file_path, from_rev, to_rev, path, context_lines), recursive := true);

-- A row per line, of one file or of all that changed; order by file_path and seq.
CREATE OR REPLACE MACRO git_diff(from_rev := 'HEAD', to_rev := 'WORKTREE', file_path := NULL, path := '.', context_lines := 3) AS TABLE
    SELECT system.main.unnest(CASE WHEN file_path IS NULL
        THEN system.main.diff_lines_list(from_rev, to_rev, path, context_lines)
        ELSE system.main.list_transform(system.main.file_diff_list(file_path, from_rev, to_rev, path, context_lines),
            lambda l: system.main.struct_pack(file_path := file_path, seq := l.seq, line_type := l.line_type, content := l.content,
                old_line := l.old_line, new_line := l.new_line, hunk := l.hunk))
        END, recursive := true);

-- One row, as diff_texts and diff_files.
CREATE OR REPLACE MACRO diff_texts(text_a, text_b, context_lines := 3, label_a := 'a', label_b := 'b') AS TABLE
    SELECT system.main.unnest(d) FROM (SELECT system.main.diff_texts(text_a, text_b, context_lines, label_a, label_b) AS d);
CREATE OR REPLACE MACRO diff_paths(path_a, path_b, context_lines := 3, label_a := NULL, label_b := NULL) AS TABLE
    SELECT system.main.unnest(d) FROM (SELECT system.main.diff_files(path_a, path_b, context_lines, label_a, label_b) AS d);

-- The native functions without the arguments that are mostly the same: what is not committed in the current directory, or what
-- the named arguments say. They read only what the query asks for; their arguments are constants or parameters.

-- A row per changed file: FROM changes(); FROM changes('main', 'feature', paths := ['src']).
CREATE OR REPLACE MACRO changes(from_rev := 'HEAD', to_rev := 'WORKTREE', repo := '.', paths := NULL, renames := false, copies := false,
        similarity := 50, merge_base := false, untracked := false, ignore_whitespace := 'none', algorithm := 'myers') AS TABLE
    SELECT * FROM system.main.file_changes(from_rev, to_rev, repo, paths := paths, renames := renames, copies := copies, similarity := similarity,
        merge_base := merge_base, untracked := untracked, ignore_whitespace := ignore_whitespace, algorithm := algorithm);

-- A row per changed file, with its patch.
CREATE OR REPLACE MACRO patches(from_rev := 'HEAD', to_rev := 'WORKTREE', repo := '.', paths := NULL, context := 3, renames := false, copies := false,
        similarity := 50, merge_base := false, untracked := false, ignore_whitespace := 'none', algorithm := 'myers') AS TABLE
    SELECT * FROM system.main.file_patches(from_rev, to_rev, repo, paths := paths, context := context, renames := renames, copies := copies,
        similarity := similarity, merge_base := merge_base, untracked := untracked, ignore_whitespace := ignore_whitespace, algorithm := algorithm);

-- A row per line of the diff, of all files.
CREATE OR REPLACE MACRO change_lines(from_rev := 'HEAD', to_rev := 'WORKTREE', repo := '.', paths := NULL, context := 3, renames := false, copies := false,
        similarity := 50, merge_base := false, untracked := false, ignore_whitespace := 'none', algorithm := 'myers') AS TABLE
    SELECT * FROM system.main.diff_lines(from_rev, to_rev, repo, paths := paths, context := context, renames := renames, copies := copies,
        similarity := similarity, merge_base := merge_base, untracked := untracked, ignore_whitespace := ignore_whitespace, algorithm := algorithm);
