//! Rename and copy detection: the origins of added files, decided as in git.
//!
//! In this order, each step with the remaining files: files of the same id (`exact`); without
//! copies, files with a unique name (`inexact::by_name`); then every added file against every
//! source, the best pairs first (`inexact::by_content`). Only the last step obeys
//! `RenameOptions::limit`. The choice among equal pairs is git's too, and so is the order of
//! candidates: `test/python/parity/test_patches.py` compares all of it with git.
//!
//! Memory: a few words for each change, and fingerprints up to `HELD_BYTES`; contents are dropped
//! one by one, as soon as their fingerprint is computed.
//!
//! All changes are needed first, so while the workers wait for the walk, as many threads read the
//! files and compare them. Pieces of the old files are in an index (`text::similarity`), so that
//! an added file visits only what it has in common with them.

mod exact;
mod inexact;
mod shared_work;

use std::collections::HashMap;

use crate::model::changed_file::{Change, Entry, Origin};
use redline_base::error::Result;
use redline_base::limits;
use redline_text::CancelToken;

/// The score of equal files; scores are fractions of it.
const FULL: u32 = 60_000;

/// Bytes of fingerprints of old files that are held at once; beyond, new files are read again for
/// each such portion.
const HELD_BYTES: usize = limits::RENAME_BYTES;

/// The options of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenameOptions {
    /// Whether a changed file's old version may be the source of another file, as with `git diff
    /// -C`.
    pub copies: bool,
    /// The least similarity of a pair in percent; 0 means the default of 50, as in git, and 100 and
    /// above that files must be equal.
    pub similarity: u8,
    /// If the product of remaining sources and remaining added files exceeds the square of this,
    /// contents are not compared; 0: no limit.
    pub limit: u32,
}

impl RenameOptions {
    /// git's default for the least similarity.
    pub const SIMILARITY: u8 = 50;
    /// git's default for the limit.
    pub const LIMIT: u32 = 1000;

    fn least_score(&self) -> u32 {
        match self.similarity {
            0 => FULL / 2,
            percent => FULL / 100 * u32::from(percent.min(100)),
        }
    }
}

impl Default for RenameOptions {
    fn default() -> Self {
        Self { copies: false, similarity: Self::SIMILARITY, limit: Self::LIMIT }
    }
}

/// A regular file on one side of the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Version<'a> {
    /// Its path.
    pub path: &'a [u8],
    /// Its mode and id.
    pub entry: Entry,
}

/// Reads the compared files, on one thread.
pub trait Blobs: Send {
    /// Returns the size of a file's content, without reading it if possible.
    fn size(&mut self, file: &Version<'_>) -> Result<u64>;

    /// Replaces `bytes` by a file's content. Tells whether it is text, so that its line ends do not
    /// matter; attributes have precedence over the bytes.
    fn read(&mut self, file: &Version<'_>, bytes: &mut Vec<u8>) -> Result<bool>;
}

/// Finds the origins of added files, on a thread for each reader. Returns the rows in git's order:
/// that of the changes, without the deleted files that are an origin.
///
/// # Errors
/// Errors of `readers`, and why the query ended, soon after `cancel` asks for it.
pub fn pair<B: Blobs>(
    changes: Vec<Change>,
    options: &RenameOptions,
    readers: &mut [B],
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>> {
    pair_within(HELD_BYTES, changes, options, readers, cancel)
}

fn pair_within<B: Blobs>(
    held_bytes: usize,
    changes: Vec<Change>,
    options: &RenameOptions,
    readers: &mut [B],
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>> {
    let mut board = Board::new(&changes, options.copies);
    if !board.sources.is_empty() && !board.targets.is_empty() {
        exact::pair(&mut board, cancel)?;
        if options.least_score() < FULL {
            let mut search = inexact::Search::new(
                &mut board,
                options.least_score(),
                held_bytes,
                readers,
                cancel,
            );
            if !options.copies {
                search.by_name()?;
            }
            if search.is_within(options.limit) {
                search.by_content()?;
            }
        }
    }
    let Board { claims, uses, .. } = board;
    Ok(rows(changes, &claims, &uses))
}

/// The files to pair up, in the order of their changes.
struct Board<'a> {
    /// The old files.
    sources: Vec<Item<'a>>,
    /// The added files.
    targets: Vec<Item<'a>>,
    copies: bool,
    /// For each change, the origin of its added file, once it is found.
    claims: Vec<Option<Claim>>,
    /// For each change, the number of rows of its old file: its own unless the file was deleted,
    /// and one for each file made from it.
    uses: Vec<usize>,
}

/// A file to pair up.
struct Item<'a> {
    file: Version<'a>,
    /// Its change's position.
    change: usize,
    name: Name,
    /// The size of its content, once it is known.
    size: Option<u64>,
}

/// The origin of an added file.
#[derive(Clone, Copy)]
struct Claim {
    /// The position of the source's change.
    change: usize,
    score: u32,
}

/// The last component of a path, as a number.
type Name = u32;

impl<'a> Board<'a> {
    fn new(changes: &'a [Change], copies: bool) -> Self {
        let mut names = HashMap::new();
        let mut name = |path: &'a [u8]| {
            let start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
            let next = names.len() as Name;
            *names.entry(&path[start..]).or_insert(next)
        };
        let mut board = Self {
            sources: Vec::new(),
            targets: Vec::new(),
            copies,
            claims: vec![None; changes.len()],
            uses: vec![0; changes.len()],
        };
        for (change, Change { path, old, new, unmerged, .. }) in changes.iter().enumerate() {
            let mut item = |entry| {
                let (file, name) = (Version { path, entry }, name(path));
                Item { file, change, name, size: None }
            };
            match (*old, *new) {
                (Some(_), _) if *unmerged && !copies => {}
                (None, Some(entry)) => board.targets.push(item(entry)),
                (Some(entry), new) if new.is_none() || copies => {
                    board.sources.push(item(entry));
                    board.uses[change] = usize::from(new.is_some() || *unmerged);
                }
                _ => {}
            }
        }
        board
    }

    /// Tells whether a source has no row yet.
    fn is_unused(&self, source: usize) -> bool {
        self.uses[self.sources[source].change] == 0
    }

    /// Tells whether the origin of an added file is not found yet.
    fn is_open(&self, target: usize) -> bool {
        self.claims[self.targets[target].change].is_none()
    }

    fn claim(&mut self, target: usize, source: usize, score: u32) {
        let change = self.sources[source].change;
        self.uses[change] += 1;
        self.claims[self.targets[target].change] = Some(Claim { change, score });
    }
}

/// Creates the rows; the last of several files made from a deleted one is the renamed one.
fn rows(changes: Vec<Change>, claims: &[Option<Claim>], uses: &[usize]) -> Vec<Change> {
    let mut left = uses.to_vec();
    let mut origin = |change: &Change, claim: &Claim| {
        let source = &changes[claim.change];
        // Only a malformed tree has a path twice; git treats that file as neither renamed nor
        // copied.
        let origin = (source.path != change.path).then(|| {
            left[claim.change] -= 1;
            let similarity = (claim.score * 100 / FULL) as u8;
            Origin { path: source.path.clone(), is_copy: left[claim.change] > 0, similarity }
        });
        (source.old, origin)
    };
    let origins: Vec<_> = changes
        .iter()
        .zip(claims)
        .map(|(change, claim)| claim.as_ref().map(|claim| origin(change, claim)))
        .collect();
    let mut rows = Vec::new();
    for ((mut change, found), &uses) in changes.into_iter().zip(origins).zip(uses) {
        if let Some((old, origin)) = found {
            change.old = old;
            change.origin = origin;
        }
        let is_origin = change.new.is_none() && uses > 0 && !change.unmerged;
        // git keeps submodules that differ only in the index.
        let is_submodule = change.new.is_some_and(|new| new.mode.is_submodule());
        let is_same = change.origin.is_none()
            && change.old == change.new
            && !change.unmerged
            && !is_submodule;
        if !is_origin && !is_same {
            rows.push(change.shown());
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, Oid};
    use redline_base::error::Error;
    use redline_text::cancel_token::Stopped;
    use redline_text::is_binary;

    /// Contents by id: an id has those of 40 lines that its digits select.
    struct Lines;

    impl Blobs for Lines {
        fn size(&mut self, file: &Version<'_>) -> Result<u64> {
            let mut bytes = Vec::new();
            self.read(file, &mut bytes)?;
            Ok(bytes.len() as u64)
        }

        fn read(&mut self, file: &Version<'_>, bytes: &mut Vec<u8>) -> Result<bool> {
            let digits = file.entry.oid.to_string();
            bytes.clear();
            for (line, digit) in digits.chars().enumerate() {
                bytes.extend(format!("line {line} reads {digit}\n").into_bytes());
            }
            Ok(!is_binary(bytes))
        }
    }

    fn entry(digits: &str) -> Option<Entry> {
        let oid = Oid::from_hex(format!("{digits:0<40}").as_bytes()).unwrap();
        Some(Entry::object(Mode::canonical(0o100_644), oid))
    }

    fn change(path: &str, old: Option<Entry>, new: Option<Entry>) -> Change {
        Change::new(path.into(), old, new)
    }

    fn shown(rows: &[Change]) -> Vec<String> {
        let shown = |row: &Change| {
            let path = String::from_utf8_lossy(&row.path).into_owned();
            row.origin.iter().fold(path, |path, origin| {
                let old = String::from_utf8_lossy(&origin.path);
                let kind = if origin.is_copy { "Copied" } else { "Renamed" };
                format!("{old} > {path} {kind} {}", origin.similarity)
            })
        };
        rows.iter().map(shown).collect()
    }

    fn paired(changes: Vec<Change>, options: &RenameOptions) -> Vec<String> {
        let by_threads = |readers: &mut [Lines]| {
            shown(&pair(changes.clone(), options, readers, &CancelToken::never()).unwrap())
        };
        let paired = by_threads(&mut [Lines]);
        assert_eq!(by_threads(&mut [Lines, Lines, Lines]), paired);
        paired
    }

    #[test]
    fn the_last_of_several_copies_is_the_rename() {
        let changes = vec![
            change("a", None, entry("1")),
            change("b", entry("1"), None),
            change("c", None, entry("12")),
            change("d", None, entry("1")),
        ];
        assert_eq!(
            paired(changes.clone(), &RenameOptions::default()),
            ["b > a Renamed 100", "c", "d"]
        );
        let options = RenameOptions { copies: true, ..RenameOptions::default() };
        assert_eq!(
            paired(changes, &options),
            ["b > a Copied 100", "b > c Copied 97", "b > d Renamed 100"]
        );
    }

    #[test]
    fn a_changed_file_is_a_source_of_copies_and_keeps_its_row() {
        let changes = vec![change("a", entry("1"), entry("3")), change("b", None, entry("12"))];
        assert_eq!(paired(changes.clone(), &RenameOptions::default()), ["a", "b"]);
        let options = RenameOptions { copies: true, ..RenameOptions::default() };
        assert_eq!(paired(changes, &options), ["a", "a > b Copied 97"]);
    }

    #[test]
    fn a_limit_leaves_only_files_that_are_the_same_or_have_the_same_name() {
        let changes = vec![
            change("new/a", None, entry("12")),
            change("new/b", None, entry("2")),
            change("new/c", None, entry("34")),
            change("new/d", None, entry("4")),
            change("old/a", entry("1"), None),
            change("old/x", entry("2"), None),
            change("old/y", entry("3"), None),
        ];
        let pairing = |limit| {
            let options = RenameOptions { limit, ..RenameOptions::default() };
            pair(changes.clone(), &options, &mut [Lines], &CancelToken::never()).unwrap()
        };
        let limited =
            ["old/a > new/a Renamed 97", "old/x > new/b Renamed 100", "new/c", "new/d", "old/y"];
        assert_eq!(shown(&pairing(1)), limited);
        assert_eq!(shown(&pairing(2))[2..], ["old/y > new/c Renamed 97", "new/d"]);
        assert_eq!(pairing(0), pairing(2));
    }

    #[test]
    fn little_memory_and_many_threads_change_no_row() {
        let digits = |n: u32| {
            format!("{:0>8x}{:0>8x}", n.wrapping_mul(2_654_435_761), (n % 9) * 0x0110_1011)
        };
        let mut changes: Vec<Change> =
            (0..60).map(|n| change(&format!("a/{n}"), None, entry(&digits(n)))).collect();
        changes.extend((60..120).map(|n| change(&format!("b/{n}x"), entry(&digits(n)), None)));
        for copies in [false, true] {
            let options = RenameOptions { copies, ..RenameOptions::default() };
            let within = |held, readers: &mut [Lines]| {
                pair_within(held, changes.clone(), &options, readers, &CancelToken::never())
                    .unwrap()
            };
            let all = within(HELD_BYTES, &mut [Lines]);
            assert!(all.iter().filter(|row| row.origin.is_some()).count() > 30);
            for held in [0, 1, 300, 5000, HELD_BYTES] {
                assert_eq!(within(held, &mut [Lines]), all, "{held}");
                assert_eq!(within(held, &mut [Lines, Lines, Lines]), all, "{held}, three threads");
            }
        }
    }

    #[test]
    fn it_stops_when_asked() {
        let budget = redline_base::budget::Budget::default();
        budget.cancel();
        let changes = vec![change("a", entry("1"), None), change("b", None, entry("12"))];
        let cancel = CancelToken::of(&budget);
        let stopped = pair(changes, &RenameOptions::default(), &mut [Lines], &cancel);
        assert_eq!(stopped.unwrap_err().to_string(), Error::from(Stopped::Cancelled).to_string());
    }
}
