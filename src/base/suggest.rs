//! "Did you mean": the names nearest to a missing one.

use crate::error::quoted;

/// The most names that are suggested.
pub const MAX_SUGGESTIONS: usize = 3;
/// The least similarity of a suggestion: 1 is equal, 0 shares no character.
const CUTOFF: f32 = 0.6;

/// The most bytes of a name that is looked for or suggested: a path, at most.
const NAME_BYTES: usize = 1024;
/// The most bytes of names that are compared: a suggestion must not take longer than the answer.
const COMPARED_BYTES: usize = 1 << 20;

/// What a short name counts at least, as each takes some time.
const LEAST_BYTES: usize = 16;

/// Returns the nearest of `names` to `wanted`, best first, quoted for a message.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    nearest_names(wanted, names).iter().map(|name| quoted(name)).collect()
}

/// Returns only the best of them, if any.
pub fn best<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut near = nearest(wanted, names);
    near.truncate(1);
    near
}

/// Returns them unquoted.
pub fn nearest_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    if wanted.len() > NAME_BYTES {
        return Vec::new();
    }
    let mut left = COMPARED_BYTES;
    let fits = |name: &&str| {
        left = left.saturating_sub(name.len().max(LEAST_BYTES));
        left > 0
    };
    let names = names.filter(|name| is_as_long(wanted.len(), name.len())).take_while(fits);
    let names: Vec<&str> = names.collect();
    let near = similar::get_close_matches(wanted, &names, MAX_SUGGESTIONS, CUTOFF);
    near.into_iter().map(str::to_owned).collect()
}

/// Tells whether names of so many bytes can be near: by [`CUTOFF`] the longer one has at most 7/3
/// of the characters of the shorter one, and a character has one to four bytes.
const fn is_as_long(one: usize, other: usize) -> bool {
    let (less, more) = if one < other { (one, other) } else { (other, one) };
    more <= NAME_BYTES && more <= less * 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_finds_the_name_and_nonsense_finds_none() {
        let names = ["main", "feature/diff", "v1.0"];
        assert_eq!(nearest("mian", names.into_iter()), ["'main'"]);
        assert!(nearest("zzzzzzzz", names.into_iter()).is_empty());
    }

    #[test]
    fn long_names_and_very_many_are_not_compared() {
        let long = "a".repeat(4 << 20);
        assert!(nearest(&long, [long.as_str(), "main"].into_iter()).is_empty());
        assert_eq!(nearest("mian", [long.as_str(), "main"].into_iter()), ["'main'"]);
        let mut names = 0;
        nearest("mian", std::iter::repeat_with(|| "main").inspect(|_| names += 1).take(1 << 30));
        assert_eq!(names, COMPARED_BYTES / LEAST_BYTES);
    }
}
