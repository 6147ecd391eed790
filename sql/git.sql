-- Table macros named after git's commands, with their defaults in the current directory: FROM git_log(). They are the table
-- functions with defaults, and their arguments are constants or parameters. Another extension, duck_tails, has functions of
-- some of these names: do not run this script beside it.
-- Made by `make sql` from redline_help(); do not edit.

-- A row per commit.
CREATE OR REPLACE MACRO git_log(range := 'HEAD', repo := '.', since := NULL, until := NULL, paths := NULL, first_parent := false,
        mailmap := true, mailmap_file := NULL, notes_ref := NULL) AS TABLE
    SELECT * FROM system.main.commits(range, repo, since := since, until := until, paths := paths, first_parent := first_parent,
        mailmap := mailmap, mailmap_file := mailmap_file, notes_ref := notes_ref);
COMMENT ON MACRO TABLE git_log IS 'commits() with defaults: a row per commit';

-- A row per changed file of one commit.
CREATE OR REPLACE MACRO git_show(rev := 'HEAD', repo := '.', merges := 'first_parent', since := NULL, until := NULL, mailmap := true,
        mailmap_file := NULL, contains := NULL, changed_lines := NULL, algorithm := 'myers', ignore_whitespace := 'none',
        ignore_blank_lines := false, context := 3, inter_hunk_context := 0, renames := true, copies := false, similarity := 50,
        rename_limit := 1000, paths := NULL) AS TABLE
    SELECT * FROM system.main.commit_changes(system.main.concat(rev, '^!'), repo, merges := merges, since := since, until := until,
        mailmap := mailmap, mailmap_file := mailmap_file, contains := contains, changed_lines := changed_lines, algorithm := algorithm,
        ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines, context := context,
        inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths);
COMMENT ON MACRO TABLE git_show IS 'commit_changes() with defaults: a row per changed file of one commit';

-- A row per file that is not as HEAD has it.
CREATE OR REPLACE MACRO git_status(repo := '.', renames := true, untracked := true, ignored := false, paths := NULL) AS TABLE
    SELECT * FROM system.main.file_status(repo, renames := renames, untracked := untracked, ignored := ignored, paths := paths);
COMMENT ON MACRO TABLE git_status IS 'file_status() with defaults: a row per file that is not as HEAD has it';

-- A row per line, with the commit that it is from.
CREATE OR REPLACE MACRO git_blame(file, rev := 'WORKTREE', repo := '.', lines := NULL, ignore_whitespace := 'none', first_parent := false,
        since := NULL, mailmap := true, mailmap_file := NULL, ignore_revs := NULL, moves := false, copies := 0) AS TABLE
    SELECT * FROM system.main.file_blame(file, rev, repo, lines := lines, ignore_whitespace := ignore_whitespace,
        first_parent := first_parent, since := since, mailmap := mailmap, mailmap_file := mailmap_file, ignore_revs := ignore_revs,
        moves := moves, copies := copies);
COMMENT ON MACRO TABLE git_blame IS 'file_blame() with defaults: a row per line, with the commit that it is from';

-- A row per file of a revision.
CREATE OR REPLACE MACRO git_files(rev := 'HEAD', repo := '.', paths := NULL) AS TABLE
    SELECT * FROM system.main.tree_files(rev, repo, paths := paths);
COMMENT ON MACRO TABLE git_files IS 'tree_files() with defaults: a row per file of a revision';

-- A row per reference.
CREATE OR REPLACE MACRO git_refs(repo := '.') AS TABLE
    SELECT * FROM system.main.refs(repo);
COMMENT ON MACRO TABLE git_refs IS 'refs() with defaults: a row per reference';
