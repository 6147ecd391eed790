-- Table macros named after git's commands, with their defaults in the current directory: FROM git_log(). They are the table
-- functions with defaults, and their arguments are constants or parameters. Another extension, duck_tails, has functions of
-- some of these names: do not run this script beside it.
-- Made by `make sql` from redline_help(); do not edit.

-- A row per commit.
CREATE OR REPLACE MACRO git_log(range := 'HEAD', repo := '.', since := NULL, until := NULL, paths := NULL, first_parent := false,
        mailmap := true, notes_ref := NULL) AS TABLE
    SELECT * FROM system.main.commits(range, repo, since := since, until := until, paths := paths, first_parent := first_parent,
        mailmap := mailmap, notes_ref := notes_ref);

-- A row per changed file of one commit.
CREATE OR REPLACE MACRO git_show(rev := 'HEAD', repo := '.', merges := 'first_parent', since := NULL, until := NULL, mailmap := true,
        contains := NULL, changed_lines := NULL, algorithm := 'myers', ignore_whitespace := 'none', ignore_blank_lines := false,
        context := 3, inter_hunk_context := 0, renames := true, copies := false, similarity := 50, rename_limit := 1000, paths := NULL) AS
        TABLE
    SELECT * FROM system.main.commit_changes(system.main.concat(rev, '^!'), repo, merges := merges, since := since, until := until,
        mailmap := mailmap, contains := contains, changed_lines := changed_lines, algorithm := algorithm,
        ignore_whitespace := ignore_whitespace, ignore_blank_lines := ignore_blank_lines, context := context,
        inter_hunk_context := inter_hunk_context, renames := renames, copies := copies, similarity := similarity,
        rename_limit := rename_limit, paths := paths);

-- A row per file that is not as HEAD has it.
CREATE OR REPLACE MACRO git_status(repo := '.', renames := true, untracked := true, ignored := false, paths := NULL) AS TABLE
    SELECT * FROM system.main.file_status(repo, renames := renames, untracked := untracked, ignored := ignored, paths := paths);

-- A row per line, with the commit that it is from.
CREATE OR REPLACE MACRO git_blame(file, rev := 'WORKTREE', repo := '.', lines := NULL, ignore_whitespace := 'none', first_parent := false,
        since := NULL, mailmap := true, ignore_revs := NULL, moves := false, copies := 0) AS TABLE
    SELECT * FROM system.main.file_blame(file, rev, repo, lines := lines, ignore_whitespace := ignore_whitespace,
        first_parent := first_parent, since := since, mailmap := mailmap, ignore_revs := ignore_revs, moves := moves, copies := copies);

-- A row per file of a revision.
CREATE OR REPLACE MACRO git_files(rev := 'HEAD', repo := '.', paths := NULL) AS TABLE
    SELECT * FROM system.main.tree_files(rev, repo, paths := paths);

-- A row per reference.
CREATE OR REPLACE MACRO git_refs(repo := '.') AS TABLE
    SELECT * FROM system.main.refs(repo);
