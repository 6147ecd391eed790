//! Tables keyed by object ids.
//!
//! Ids are hashed as a whole with a random seed per process: the author of a repository chooses its
//! ids, in a commit-graph even without objects, and 12,000 ids in one slot would take seconds.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

use crate::Oid;

/// A map keyed by object id.
pub type IdMap<V> = HashMap<Oid, V, Seeded>;

/// A set of object ids.
pub type IdSet = HashSet<Oid, Seeded>;

/// Creates the hashers of tables of ids.
#[derive(Debug, Clone, Copy)]
pub struct Seeded(u64);

/// Hashes an id by folded 64 x 64 -> 128-bit products of its words (the scheme of wyhash, by Wang
/// Yi).
#[derive(Debug)]
pub struct IdHasher(u64);

/// An odd number with half of its bits set, as in wyhash.
const FACTOR: u64 = 0xa076_1d64_78bd_642f;

impl Default for Seeded {
    fn default() -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        Self(*SEED.get_or_init(|| RandomState::new().build_hasher().finish()))
    }
}

impl BuildHasher for Seeded {
    type Hasher = IdHasher;

    fn build_hasher(&self) -> IdHasher {
        IdHasher(self.0)
    }
}

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut filled = [0; 8];
            filled[..word.len()].copy_from_slice(word);
            self.0 = folded_product(
                u64::from_le_bytes(filled) ^ self.0,
                FACTOR ^ self.0.rotate_left(32),
            );
        }
    }

    /// Mixes once more: ids that differ in the last word alone are multiples of one number before,
    /// which for some seeds crowd in a few slots.
    fn finish(&self) -> u64 {
        folded_product(self.0, FACTOR)
    }
}

/// Both halves of the product, one over the other.
fn folded_product(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    // Promise (survival): Ids that were chosen to collide cost nothing: tables of ids are seeded.
    #[test]
    fn ids_that_begin_or_end_alike_are_spread_over_a_table() {
        let id = |number: u32, at: usize| {
            let mut bytes = [7; 20];
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            Oid::Sha1(bytes)
        };
        // One seed for each round, and not that of the process: what fails once fails always.
        for (seed, at) in (0..200).flat_map(|round| [0, 4, 8, 12, 16].map(|at| (round, at))) {
            let seeded = Seeded(FACTOR.wrapping_mul(2 * seed + 1));
            let mut slots = vec![0u32; 4096];
            for number in 0..16_384 {
                let hash = seeded.hash_one(id(number, at));
                slots[(hash >> 52) as usize] += 1;
                slots[hash as usize % 4096] += 1;
            }
            // 8 are expected in each slot; random ids exceed 40 less than once in 10^12 rounds.
            assert!(
                slots.iter().all(|&count| count < 40),
                "{seed}, {at}: {:?}",
                slots.iter().max()
            );
        }
    }
}
