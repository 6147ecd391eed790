//! The values of header lines: modes, percentages, blob ids and times.

use super::error::{PatchError, excerpt};
use super::lines::Line;

/// Returns the error for a malformed header line.
pub(super) fn malformed(line: &Line<'_>, expected: &'static str) -> PatchError {
    PatchError::Header { line: line.number, found: excerpt(line.text), expected }
}

/// Reads a mode.
pub(super) fn octal(text: &[u8], line: &Line<'_>) -> Result<u32, PatchError> {
    parse_mode(text).ok_or_else(|| malformed(line, "an octal mode such as 100644"))
}

fn parse_mode(text: &[u8]) -> Option<u32> {
    let octal = text.iter().all(|byte| matches!(byte, b'0'..=b'7')) && text.len() <= 7;
    let text = std::str::from_utf8(text).ok().filter(|_| octal)?;
    u32::from_str_radix(text, 8).ok()
}

pub(super) fn percent(text: &[u8], line: &Line<'_>) -> Result<u8, PatchError> {
    let digits = text.strip_suffix(b"%").filter(|d| d.iter().all(u8::is_ascii_digit));
    let value = digits.and_then(|d| std::str::from_utf8(d).ok()?.parse().ok());
    value
        .filter(|value| *value <= 100)
        .ok_or_else(|| malformed(line, "a percentage between 0% and 100%"))
}

/// Reads `<hex>..<hex>` and an octal mode that may follow.
pub(super) fn index(text: &[u8]) -> Option<(&str, &str, Option<u32>)> {
    let text = std::str::from_utf8(text).ok()?;
    let (ids, mode) = match text.split_once(' ') {
        Some((ids, mode)) => (ids, Some(parse_mode(mode.as_bytes())?)),
        None => (text, None),
    };
    let (old, new) = ids.split_once("..")?;
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_hexdigit());
    (is_id(old) && is_id(new)).then_some((old, new, mode))
}

/// Returns the id, unless it is all zeros, which means no blob.
pub(super) fn oid(id: &str) -> Option<&str> {
    id.bytes().any(|byte| byte != b'0').then_some(id)
}

/// Tells whether the TAB and time after a name mean that the file does not exist, as `diff -N` and
/// others print it: the start of 1970, in any time zone.
pub(super) fn is_epoch(rest: &[u8]) -> bool {
    let Some(text) = std::str::from_utf8(rest).ok().map(str::trim) else {
        return false;
    };
    let mut words = text.split(' ');
    let (Some(day), Some(time), Some(zone), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return false;
    };
    let minutes = |hours: &str, minutes: &str| -> Option<i32> {
        Some(i32::from(hours.parse::<u8>().ok()?) * 60 + i32::from(minutes.parse::<u8>().ok()?))
    };
    let clock = || {
        let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let time = time.strip_suffix(":00")?;
        let (hours, rest) = time.split_once(':')?;
        let zero = fraction.bytes().all(|byte| byte == b'0');
        minutes(hours, rest).filter(|_| zero)
    };
    let offset = || {
        let sign = if zone.starts_with('-') { -1 } else { 1 };
        let digits = zone.strip_prefix(['+', '-'])?;
        let (hours, rest) = digits.split_at_checked(2)?;
        Some(sign * minutes(hours, rest.trim_start_matches(':'))?)
    };
    let start = match day {
        "1970-01-01" => 0,
        "1969-12-31" => 24 * 60,
        _ => return false,
    };
    clock().zip(offset()).is_some_and(|(clock, offset)| clock - start == offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_1970_is_known_in_every_time_zone() {
        for (time, epoch) in [
            ("\t1970-01-01 00:00:00.000000000 +0000", true),
            ("\t1970-01-01 01:00:00 +01:00", true),
            ("\t1969-12-31 19:00:00.0 -0500", true),
            ("\t1970-01-01 00:00:01.000000000 +0000", false),
            ("\t1970-01-01 00:00:00.000000001 +0000", false),
            ("\t1970-01-01 00:00:00 +0100", false),
            ("\t1970-01-01 99999999:99999999:00 +0100", false),
            ("\t1970-01-01 00:00:00 +é0100", false),
            ("\t2026-01-01 00:00:00 +0000", false),
            ("", false),
        ] {
            assert_eq!(is_epoch(time.as_bytes()), epoch, "{time}");
        }
    }

    #[test]
    fn malformed_header_values_are_refused() {
        for text in ["", "..", "a..", "a..b 8", "a..g", "a b..c", "a,b..c", "a..b 100644 x"] {
            assert_eq!(index(text.as_bytes()), None, "{text}");
        }
        assert_eq!(index(b"1a..2B 120000"), Some(("1a", "2B", Some(0o120_000))));
        for text in ["", "8", "-1", "+7", "77777777"] {
            assert_eq!(parse_mode(text.as_bytes()), None, "{text}");
        }
    }
}
