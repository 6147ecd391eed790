//! Finds the occurrences of a string in a file.
//!
//! The time is linear whatever repeats in the file (Knuth, Morris and Pratt), since an agent
//! chooses both texts. The same search, over the file without the CRs of its CRLFs, lets LF match
//! both line endings.

use std::ops::Range;

use redline_base::budget::reserve;
use redline_text::CancelToken;
use redline_text::cancel_token::{PacedToken, Stopped};

/// The places of a needle in a text, ascending, with overlaps; none if it is empty.
///
/// They take linear time, even on repetitive input in both (D. Knuth, J. Morris, V. Pratt, 1977),
/// and memory for the needle alone.
pub struct Occurrences<'t, T> {
    text: &'t [T],
    needle: &'t [T],
    /// For each prefix of the needle, the length of its longest proper prefix that is also its
    /// suffix.
    borders: Vec<usize>,
    /// How much of the text was compared, and how much of the needle ends there.
    at: usize,
    length: usize,
    pace: PacedToken<'t>,
}

/// Returns where `needle` occurs in `text`.
///
/// # Errors
/// Those of the token; each place may be one, too.
pub fn occurrences<'t, T: PartialEq>(
    text: &'t [T],
    needle: &'t [T],
    cancel: &CancelToken<'t>,
) -> Result<Occurrences<'t, T>, Stopped> {
    let mut found = Occurrences {
        text: if needle.is_empty() || needle.len() > text.len() { &[] } else { text },
        needle,
        borders: Vec::new(),
        at: 0,
        length: 0,
        pace: cancel.pace(),
    };
    if !found.text.is_empty() {
        reserve(&mut found.borders, needle.len())?;
        found.borders.push(0);
        for next in &needle[1..] {
            found.pace.spend(1)?;
            let border = found.grown(found.borders[found.borders.len() - 1], next);
            found.borders.push(border);
        }
    }
    Ok(found)
}

impl<T: PartialEq> Occurrences<'_, T> {
    /// Returns how much of the needle ends with the next element, where `length` of it ended before.
    fn grown(&self, mut length: usize, next: &T) -> usize {
        while length > 0 && *next != self.needle[length] {
            length = self.borders[length - 1];
        }
        length + usize::from(*next == self.needle[length])
    }
}

impl<T: PartialEq> Iterator for Occurrences<'_, T> {
    type Item = Result<usize, Stopped>;

    fn next(&mut self) -> Option<Result<usize, Stopped>> {
        while let Some(next) = self.text.get(self.at) {
            if let Err(stopped) = self.pace.spend(1) {
                return Some(Err(stopped));
            }
            self.length = self.grown(self.length, next);
            self.at += 1;
            if self.length == self.needle.len() {
                self.length = self.borders[self.length - 1];
                return Some(Ok(self.at - self.needle.len()));
            }
        }
        None
    }
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
    ///
    /// # Errors
    /// Those of the token, and [`Stopped::Allocation`].
    pub fn new(bytes: &'a [u8], cancel: &CancelToken<'_>) -> Result<Self, Stopped> {
        let is_crlf = |cr: &usize| bytes.get(cr + 1) == Some(&b'\n');
        let count = memchr::memchr_iter(b'\r', bytes).filter(is_crlf).count();
        if count == 0 {
            return Ok(Self { bytes, plain: None });
        }
        let (mut plain, mut had_cr) = (Vec::new(), Vec::new());
        reserve(&mut plain, bytes.len())?;
        reserve(&mut had_cr, count)?;
        let mut pace = cancel.pace();
        let mut done = 0;
        for cr in memchr::memchr_iter(b'\r', bytes).filter(is_crlf) {
            pace.pass(cr - done)?;
            plain.extend_from_slice(&bytes[done..cr]);
            had_cr.push(plain.len());
            done = cr + 1;
        }
        plain.extend_from_slice(&bytes[done..]);
        Ok(Self { bytes, plain: Some(Plain { bytes: plain, had_cr }) })
    }

    /// Tells whether a line ends in CRLF.
    pub fn has_crlf(&self) -> bool {
        self.plain.is_some()
    }

    /// Returns every place of `needle` in the file, ascending, with overlaps. A place never splits
    /// a CRLF unless the string itself has a CR. An empty string has one place in an empty file.
    ///
    /// # Errors
    /// Those of the token; each place may be one, too.
    pub fn places<'h>(
        &'h self,
        needle: &'h str,
        cancel: &CancelToken<'h>,
    ) -> Result<impl Iterator<Item = Result<Range<usize>, Stopped>> + 'h, Stopped> {
        let needle = needle.as_bytes();
        let plain = self.plain.as_ref().filter(|_| !needle.contains(&b'\r'));
        let at = move |offset: usize| {
            offset + plain.map_or(0, |plain| plain.had_cr.partition_point(|&cr| cr < offset))
        };
        let of_nothing = (needle.is_empty() && self.bytes.is_empty()).then_some(Ok(0..0));
        let text = plain.map_or(self.bytes, |plain| &plain.bytes);
        let found = occurrences(text, needle, cancel)?;
        let place = move |start: usize| at(start)..at(start + needle.len());
        Ok(of_nothing.into_iter().chain(found.map(move |start| start.map(place))))
    }
}

/// Leaves out of ascending places those that overlap an earlier one, as `str.replace` does.
pub fn without_overlaps<E>(
    places: impl Iterator<Item = Result<Range<usize>, E>>,
) -> impl Iterator<Item = Result<Range<usize>, E>> {
    let mut end = 0;
    places.filter(move |place| {
        let is_free = place.as_ref().map_or(true, |place| place.start >= end);
        if is_free && let Ok(place) = place {
            end = place.end;
        }
        is_free
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;
    use redline_base::budget::{Budget, Pace};

    fn places(file: &str, needle: &str) -> Vec<Range<usize>> {
        let never = CancelToken::never();
        let haystack = Haystack::new(file.as_bytes(), &never).unwrap();
        haystack.places(needle, &never).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn every_place_is_found_in_a_text_that_repeats_itself() {
        for text in ["", "a", "aaaa", "abababa", "aabaabaaab", "xaabaabaaabx"] {
            for needle in ["", "a", "aa", "aba", "ab", "aab", "aabaaab", "b"] {
                let plain: Vec<usize> = (0..text.len())
                    .filter(|&at| !needle.is_empty() && text[at..].starts_with(needle))
                    .collect();
                let never = CancelToken::never();
                let found = occurrences(text.as_bytes(), needle.as_bytes(), &never).unwrap();
                let found: Vec<usize> = found.map(Result::unwrap).collect();
                assert_eq!(found, plain, "{text} {needle}");
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
            let never = CancelToken::never();
            occurrences(&counted(&text), &counted(&needle), &never).unwrap().for_each(drop);
            assert!(compared.get() <= 3 * (text.len() + needle.len()), "{}", compared.get());
        }
    }

    #[test]
    fn a_search_looks_at_its_deadline_between_the_places_and_without_any() {
        let over = Budget::new(Some(Duration::ZERO));
        let over = CancelToken::of(&over);
        let text = vec![b'x'; 1 << 20];
        for needle in [&b"xx"[..], b"xy"] {
            let mut found = occurrences(&text, needle, &over).unwrap();
            let ended = found.find(Result::is_err).expect("an end before that of the text");
            assert_eq!(ended, Err(Stopped::Timeout { seconds: 0 }));
            assert!(found.at < 2 * Pace::QUANTUM, "{}", found.at);
        }
        assert!(occurrences(&text, &text, &over).is_err());
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
        let found = places("aaaaa", "aa");
        assert_eq!(found, [0..2, 1..3, 2..4, 3..5]);
        let free = without_overlaps(found.into_iter().map(Ok::<_, Stopped>));
        assert_eq!(free.map(Result::unwrap).collect::<Vec<_>>(), [0..2, 2..4]);
    }
}
