use std::path::Path;

use super::*;
use crate::Sandboxes;
use crate::fixture::writable;
use crate::write::recovery::settle;
use crate::write::staging::tests::LEFT;
use redline_base::error::ErrorKind;

/// Files of a directory: their paths, contents and whether they may be run.
fn found(root: &Path) -> Vec<(String, String, bool)> {
    use std::os::unix::fs::PermissionsExt;
    let mut files = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                files.push((format!("{name}/"), String::new(), false));
                directories.push(path);
            } else {
                let mode = path.metadata().unwrap().permissions().mode();
                files.push((name, std::fs::read_to_string(&path).unwrap(), mode & 0o111 != 0));
            }
        }
    }
    files.sort();
    files
}

fn filled() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(temp.path().join("d/e")).unwrap();
    for (path, content) in [("a", "a\n"), ("b", "b\n"), ("d/e/gone", "gone\n"), ("d/f", "f\n")] {
        std::fs::write(temp.path().join(path), content).unwrap();
    }
    temp
}

/// Returns a change of every kind: two updates, a file that is made, one that goes, one that moves
/// and may be run.
fn changes(sandboxes: &Sandboxes) -> Vec<Change<'_>> {
    let place = |path: &str| sandboxes.resolve_for_writing(&format!("w/{path}")).unwrap();
    let change = |path: &str, after: Option<After<'static>>| {
        let place = place(path);
        Change { before: place.read_for_writing().unwrap(), place, after }
    };
    let holds = |text: &str| Some(After { bytes: text.into(), executable: None, moved_from: None });
    let from = place("d/f");
    let moved_from = Some((from.clone(), from.read_for_writing().unwrap()));
    let moved = After { bytes: b"f moved\n".to_vec(), executable: Some(true), moved_from };
    let target = place("n/m/f");
    vec![
        change("a", holds("a new\n")),
        change("b", holds("b new\n")),
        change("new/c", holds("c\n")),
        change("d/e/gone", None),
        change("d/f", None),
        Change { before: Expected::Absent, place: target, after: Some(moved) },
    ]
}

#[test]
fn a_process_killed_at_any_step_leaves_all_or_nothing_after_the_next_operation() {
    let (untouched, changed) = (filled(), filled());
    let nothing = found(untouched.path());
    apply(&changes(&writable(changed.path())), || ()).unwrap();
    let all = found(changed.path());
    assert_eq!(
        all.iter().map(|(path, ..)| path.as_str()).collect::<Vec<_>>(),
        ["a", "b", "n/", "n/m/", "n/m/f", "new/", "new/c"]
    );
    let (mut steps, mut outcomes) = (0, [0, 0]);
    loop {
        let temp = filled();
        let root = temp.path().to_owned();
        let killed = std::thread::spawn(move || {
            let sandboxes = writable(&root);
            LEFT.with(|left| left.set(Some(steps)));
            let result = apply(&changes(&sandboxes), || ());
            LEFT.with(|left| left.set(None));
            result
        })
        .join();
        if killed.is_ok() {
            break;
        }
        let sandboxes = writable(temp.path());
        settle(&sandboxes.resolve("w/a").unwrap()).unwrap();
        let after = found(temp.path());
        assert!(after == nothing || after == all, "step {steps}: {after:?}");
        outcomes[usize::from(after == all)] += 1;
        steps += 1;
    }
    assert!(outcomes[0] > 10 && outcomes[1] > 0, "{outcomes:?}");
}

#[test]
fn a_file_that_changed_leaves_all_as_they_are() {
    let temp = filled();
    let sandboxes = writable(temp.path());
    let changes = changes(&sandboxes);
    std::fs::write(temp.path().join("b"), "other\n").unwrap();
    let before = found(temp.path());
    let error = apply(&changes, || panic!("nothing is done")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stale);
    assert_eq!(found(temp.path()), before);
}

#[test]
fn a_failure_in_the_middle_undoes_earlier_changes() {
    let temp = filled();
    let sandboxes = writable(temp.path());
    let mut changes = changes(&sandboxes);
    let place = sandboxes.resolve_for_writing("w/a/below").unwrap();
    let after = After { bytes: b"x".to_vec(), executable: None, moved_from: None };
    changes.push(Change { place, before: Expected::Absent, after: Some(after) });
    let before = found(temp.path());
    let error = apply(&changes, || panic!("nothing is done")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ToolFailed, "{error}");
    assert_eq!(found(temp.path()), before);
}

#[test]
fn one_file_by_two_changes_is_refused() {
    let temp = filled();
    let sandboxes = writable(temp.path());
    let mut changes = changes(&sandboxes);
    changes.push(changes[0].clone());
    assert_eq!(apply(&changes, || ()).unwrap_err().kind(), ErrorKind::InvalidArgs);
}
