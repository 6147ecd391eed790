//! "Did you mean": the names nearest to a missing one.

use crate::error::quoted;

/// The most names that are suggested.
pub const MAX_SUGGESTIONS: usize = 3;
/// The least similarity of a suggestion: 1 is equal, 0 shares no character.
const CUTOFF: f32 = 0.6;

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
    let names: Vec<&str> = names.collect();
    let near = similar::get_close_matches(wanted, &names, MAX_SUGGESTIONS, CUTOFF);
    near.into_iter().map(str::to_owned).collect()
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
}
