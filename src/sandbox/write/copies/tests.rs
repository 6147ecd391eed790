use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use redline_base::error::ErrorKind;

/// Rules with a directory of their own.
fn rules<'a>(access: &'a Access, temporary: &'a Path, bytes: u64) -> CopyRules<'a> {
    CopyRules { access, temporary: temporary.to_str(), bytes, name: "the_setting" }
}

fn add(
    copies: &Copies,
    rules: CopyRules<'_>,
    key: &str,
    name: &str,
    bytes: &[u8],
) -> Result<PathBuf> {
    let copy = CopyAs { key, name, size: bytes.len() as u64 };
    copies.add(rules, copy, &HashSet::new(), |sink| sink.write(bytes))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_copy_is_for_its_user_alone_and_ends_with_the_database() {
    let (temp, access) = (tempfile::tempdir().unwrap(), Access::new(true, &[]));
    let copies = Copies::default();
    let path = add(&copies, rules(&access, temp.path(), 100), "ab12", "a.csv", b"one").unwrap();
    assert!(path.ends_with("ab12/a.csv"), "{path:?}");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&path), 0o400);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(path.parent().unwrap().parent().unwrap()), 0o700);
    assert_eq!(std::fs::read(&path).unwrap(), b"one");
    let other = CopyAs { key: "ab12", name: "b.csv", size: 3 };
    let linked = copies.find(other).unwrap().unwrap();
    assert_eq!(linked.metadata().unwrap().ino(), path.metadata().unwrap().ino());
    assert_eq!(copies.find(CopyAs { name: "a.csv", ..other }).unwrap(), Some(path));
    drop(copies);
    assert_eq!(names(temp.path()), Vec::<String>::new());
}

#[test]
fn a_directory_that_is_missing_is_made_and_removed() {
    let (temp, access) = (tempfile::tempdir().unwrap(), Access::new(true, &[]));
    let copies = Copies::default();
    let made = temp.path().join("made");
    add(&copies, rules(&access, &made, 100), "ab", "a", b"one").unwrap();
    assert!(made.is_dir());
    drop(copies);
    assert!(!made.exists());
}

#[test]
fn what_was_used_longest_ago_goes_first_and_what_is_held_stays() {
    let (temp, access) = (tempfile::tempdir().unwrap(), Access::new(true, &[]));
    let copies = Copies::default();
    let rules = rules(&access, temp.path(), 10);
    let is_kept = |key| copies.find(CopyAs { key, name: "a", size: 4 }).unwrap().is_some();
    for key in ["a1", "b2"] {
        add(&copies, rules, key, "a", b"four").unwrap();
    }
    assert!(is_kept("a1"));
    add(&copies, rules, "c3", "a", b"four").unwrap();
    assert_eq!(["a1", "b2", "c3"].map(is_kept), [true, false, true]);
    let held = HashSet::from(["a1", "c3"].map(str::to_owned));
    let copy = CopyAs { key: "d4", name: "a", size: 4 };
    let error = copies.add(rules, copy, &held, |sink| sink.write(b"four")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(error.to_string().contains("12 bytes, and the_setting is 10"), "{error}");
    // Nothing is written before the bytes are counted.
    let error = add(&copies, rules, "e5", "a", &[0; 11]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}

#[test]
fn whatever_lies_in_the_place_of_a_copy_is_replaced() {
    let (temp, access) = (tempfile::tempdir().unwrap(), Access::new(true, &[]));
    let secret = temp.path().join("secret");
    std::fs::write(&secret, "out").unwrap();
    let copies = Copies::default();
    let below = temp.path().join("below");
    let rules = rules(&access, &below, 100);
    let path = add(&copies, rules, "ab12", "a.csv", b"one").unwrap();
    let directory = path.parent().unwrap();
    type Spoil = fn(&Path, &Path);
    let spoil: [(&str, Spoil); 6] = [
        ("link", |path, secret| {
            std::fs::remove_file(path).unwrap();
            symlink(secret, path).unwrap();
        }),
        ("directory", |path, _| {
            std::fs::remove_file(path).unwrap();
            std::fs::create_dir(path).unwrap();
        }),
        ("other content", |path, _| {
            std::fs::remove_file(path).unwrap();
            std::fs::write(path, "two").unwrap();
        }),
        ("linked directory", |path, secret| {
            let directory = path.parent().unwrap();
            std::fs::remove_dir_all(directory).unwrap();
            symlink(secret.parent().unwrap(), directory).unwrap();
        }),
        ("file for directory", |path, _| {
            let directory = path.parent().unwrap();
            std::fs::remove_dir_all(directory).unwrap();
            std::fs::write(directory, "two").unwrap();
        }),
        ("nothing at all", |path, _| {
            std::fs::remove_dir_all(path.parent().unwrap().parent().unwrap()).unwrap();
        }),
    ];
    for (what, spoil) in spoil {
        let path = add(&copies, rules, "ab12", "a.csv", b"one").unwrap();
        spoil(&path, &secret);
        let path = add(&copies, rules, "ab12", "a.csv", b"one").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one", "{what}");
        assert!(path.symlink_metadata().unwrap().is_file(), "{what}");
        assert_eq!(std::fs::read(&secret).unwrap(), b"out", "{what}");
    }
    assert!(directory.starts_with(below.canonicalize().unwrap()));
}

#[test]
fn a_copy_of_another_size_is_not_kept() {
    let (temp, access) = (tempfile::tempdir().unwrap(), Access::new(true, &[]));
    let copies = Copies::default();
    let rules = rules(&access, temp.path(), 100);
    let copy = CopyAs { key: "ab", name: "a", size: 4 };
    for bytes in [&b"five!"[..], b"one"] {
        let written = copies.add(rules, copy, &HashSet::new(), |sink| sink.write(bytes));
        assert_eq!(written.unwrap_err().kind(), ErrorKind::Stale);
        assert_eq!(copies.find(copy).unwrap(), None);
    }
    let own = temp.path().join(&names(temp.path())[0]);
    assert_eq!(names(&own), Vec::<String>::new());
}

#[test]
fn directories_without_a_lock_are_removed_and_others_stay() {
    let (temp, access) = (tempfile::tempdir().unwrap(), Access::new(true, &[]));
    let left = |name: &str| {
        let left = temp.path().join(name).join("ab");
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("a.csv"), "left").unwrap();
    };
    left("redline-copies-0123456789abcdef");
    left("redline-copies-mine");
    left("redline-copies-0123456789abcdeg");
    symlink(
        temp.path().join("redline-copies-mine"),
        temp.path().join("redline-copies-00000000000000ff"),
    )
    .unwrap();
    let (one, two) = (Copies::default(), Copies::default());
    let rules = rules(&access, temp.path(), 100);
    let first = add(&one, rules, "ab", "a", b"one").unwrap();
    let second = add(&two, rules, "ab", "a", b"two").unwrap();
    assert_eq!(
        (std::fs::read(first).unwrap(), std::fs::read(second).unwrap()),
        (b"one".to_vec(), b"two".to_vec())
    );
    drop((one, two));
    let kept = [
        "redline-copies-00000000000000ff",
        "redline-copies-0123456789abcdeg",
        "redline-copies-mine",
    ];
    assert_eq!(names(temp.path()), kept);
    assert!(temp.path().join("redline-copies-mine/ab/a.csv").exists());
}

#[test]
fn a_directory_that_duckdb_or_redline_may_not_use_is_passed_over() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap();
    for name in ["in", "out", "open", "a[1]"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    std::fs::set_permissions(root.join("open"), std::fs::Permissions::from_mode(0o777)).unwrap();
    let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
    let json = format!(r#"[{{"name":"w","root":"{}"}}]"#, at("in"));
    for (access, name, wanted) in [
        (Access::new(false, &[&at("in")]), "out", Err(ErrorKind::PermissionDenied)),
        (Access::new(false, &[&at("in")]), "in", Ok("in")),
        (Access::new(false, &[&at("in"), &at("later")]), "later", Ok("later")),
        (Access::new(false, &[]), "in", Err(ErrorKind::PermissionDenied)),
        (
            Access::new(false, &[&at("in")]).within(&json, 1000).unwrap(),
            "in",
            Err(ErrorKind::PermissionDenied),
        ),
        (Access::new(true, &[]).within(&json, 1000).unwrap(), "out", Ok("out")),
        (Access::new(true, &[]).within(&json, 1000).unwrap(), "in", Ok("")),
        (Access::new(true, &[]), "open", Ok("")),
        (Access::new(true, &[]), "a[1]", Ok("")),
    ] {
        let found =
            add(&Copies::default(), rules(&access, &root.join(name), 100), "ab", "a", b"one");
        match (found, wanted) {
            (Ok(path), Ok("")) => assert!(!path.starts_with(&root), "{name} {path:?}"),
            (Ok(path), Ok(name)) => assert!(path.starts_with(root.join(name)), "{name} {path:?}"),
            (found, wanted) => {
                assert_eq!(found.map_err(|error| error.kind()).err(), wanted.err(), "{name}")
            }
        }
    }
}
