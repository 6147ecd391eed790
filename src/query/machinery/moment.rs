//! Times as texts.

use redline_base::error::{Error, Result, quoted};
use redline_git::date_of;

/// Returns the time of a text as git reads it, in microseconds since 1970.
///
/// # Errors
/// `invalid_args` for a text without a date.
pub fn moment(name: &str, text: &str) -> Result<i64> {
    let seconds = date_of(text).and_then(|seconds| seconds.checked_mul(1_000_000));
    seconds.ok_or_else(|| {
        Error::invalid_args(format!("{name} is {}", quoted(text)))
            .with_hint("Give a date, such as 2026-01-31 or '2 weeks ago'")
    })
}
