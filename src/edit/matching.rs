//! Finds the occurrences of a string in a file.
//!
//! The time is linear whatever repeats in the file (Knuth, Morris and Pratt), since an agent
//! chooses both texts. The same search, over the file without the CRs of its CRLFs, lets LF match
//! both line endings.

use std::ops::Range;

/// Returns where `needle` occurs in `text`, ascending, with overlaps; never if it is empty.
///
/// Takes linear time, even on repetitive input in both (D. Knuth, J. Morris, V. Pratt, 1977).
pub fn occurrences<T: PartialEq>(text: &[T], needle: &[T]) -> Vec<usize> {
    if needle.is_empty() || needle.len() > text.len() {
        return Vec::new();
    }
    // For each prefix of the needle, the length of its longest proper prefix that is also its
    // suffix.
    let mut borders = vec![0; needle.len()];
    let grow = |mut length: usize, next: &T, borders: &[usize]| {
        while length > 0 && *next != needle[length] {
            length = borders[length - 1];
        }
        length + usize::from(*next == needle[length])
    };
    for end in 1..needle.len() {
        borders[end] = grow(borders[end - 1], &needle[end], &borders);
    }
    let mut found = Vec::new();
    let mut length = 0;
    for (at, next) in text.iter().enumerate() {
        length = grow(length, next, &borders);
        if length == needle.len() {
            found.push(at + 1 - length);
            length = borders[length - 1];
        }
    }
    found
}

/// A file to search for strings.
///
/// In a string without CR, an LF matches a line end of either kind. A string with a CR is searched
/// for byte for byte.
#[derive(Debug)]
pub struct Haystack<'a> {
    bytes: &'a [u8],
    /// The file without the CR of each CRLF, if it has one.
    plain: Option<Plain>,
}

#[derive(Debug)]
struct Plain {
    bytes: Vec<u8>,
    /// The positions in `bytes` of each LF that had a CR.
    had_cr: Vec<usize>,
}

impl<'a> Haystack<'a> {
    /// Prepares a file for searching.
    pub fn new(bytes: &'a [u8]) -> Self {
        let is_crlf = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
        let plain = (0..bytes.len()).any(is_crlf).then(|| {
            let mut plain = Plain { bytes: Vec::with_capacity(bytes.len()), had_cr: Vec::new() };
            for (at, &byte) in bytes.iter().enumerate() {
                if is_crlf(at) {
                    plain.had_cr.push(plain.bytes.len());
                } else {
                    plain.bytes.push(byte);
                }
            }
            plain
        });
        Self { bytes, plain }
    }

    /// Tells whether a line ends in CRLF.
    pub fn has_crlf(&self) -> bool {
        self.plain.is_some()
    }

    /// Returns every place of `needle` in the file, ascending, with overlaps. A place never splits
    /// a CRLF unless the string itself has a CR. An empty string has one place in an empty file.
    pub fn places(&self, needle: &str) -> Vec<Range<usize>> {
        let needle = needle.as_bytes();
        if needle.is_empty() && self.bytes.is_empty() {
            return std::iter::once(0..0).collect();
        }
        match &self.plain {
            Some(plain) if !needle.contains(&b'\r') => {
                let at = |offset: usize| offset + plain.had_cr.partition_point(|&cr| cr < offset);
                let starts = occurrences(&plain.bytes, needle).into_iter();
                starts.map(|start| at(start)..at(start + needle.len())).collect()
            }
            _ => occurrences(self.bytes, needle)
                .into_iter()
                .map(|start| start..start + needle.len())
                .collect(),
        }
    }
}

/// Keeps of ascending places those that do not overlap an earlier one, as `str.replace` does.
pub fn without_overlaps(places: &mut Vec<Range<usize>>) {
    let mut end = 0;
    places.retain(|place| {
        let is_free = place.start >= end;
        if is_free {
            end = place.end;
        }
        is_free
    });
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn places(file: &str, needle: &str) -> Vec<Range<usize>> {
        Haystack::new(file.as_bytes()).places(needle)
    }

    #[test]
    fn every_place_is_found_in_a_text_that_repeats_itself() {
        for text in ["", "a", "aaaa", "abababa", "aabaabaaab", "xaabaabaaabx"] {
            for needle in ["", "a", "aa", "aba", "ab", "aab", "aabaaab", "b"] {
                let plain: Vec<usize> = (0..text.len())
                    .filter(|&at| !needle.is_empty() && text[at..].starts_with(needle))
                    .collect();
                assert_eq!(
                    occurrences(text.as_bytes(), needle.as_bytes()),
                    plain,
                    "{text} {needle}"
                );
            }
        }
    }

    /// A byte that counts its comparisons.
    struct Counted<'a>(u8, &'a Cell<usize>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    #[test]
    fn each_element_is_compared_at_most_three_times_on_average() {
        let compared = &Cell::new(0);
        let counted =
            |text: &str| text.bytes().map(|byte| Counted(byte, compared)).collect::<Vec<_>>();
        for (text, needle) in [
            ("a".repeat(10_000), "a".repeat(1000)),
            ("a".repeat(10_000), "a".repeat(999) + "b"),
            ("a".repeat(10_000), "b".to_owned() + &"a".repeat(999)),
            (("a".repeat(999) + "c").repeat(10), "a".repeat(999) + "b"),
            ("ab".repeat(5000), "ab".repeat(500) + "b"),
        ] {
            compared.set(0);
            occurrences(&counted(&text), &counted(&needle));
            assert!(compared.get() <= 3 * (text.len() + needle.len()), "{}", compared.get());
        }
    }

    #[test]
    fn a_line_feed_finds_either_line_end_as_a_whole() {
        let file = "a\r\nb\nc\r\n\r\nd\r\re";
        for (needle, found) in [
            ("a\nb", &[(0, 4)][..]),
            ("b\nc", &[(3, 6)]),
            ("b\r\nc", &[]),
            ("a\r\nb", &[(0, 4)]),
            ("c\n\nd", &[(5, 11)]),
            ("\n", &[(1, 3), (4, 5), (6, 8), (8, 10)]),
            ("\nd", &[(8, 11)]),
            ("\r", &[(1, 2), (6, 7), (8, 9), (11, 12), (12, 13)]),
            ("c", &[(5, 6)]),
            ("d\ne", &[]),
            ("", &[]),
        ] {
            let places: Vec<_> =
                places(file, needle).into_iter().map(|place| (place.start, place.end)).collect();
            assert_eq!(places, found, "{needle:?}");
        }
        assert_eq!(places("", "").len(), 1);
    }

    #[test]
    fn overlapping_places_are_found_and_then_dropped() {
        let mut found = places("aaaaa", "aa");
        assert_eq!(found, [0..2, 1..3, 2..4, 3..5]);
        without_overlaps(&mut found);
        assert_eq!(found, [0..2, 2..4]);
    }
}
