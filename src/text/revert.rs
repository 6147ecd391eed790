//! The content of a file after an operation on it is undone; changes by others since then stay.

use crate::merge::{Merge, MergeOptions};
use crate::{CancelToken, Engine, is_binary};
use redline_base::budget::{Copied, Gather, Joined, lossy};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

/// A file's content and whether it may be run.
#[derive(Debug, PartialEq, Eq)]
pub struct Contents {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it is executable.
    pub executable: bool,
}

impl Clone for Contents {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.copied_vec(), executable: self.executable }
    }
}

/// A file, `None` where there is none.
pub type State = Option<Contents>;

/// The effect of an operation on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The file before.
    pub base: State,
    /// The file afterwards.
    pub result: State,
}

/// Why an operation on a file cannot be undone without changing the work of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflicting {
    /// It created the file, and others have changed it since.
    Changed,
    /// It changed the file, and others have removed it since.
    Removed,
    /// It removed the file, and others have created one since.
    Made,
    /// The file is not text, and others have changed it since.
    Binary,
    /// Others have changed the same lines since: the first line of each place, from 1, and its
    /// content.
    Lines(Vec<(usize, Vec<u8>)>),
}

/// A file that others have changed after an operation, and what they did.
pub type Conflict = (String, Conflicting);

/// Returns the error that shows the changes by others.
pub fn changed_since(conflicts: &[Conflict], hint: &str) -> Error {
    let reported: Vec<String> =
        conflicts.iter().take(limits::REPORTED_CONFLICTS).map(reported).gather();
    let more = conflicts.len() - reported.len();
    let more = if more > 0 { format!("; and {more} more files") } else { String::new() };
    Error::stale(format!("others have changed files since: {}{more}", reported.joined("; ")))
        .with_hint(hint)
}

fn reported((path, why): &Conflict) -> String {
    let path = quoted(path);
    match why {
        Conflicting::Changed => format!("{path}, which would be removed, was changed"),
        Conflicting::Removed => format!("{path} was removed"),
        Conflicting::Made => format!("{path} was made anew"),
        Conflicting::Binary => format!("{path} was changed and is not text"),
        Conflicting::Lines(places) => {
            let reported = places.iter().take(limits::REPORTED_CONFLICTS).map(|(line, bytes)| {
                let text = lossy(bytes).unwrap_or_default();
                format!("line {line} is now {}", quoted(text.trim_end_matches('\n')))
            });
            format!("in {path} {}", reported.gather::<Vec<_>>().joined(", "))
        }
    }
}

/// Returns the new state of the file.
///
/// # Errors
/// Why the query ended, `too_large` for texts that are not compared; in the inner result, the
/// changes by others.
pub fn reverted(
    engine: &mut Engine,
    now: State,
    step: &Step,
    cancel: &CancelToken<'_>,
) -> Result<std::result::Result<State, Conflicting>> {
    if now == step.result {
        return Ok(Ok(step.base.clone()));
    }
    if now == step.base {
        return Ok(Ok(now));
    }
    let (base, result, now) = match (&step.base, &step.result, now) {
        (_, None, _) => return Ok(Err(Conflicting::Made)),
        // Others have removed it, as undoing would.
        (None, Some(_), None) => return Ok(Ok(None)),
        (None, Some(_), Some(_)) => return Ok(Err(Conflicting::Changed)),
        (Some(_), Some(_), None) => return Ok(Err(Conflicting::Removed)),
        (Some(base), Some(result), Some(now)) => (base, result, now),
    };
    // A value that only one side changed is taken from that side.
    let executable =
        if now.executable == result.executable { base.executable } else { now.executable };
    let bytes = unmerged(engine, [base, result, &now], cancel)?;
    Ok(bytes.map(|bytes| Some(Contents { bytes, executable })))
}

/// Returns the current content without the changes from `base` to `result`.
fn unmerged(
    engine: &mut Engine,
    [base, result, now]: [&Contents; 3],
    cancel: &CancelToken<'_>,
) -> Result<std::result::Result<Vec<u8>, Conflicting>> {
    let texts = [&result.bytes[..], &now.bytes, &base.bytes];
    if now.bytes == result.bytes {
        return Ok(Ok(base.bytes.copied_vec()));
    }
    if base.bytes == result.bytes || now.bytes == base.bytes {
        return Ok(Ok(now.bytes.copied_vec()));
    }
    if texts.iter().any(|text| is_binary(text)) {
        return Ok(Err(Conflicting::Binary));
    }
    let options = MergeOptions::default();
    let merge = Merge::new(engine, texts, &options, cancel)?;
    let conflicts: Vec<(usize, Vec<u8>)> = merge
        .conflicts()
        .map(|conflict| (conflict.lines[1].start + 1, conflict.texts[1].copied_vec()))
        .gather();
    if conflicts.is_empty() {
        return Ok(Ok(merge.text(&options, cancel)?));
    }
    Ok(Err(Conflicting::Lines(conflicts)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: Option<&str>) -> State {
        text.map(|text| Contents { bytes: text.as_bytes().to_vec(), executable: false })
    }

    fn of_texts(
        base: Option<&str>,
        result: Option<&str>,
        now: Option<&str>,
    ) -> std::result::Result<State, Conflicting> {
        let step = Step { base: state(base), result: state(result) };
        reverted(&mut Engine::default(), state(now), &step, &CancelToken::never()).unwrap()
    }

    #[test]
    fn our_changes_go_and_those_of_others_stay() {
        let (old, new) = ("1\n2\n3\n4\n5\n", "1\ntwo\n3\n4\n5\n");
        for (base, result, now, expected) in [
            (Some(old), Some(new), Some(new), Some(old)),
            (Some(old), Some(new), Some(old), Some(old)),
            (Some(old), Some(new), Some("1\ntwo\n3\n4\nfive\n"), Some("1\n2\n3\n4\nfive\n")),
            (Some(old), Some(new), Some("0\n1\ntwo\n3\n4\n5\n"), Some("0\n1\n2\n3\n4\n5\n")),
            (None, Some(new), Some(new), None),
            (None, Some(new), None, None),
            (Some(old), None, None, Some(old)),
            (Some(old), None, Some(old), Some(old)),
            (Some("\0a"), Some("\0b"), Some("\0b"), Some("\0a")),
        ] {
            assert_eq!(
                of_texts(base, result, now),
                Ok(state(expected)),
                "{base:?} {result:?} {now:?}"
            );
        }
    }

    #[test]
    fn conflicting_changes_by_others_are_reported() {
        let (old, new) = ("1\n2\n3\n", "1\ntwo\n3\n");
        for (base, result, now, expected) in [
            (
                Some(old),
                Some(new),
                Some("1\nTWO\n3\n"),
                Conflicting::Lines(vec![(2, b"TWO\n".to_vec())]),
            ),
            (Some(old), Some(new), None, Conflicting::Removed),
            (None, Some(new), Some(old), Conflicting::Changed),
            (Some(old), None, Some(new), Conflicting::Made),
            (Some("\0a"), Some("\0b"), Some("\0c"), Conflicting::Binary),
        ] {
            assert_eq!(of_texts(base, result, now), Err(expected), "{base:?} {result:?} {now:?}");
        }
    }

    #[test]
    fn permissions_go_back_as_contents_do() {
        let file =
            |text: &str, executable| Some(Contents { bytes: text.as_bytes().to_vec(), executable });
        let step = Step { base: file("a\n", false), result: file("a\n", true) };
        for (now, expected) in [
            (file("a\n", true), file("a\n", false)),
            (file("b\n", true), file("b\n", false)),
            (file("b\n", false), file("b\n", false)),
        ] {
            let engine = &mut Engine::default();
            let found = reverted(engine, now, &step, &CancelToken::never()).unwrap();
            assert_eq!(found, Ok(expected));
        }
    }
}
