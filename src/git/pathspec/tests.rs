use super::*;

fn filter(specs: &[&str], directory: &str) -> PathFilter {
    let specs: Vec<_> = specs.iter().map(|spec| Pathspec::parse(spec).unwrap()).collect();
    PathFilter::new(&specs, directory.as_bytes()).unwrap()
}

fn file() -> Mode {
    Mode::canonical(0o100_644)
}

fn submodule() -> Mode {
    Mode::canonical(0o160_000)
}

type Texts = &'static [&'static str];

#[test]
fn a_path_is_named_as_git_names_it() {
    // The directory, the pathspecs, the paths that they select, the paths that they do not.
    let rows: &[(&str, Texts, Texts, Texts)] = &[
        ("", &[], &["a", "b/c"], &[]),
        ("", &["a"], &["a", "a/b"], &["ab", "a-b/c", "b/a"]),
        ("", &["a/"], &["a/b"], &["a", "ab/c"]),
        ("", &["a/b"], &["a/b", "a/b/c"], &["a", "a/bc"]),
        ("", &["."], &["a", "b/c"], &[]),
        ("", &["./a//b/./c/../d"], &["a/b/d"], &["a/b/c"]),
        ("", &["*.rs"], &["a.rs", "b/c.rs"], &["a.rsx"]),
        ("", &[":(glob)*.rs"], &["a.rs"], &["b/c.rs"]),
        ("", &[":(glob)**/*.rs"], &["a.rs", "b/c/d.rs"], &["a.py"]),
        ("", &[":(literal)*.rs"], &["*.rs"], &["a.rs"]),
        ("", &[":(icase)README.MD"], &["readme.md", "README.md"], &["readme.txt"]),
        ("", &["a", "b"], &["a", "b/c"], &["c"]),
        ("", &["a", ":!a/b"], &["a/c"], &["a/b", "a/b/c", "b"]),
        ("", &[":!a/b", "a"], &["a/c"], &["a/b", "b"]),
        ("", &[":!a", ":^b"], &["c"], &["a", "b/c"]),
        ("", &[":(exclude,glob)*.rs"], &["a/b.rs"], &["b.rs"]),
        ("", &[":(top,,icase)A"], &["a"], &["b"]),
        ("", &[":!(top)a"], &["a"], &["(top)a"]),
        ("", &["::a", ":::b", "./:c"], &["a", ":b", ":c"], &[":a", "b", "c"]),
        ("", &[":/a"], &["a"], &["b"]),
        ("", &[":/./a", ":(top)/a"], &[], &["a"]),
        ("f/", &[":"], &["f/a"], &["a"]),
        ("f/", &["a"], &["f/a"], &["a"]),
        ("f/", &["../a"], &["a"], &["f/a"]),
        ("f/", &[".."], &["a", "f/a"], &[]),
        ("f/", &[":/a"], &["a"], &["f/a"]),
        ("f/", &["*.rs"], &["f/a.rs", "f/g/a.rs"], &["a.rs"]),
        ("f/", &[":!a"], &["a", "f/b", "b"], &["f/a"]),
        ("f/", &[":!"], &["a"], &["f/a"]),
        ("f/", &[":(icase)A"], &["f/a"], &["F/a", "F/A"]),
        ("f/", &[":(icase)*A"], &["f/xa"], &["F/xa"]),
        ("[x]/", &["*.rs"], &["[x]/a.rs"], &["x/a.rs"]),
        // A directory with the same name as the wildcards.
        ("", &["[x]/*.rs"], &["[x]/a.rs", "x/a.rs"], &["[x]/a.py", "y/a.rs"]),
        ("", &["a/[x]/[y]"], &["a/[x]/y", "a/[x]/[y]", "a/x/y"], &["a/[x]/z"]),
    ];
    for (directory, specs, named, others) in rows {
        let filter = filter(specs, directory);
        for (path, wanted) in
            named.iter().map(|path| (path, true)).chain(others.iter().map(|path| (path, false)))
        {
            assert_eq!(
                filter.matches_in_tree(path.as_bytes(), file()),
                wanted,
                "{specs:?} in '{directory}' of {path}"
            );
        }
    }
}

#[test]
fn wildcards_are_compared_by_directory_in_a_tree_and_whole_in_the_index() {
    let rows: &[(&str, &str, [bool; 2])] = &[
        ("[x]/*.rs", "[x]/a.rs", [true, false]),
        ("[x]/*.rs", "x/a.rs", [true, true]),
        ("[x]/a.rs", "[x]/a.rs", [true, true]),
        ("a*/x", "a*/y", [true, false]),
        ("a*/x", "ab/c/x", [true, true]),
    ];
    for &(spec, path, wanted) in rows {
        let (filter, path) = (filter(&[spec], ""), path.as_bytes());
        let found = [filter.matches_in_tree(path, file()), filter.matches_in_list(path, file())];
        assert_eq!(found, wanted, "{spec} of {path:?}");
    }
}

#[test]
fn a_directory_of_named_paths_is_entered() {
    let paths = [
        "a",
        "a/b",
        "a/b/c.rs",
        "ab/c",
        "b/a",
        "b/c/d/e.rs",
        "F/a",
        "f/a",
        "[x]/a.rs",
        "x/a.rs",
        "f/[x]/a.rs",
    ];
    let specs: &[&[&str]] = &[
        &["a"],
        &["a/"],
        &["a/b"],
        &["*.rs"],
        &["b/c/*"],
        &[":(icase)A"],
        &[":(icase)B/C"],
        &[":(glob)b/**/e.rs"],
        &["a", ":!a/b"],
        &[":!b"],
        &[":!*.rs"],
        &["[x]/*"],
        &[":(icase)F/[X]/*"],
    ];
    for directory in ["", "f/", "b/c/"] {
        for specs in specs {
            let filter = filter(specs, directory);
            for path in paths {
                let directories = path.match_indices('/').map(|(slash, _)| &path[..=slash]);
                let is_reached =
                    directories.clone().all(|directory| filter.may_enter(directory.as_bytes()));
                let is_named = filter.matches_in_tree(path.as_bytes(), file())
                    || filter.matches_in_list(path.as_bytes(), file());
                assert!(is_reached || !is_named, "{specs:?} in '{directory}' of {path}");
            }
        }
    }
}

#[test]
fn a_directory_without_named_paths_is_passed_by() {
    let rows: &[(Texts, Texts, Texts)] = &[
        (&["a/b/c"], &["a/", "a/b/", "a/b/c/", "a/b/c/d/"], &["b/", "a/c/", "ab/", "a/b/cd/"]),
        (&["a/b/*.rs"], &["a/", "a/b/", "a/b/c/"], &["b/", "a/c/"]),
        (&["a", ":!a/b"], &["a/", "a/c/"], &["a/b/", "b/"]),
        (&[":!a"], &["b/"], &["a/"]),
        (&[":(icase)A/b"], &["a/", "A/B/"], &["b/"]),
        (&["*.rs"], &["a/"], &[]),
    ];
    for (specs, entered, others) in rows {
        let filter = filter(specs, "");
        entered.iter().for_each(|directory| {
            assert!(filter.may_enter(directory.as_bytes()), "{specs:?} {directory}")
        });
        others.iter().for_each(|directory| {
            assert!(!filter.may_enter(directory.as_bytes()), "{specs:?} {directory}")
        });
    }
}

#[test]
fn a_submodule_goes_by_the_name_of_a_directory_and_a_file_does_not() {
    let filter = filter(&["lib/"], "");
    assert!(filter.matches_in_tree(b"lib", submodule()));
    assert!(!filter.matches_in_tree(b"lib", file()));
    assert!(!filter.matches_in_tree(b"li", submodule()));
}

#[test]
fn a_pathspec_that_means_nothing_is_an_error_that_names_it() {
    for (spec, words) in [
        ("", "a pathspec is ''"),
        (":(top", "the pathspec ':(top' has no ')'"),
        (":(", "the pathspec ':(' has no ')'"),
        (":(nope)a", "has the unknown magic 'nope'"),
        (":(TOP)a", "has the unknown magic 'TOP'"),
        (":(top )a", "has the unknown magic 'top '"),
        (":(prefix:0)a", "has the unknown magic 'prefix:0'"),
        (":&a", "has the unknown magic '&'"),
        (":!_a", "has the unknown magic '_'"),
        (":(literal,glob)a", "is both 'literal' and 'glob'"),
        (":(attr:x)a", "asks for attributes"),
        (":(attr)a", "asks for attributes"),
    ] {
        let error = Pathspec::parse(spec).unwrap_err().to_string();
        assert!(error.starts_with("invalid_args: ") && error.contains(words), "{error}");
        assert!(error.contains(spec), "{error}");
    }
}

#[test]
fn a_path_out_of_the_repository_is_an_error_that_names_it() {
    for (spec, directory) in [
        ("..", ""),
        ("../a", ""),
        ("a/../../b", ""),
        ("../../..", "f/g/"),
        ("/a", ""),
        ("/a", "f/"),
    ] {
        let error = PathFilter::new(&[Pathspec::parse(spec).unwrap()], directory.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(&format!("invalid_args: the pathspec '{spec}' ")), "{error}");
    }
}
