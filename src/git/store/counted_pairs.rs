//! A cache of line counts for pairs of packed blobs, kept between queries.
//!
//! The blob of an id never changes, nor do its differing lines from another one with the same
//! options and attributes. So pages of changes can be read one by one without counting lines again.

use std::sync::{Mutex, PoisonError};

use quick_cache::UnitWeighter;
use quick_cache::sync::Cache;

use crate::Oid;
use crate::model::diff_attribute::DiffAttribute;
use redline_text::DiffOptions;

/// The most cached pairs of a repository; those not used recently are evicted.
const MAX_PAIRS: u64 = 1 << 17;

/// The most different rules; pairs counted by others are not cached.
const MAX_RULES: usize = 16;

/// The bytes of an entry besides its key and its value.
const ENTRY: usize = 48;

/// The key: two blobs (one may be absent) and the rules of the count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    /// The blob before.
    pub old: Option<Oid>,
    /// The blob after.
    pub new: Option<Oid>,
    /// The `diff` attributes of each.
    pub attributes: [DiffAttribute; 2],
    /// The number of further rules, from [`CountedPairs::rule`].
    pub rule: u8,
}

/// The rules for all pairs of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// How lines are compared.
    pub options: DiffOptions,
    /// The size in bytes above which blobs are binary.
    pub big_file_bytes: u64,
}

/// Added and removed lines; `None` for a binary file.
pub type Counts = Option<(u32, u32)>;

/// The recently counted pairs.
pub struct CountedPairs {
    counts: Cache<Pair, Counts>,
    rules: Mutex<Vec<Rule>>,
}

impl Default for CountedPairs {
    fn default() -> Self {
        let counts = Cache::with_weighter(0, MAX_PAIRS, UnitWeighter);
        Self { counts, rules: Mutex::default() }
    }
}

impl CountedPairs {
    /// Returns the number of a rule; `None` if there are too many.
    pub fn rule(&self, rule: Rule) -> Option<u8> {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let found = rules.iter().position(|known| *known == rule);
        let number = found.or_else(|| {
            (rules.len() < MAX_RULES).then(|| {
                rules.push(rule);
                rules.len() - 1
            })
        });
        number.and_then(|number| u8::try_from(number).ok())
    }

    /// Returns the cached counts of a pair.
    pub fn get(&self, pair: &Pair) -> Option<Counts> {
        self.counts.get(pair)
    }

    /// Caches the counts of a pair.
    pub fn put(&self, pair: Pair, counts: Counts) {
        self.counts.insert(pair, counts);
    }

    /// Returns the cached bytes.
    pub fn bytes(&self) -> usize {
        self.counts.len() * (size_of::<Pair>() + size_of::<Counts>() + ENTRY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_text::Algorithm;

    #[test]
    fn a_pair_is_counted_once_for_each_rule() {
        let counted = CountedPairs::default();
        let rule = |algorithm| Rule {
            options: DiffOptions { algorithm, ..DiffOptions::default() },
            big_file_bytes: 1 << 20,
        };
        let number = counted.rule(rule(Algorithm::Myers)).unwrap();
        assert_eq!(counted.rule(rule(Algorithm::Myers)), Some(number));
        let other = counted.rule(rule(Algorithm::Patience)).unwrap();
        assert_ne!(number, other);
        let blob = Oid::empty_blob(gix::hash::Kind::Sha1);
        let pair = Pair {
            old: None,
            new: Some(blob),
            attributes: [DiffAttribute::Unspecified; 2],
            rule: number,
        };
        counted.put(pair, Some((3, 0)));
        assert_eq!(counted.get(&pair), Some(Some((3, 0))));
        for unlike in [
            Pair { rule: other, ..pair },
            Pair { attributes: [DiffAttribute::Unspecified, DiffAttribute::Set], ..pair },
            Pair { old: Some(blob), new: None, ..pair },
        ] {
            assert_eq!(counted.get(&unlike), None);
        }
        assert!(counted.bytes() > 0);
        for size in 0..100 {
            counted.rule(Rule { big_file_bytes: size, ..rule(Algorithm::Myers) });
        }
        assert_eq!(counted.rule(rule(Algorithm::Histogram)), None);
    }
}
