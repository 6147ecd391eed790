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

/// Time zones by the hours that they are ahead of UTC, including daylight saving time.
const ZONES: [(i64, &[&str]); 23] = [
    (-12, &["IDLW"]),
    (-11, &["NT"]),
    (-10, &["CAT", "HST"]),
    (-9, &["HDT", "YST"]),
    (-8, &["YDT", "PST"]),
    (-7, &["PDT", "MST"]),
    (-6, &["MDT", "CST"]),
    (-5, &["CDT", "EST"]),
    (-4, &["EDT"]),
    (-3, &["AST"]),
    (-2, &["ADT"]),
    (-1, &["WAT"]),
    (0, &["GMT", "UTC", "Z", "WET"]),
    (1, &["BST", "CET", "MET", "MEWT", "FWT"]),
    (2, &["MEST", "CEST", "MESZ", "FST", "EET"]),
    (3, &["EEST"]),
    (7, &["WAST"]),
    (8, &["WADT", "CCT"]),
    (9, &["JST"]),
    (10, &["EAST", "GST"]),
    (11, &["EADT"]),
    (12, &["NZT", "NZST", "IDLE"]),
    (13, &["NZDT"]),
];

/// Returns the length of the word at the front of a text if it is a prefix of `name` in any case,
/// else 0.
pub fn matched(text: &[u8], name: &str) -> usize {
    let same = text.iter().zip(name.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    if text.get(same).is_some_and(u8::is_ascii_alphanumeric) { 0 } else { same }
}

/// Returns the place of a name in a list; three letters suffice.
fn abbreviated(text: &[u8], names: &[&str]) -> Option<i64> {
    names.iter().position(|name| matched(text, name) >= 3).map(|index| index as i64)
}

/// Returns the month from 0 on.
pub fn month(text: &[u8]) -> Option<i64> {
    abbreviated(text, &MONTHS)
}

/// Returns the day of the week from Sunday on.
pub fn weekday(text: &[u8]) -> Option<i64> {
    abbreviated(text, &WEEKDAYS)
}

/// Returns a zone's offset from UTC in hours; three letters suffice, as for a month.
pub fn zone(text: &[u8]) -> Option<i64> {
    let is_meant = |name: &&str| matched(text, name) >= 3 || is_word(text, name);
    ZONES.iter().find(|(_, names)| names.iter().any(is_meant)).map(|(hours, _)| *hours)
}

/// Tells whether the word at the front of a text is a name, in any case.
pub fn is_word(text: &[u8], name: &str) -> bool {
    matched(text, name) == name.len()
}

/// Returns the number of a number word; `last` is one.
pub fn number(text: &[u8]) -> Option<i64> {
    let named = NUMBERS.iter().position(|name| is_word(text, name));
    named.map(|index| index as i64 + 1).or_else(|| is_word(text, "last").then_some(1))
}

/// Returns the seconds of a unit of time, in the singular or the plural.
pub fn unit(text: &[u8]) -> Option<i64> {
    UNITS
        .iter()
        .find(|(name, _)| matched(text, name) >= name.len() - 1)
        .map(|(_, seconds)| *seconds)
}
