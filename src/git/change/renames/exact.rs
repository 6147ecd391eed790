//! Files that moved without a change: the same id on both sides.

use std::collections::{HashMap, VecDeque};

use super::{Board, FULL};
use crate::git::{Entry, Mode, Oid};
use crate::text::cancel_token::{CancelToken, Stopped};

/// How many free sources of the same content git looks at for an added file.
const LOOKED_AT: usize = 100;

/// What files must share to be the same: the id, and the mode where it is no regular file's.
type Key = (Oid, Option<Mode>);

fn key(entry: &Entry) -> Key {
    (entry.oid, (!entry.mode.is_regular()).then_some(entry.mode))
}

/// Pairs every added file with a source that is the same; an unused one is preferred, and one of the same
/// name, and then the first.
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
            let source = &board.sources[sources[position]];
            let merit = u8::from(source.uses == 0) + u8::from(source.name == target.name);
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

/// Tells whether git meets the sources of the same content last to first.
///
/// It keeps them in a hash table that it sizes for their number, rounded down, to be four fifths full at most:
/// of 64 places or four times as many, and so on. One number for each of some sizes is a source too many, and
/// the table is rebuilt with the last one, which turns every chain around.
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
