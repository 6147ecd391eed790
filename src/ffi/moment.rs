//! Texts as timestamps, read by DuckDB.

use libduckdb_sys as sys;
use sys::idx_t;

use super::api::{Outside, api};

/// Parses a text as a timestamp, as DuckDB does; `None` if it is invalid.
pub(super) fn moment(outside: &Outside, text: &[u8]) -> Option<i64> {
    match cast(outside, text) {
        0 if is_epoch(outside, text) => Some(0),
        0 => None,
        micros => Some(micros),
    }
}

/// Tells whether a text that was cast to 0 is the first moment of 1970: 0 is also the result of a
/// failed cast, and a valid text with another year is not cast to 0.
fn is_epoch(outside: &Outside, text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let is_other_year = |year: &str| {
        let other = text.contains(year).then(|| text.replacen(year, "1971", 1));
        other.is_some_and(|other| cast(outside, other.as_bytes()) != 0)
    };
    text.trim().eq_ignore_ascii_case("epoch") || is_other_year("1970") || is_other_year("1969")
}

/// Casts a text to a TIMESTAMPTZ.
fn cast(outside: &Outside, text: &[u8]) -> i64 {
    // SAFETY: the text has the stated length, and the value is ours until it is destroyed.
    unsafe {
        let mut value =
            outside.duckdb_create_varchar_length(text.as_ptr().cast(), text.len() as idx_t);
        let moment = outside.duckdb_get_timestamp_tz(value);
        api().duckdb_destroy_value(&mut value);
        moment.micros
    }
}
