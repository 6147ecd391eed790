//! The words in git's dates.

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] =
    ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];
const NUMBERS: [&str; 10] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const UNITS: [(&str, i64); 5] =
    [("seconds", 1), ("minutes", 60), ("hours", 3600), ("days", 86_400), ("weeks", 7 * 86_400)];

/// Time zones, in hours ahead of UTC, including daylight saving time.
const ZONES: [(&str, i64); 44] = [
    ("IDLW", -12),
    ("NT", -11),
    ("CAT", -10),
    ("HST", -10),
    ("HDT", -9),
    ("YST", -9),
    ("YDT", -8),
    ("PST", -8),
    ("PDT", -7),
    ("MST", -7),
    ("MDT", -6),
    ("CST", -6),
    ("CDT", -5),
    ("EST", -5),
    ("EDT", -4),
    ("AST", -3),
    ("ADT", -2),
    ("WAT", -1),
    ("GMT", 0),
    ("UTC", 0),
    ("Z", 0),
    ("WET", 0),
    ("BST", 1),
    ("CET", 1),
    ("MET", 1),
    ("MEWT", 1),
    ("MEST", 2),
    ("CEST", 2),
    ("MESZ", 2),
    ("FWT", 1),
    ("FST", 2),
    ("EET", 2),
    ("EEST", 3),
    ("WAST", 7),
    ("WADT", 8),
    ("CCT", 8),
    ("JST", 9),
    ("EAST", 10),
    ("EADT", 11),
    ("GST", 10),
    ("NZT", 12),
    ("NZST", 12),
    ("NZDT", 13),
    ("IDLE", 12),
];

/// A word with a meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// A day ago.
    Yesterday,
    /// The current moment.
    Now,
    /// 1970.
    Never,
    /// An hour of the day.
    Hour(i64),
    /// The morning (0) or the afternoon (12).
    Half(i64),
}

const SPECIAL: [(&str, Word); 8] = [
    ("yesterday", Word::Yesterday),
    ("noon", Word::Hour(12)),
    ("midnight", Word::Hour(0)),
    ("tea", Word::Hour(17)),
    ("PM", Word::Half(12)),
    ("AM", Word::Half(0)),
    ("never", Word::Never),
    ("now", Word::Now),
];

/// Returns the length of the word at the front of a text if it is a prefix of `name` in any case,
/// else 0.
pub fn matched(text: &[u8], name: &str) -> usize {
    let same = text.iter().zip(name.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    if text.get(same).is_some_and(u8::is_ascii_alphanumeric) { 0 } else { same }
}

fn abbreviated(text: &[u8], names: &[&str]) -> Option<(i64, usize)> {
    let found = names.iter().position(|name| matched(text, name) >= 3)?;
    Some((found as i64, matched(text, names[found])))
}

/// Returns the month from 0 and the length of its name; three letters suffice.
pub fn month(text: &[u8]) -> Option<(i64, usize)> {
    abbreviated(text, &MONTHS)
}

/// Returns the day of the week from Sunday on, and the length of its name.
pub fn weekday(text: &[u8]) -> Option<(i64, usize)> {
    abbreviated(text, &WEEKDAYS)
}

/// Returns a zone's offset from UTC in hours, and the length of its name.
pub fn zone(text: &[u8]) -> Option<(i64, usize)> {
    ZONES.iter().find_map(|(name, hours)| {
        let length = matched(text, name);
        (length >= 3 || length == name.len()).then_some((*hours, length))
    })
}

/// Returns the meaning of a word by itself.
pub fn special(text: &[u8]) -> Option<Word> {
    SPECIAL.iter().find(|(name, _)| matched(text, name) == name.len()).map(|(_, word)| *word)
}

/// Returns the number of a number word; `last` is one.
pub fn number(text: &[u8]) -> Option<i64> {
    let named = NUMBERS.iter().position(|name| matched(text, name) == name.len());
    named.map(|index| index as i64 + 1).or_else(|| (matched(text, "last") == 4).then_some(1))
}

/// Returns the seconds of a unit of time, in the singular or the plural.
pub fn unit(text: &[u8]) -> Option<i64> {
    UNITS
        .iter()
        .find(|(name, _)| matched(text, name) >= name.len() - 1)
        .map(|(_, seconds)| *seconds)
}
