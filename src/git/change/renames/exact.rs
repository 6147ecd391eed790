//! Pairs files that moved without a change: the same id on both sides.

use std::collections::{HashMap, VecDeque};

use super::{Board, FULL};
use crate::{Entry, Mode, Oid};
use redline_text::cancel_token::{CancelToken, Stopped};

/// The number of free sources with the same content that git tries for an added file.
const LOOKED_AT: usize = 100;

/// The key of equal files: the id, and the mode unless it is a regular file's.
type Key = (Oid, Option<Mode>);

fn key(entry: &Entry) -> Key {
    (entry.oid, (!entry.mode.is_regular()).then_some(entry.mode))
}

/// Pairs every added file with an equal source; prefers an unused one, then one of the same name,
/// then the first.
pub fn pair(board: &mut Board<'_>, cancel: &CancelToken<'_>) -> Result<(), Stopped> {
    let mut pace = cancel.pace();
    let mut same: HashMap<Key, VecDeque<usize>> = HashMap::new();
    for target in &board.targets {
        same.entry(key(&target.file.entry)).or_default();
    }
    for (at, source) in board.sources.iter().enumerate() {
        pace.spend(1)?;
        if let Some(sources) = same.get_mut(&key(&source.file.entry)) {
            sources.push_back(at);
        }
    }
    let is_backwards = counts_backwards(board.sources.len());
    for at in 0..board.targets.len() {
        let target = &board.targets[at];
        let Some(sources) = same.get_mut(&key(&target.file.entry)) else { continue };
        let mut best: Option<(usize, u8)> = None;
        for step in 0..sources.len().min(LOOKED_AT) {
            pace.spend(1)?;
            let position = if is_backwards { sources.len() - 1 - step } else { step };
            let source = sources[position];
            let has_same_name = board.sources[source].name == target.name;
            let merit = u8::from(board.is_unused(source)) + u8::from(has_same_name);
            if best.is_none_or(|(_, best)| merit > best) {
                best = Some((position, merit));
            }
            if merit == 2 {
                break;
            }
        }
        if let Some((position, _)) = best {
            let source = sources[position];
            if !board.copies {
                // Used up; near an end of the queue, so that few others move.
                sources.remove(position);
            }
            board.claim(at, source, FULL);
        }
    }
    Ok(())
}

/// Tells whether git visits the sources with the same content in reverse order.
///
/// It keeps them in a hash table whose size depends on their number, rounded down, and that is at
/// most four fifths full: of 64 slots or four times as many, and so on. At certain numbers there is
/// one source too many, and the table is rebuilt with the last one, which reverses every chain.
fn counts_backwards(sources: usize) -> bool {
    let mut places = 64;
    while places < sources * 5 / 4 {
        places *= 4;
    }
    sources > places * 4 / 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_of_sources_turn_the_chains_around() {
        let found: Vec<usize> = (0..60_000).filter(|&sources| counts_backwards(sources)).collect();
        assert_eq!(found, [205, 3277, 52_429]);
    }
}
