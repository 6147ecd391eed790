//! The settings of the extension and their interpretation.
//!
//! Invalid values are refused when a query starts, with an error that names the setting: DuckDB
//! itself checks only the type. NULL, which DuckDB always accepts, is read as the strictest value.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::ffi::{ConfigOption, OptionDefault, Registrar, Settings};
use redline_base::budget::Budget;
use redline_base::error::Result;
use redline_base::limits::{self, HOST_LIMITS, HostLimit, HostLimits};
use redline_edit::{Approvers, Rules};
use redline_query::machinery::caller::Journaling;
use redline_rows::joined;
use redline_text::lines;
use redline_tools::max_bytes;

/// The named roots, as JSON.
pub const SANDBOXES: &str = "redline_sandboxes";
/// The granted tools.
pub const TOOL_GRANTS: &str = "redline_tool_grants";
/// The SHA-256 of the secrets of the approvers.
pub const APPROVER: &str = "redline_approver";
/// The directory of the journal.
pub const JOURNAL: &str = "redline_journal";

/// The settings that are no limits; `SET GLOBAL` sets one for all connections, `SET SESSION` for
/// one.
const TEXTS: &[ConfigOption] = &[
    ConfigOption {
        name: SANDBOXES,
        description: "Directories that may be read and written, as JSON; with `''`, DuckDB's own limits apply to reading, \
                      and nothing is written; `[]` and NULL forbid both",
        default: OptionDefault::Text(""),
    },
    ConfigOption {
        name: TOOL_GRANTS,
        description: "Tools that may be used, through `redline_call` and as SQL functions; `'*'` means all. An unknown \
                      name is refused when a function is called",
        default: OptionDefault::Texts(&["*"]),
    },
    ConfigOption {
        name: APPROVER,
        description: "SHA-256 of the key with which `approve` is called, as 64 hexadecimal digits; several as \
                      `name=digest`, separated by commas. With `''`, NULL, and a value that one connection set for \
                      itself, approving is impossible",
        default: OptionDefault::Text(""),
    },
    ConfigOption {
        name: JOURNAL,
        description: "Directory of the journal, outside of all sandboxes; with `''`, operations on files are kept in \
                      memory, and with NULL no file is written",
        default: OptionDefault::Text(""),
    },
];

/// The settings that are limits.
const NUMBERS: &[ConfigOption] = &{
    const LIMITS: &[HostLimit] = &HOST_LIMITS.all();
    let mut all = [TEXTS[0]; LIMITS.len()];
    let mut place = 0;
    while place < all.len() {
        let HostLimit { name, description, default, .. } = LIMITS[place];
        all[place] = ConfigOption { name, description, default: OptionDefault::Number(default) };
        place += 1;
    }
    all
};

/// Every setting.
const OPTIONS: &[ConfigOption] = joined!(ConfigOption: TEXTS, NUMBERS);

/// The names of all settings.
pub const NAMES: &[&str] = &{
    let mut names = [""; OPTIONS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = OPTIONS[place].name;
        place += 1;
    }
    names
};

/// Registers the settings on the database that loads the extension.
pub fn register(registrar: &Registrar) -> Result<()> {
    OPTIONS.iter().try_for_each(|option| registrar.option(option))
}

/// Returns the JSON with the sandboxes, `None` while none are configured: then DuckDB's own limits
/// apply. NULL is an empty list of sandboxes: nothing may be read.
pub fn sandboxes(settings: &Settings) -> Option<&str> {
    match settings.get(SANDBOXES).as_text() {
        Some(text) if text.trim().is_empty() => None,
        Some(text) => Some(text),
        None => Some("[]"),
    }
}

/// Returns the names of the granted tools; NULL grants none.
pub fn tool_grants(settings: &Settings) -> Vec<&str> {
    settings.get(TOOL_GRANTS).as_texts().unwrap_or_default()
}

/// Returns the most bytes of a file.
pub fn max_read_bytes(settings: &Settings) -> u64 {
    number(settings, HOST_LIMITS.max_read_bytes).min(lines::MAX_BYTES as u64)
}

/// Returns the most bytes of a diff.
pub fn max_diff_bytes(settings: &Settings) -> usize {
    let bytes = number(settings, HOST_LIMITS.max_diff_bytes);
    usize::try_from(bytes).unwrap_or(usize::MAX).min(lines::MAX_BYTES)
}

/// Returns the most bytes of the answer to a call that gives no `max_bytes`.
///
/// # Errors
/// `invalid_args` for a number that no call can give.
pub fn max_answer_bytes(settings: &Settings) -> Result<usize> {
    let name = HOST_LIMITS.max_answer_bytes.name;
    Ok(max_bytes(name, settings.get(name).as_integer())?.unwrap_or(limits::ANSWER_BYTES))
}

/// Returns the time to live of an approval.
pub fn approval_ttl(settings: &Settings) -> Duration {
    Duration::from_secs(number(settings, HOST_LIMITS.approval_ttl_seconds))
}

/// Returns the approvers. A value that a connection has set for itself names nobody, as an agent
/// could set it.
pub fn approvers(settings: &Settings) -> Result<Approvers> {
    Approvers::parse(settings.global(APPROVER).as_text().unwrap_or_default())
}

/// Returns the limits of proposals and approvals at this time.
pub fn rules(settings: &Settings) -> Rules {
    let size = |limit| usize::try_from(number(settings, limit)).unwrap_or(usize::MAX);
    Rules {
        now: Instant::now(),
        ttl: approval_ttl(settings),
        proposals: size(HOST_LIMITS.max_proposals),
        bytes: size(HOST_LIMITS.max_waiting_bytes),
        connection: Some(settings.connection()),
    }
}

/// Returns where operations on files are recorded.
pub fn journaling(settings: &Settings) -> Journaling {
    const DAY: u64 = 24 * 3600 * 1_000_000;
    Journaling {
        option: JOURNAL,
        directory: settings.get(JOURNAL).as_text().map(str::to_owned),
        bytes: number(settings, HOST_LIMITS.journal_max_bytes),
        age: number(settings, HOST_LIMITS.journal_days).saturating_mul(DAY),
    }
}

/// Returns the number of calls that a session may make in a minute, `None` without a limit.
pub fn max_calls(settings: &Settings) -> Option<u64> {
    Some(number(settings, HOST_LIMITS.max_calls)).filter(|calls| *calls > 0)
}

/// Returns the time limit in seconds; 0 and NULL set none.
pub fn max_seconds(settings: &Settings) -> Option<u64> {
    Some(number(settings, HOST_LIMITS.max_seconds)).filter(|seconds| *seconds > 0)
}

/// Returns the budget of a function; its time starts now.
pub fn budget(settings: &Settings) -> Arc<Budget> {
    let seconds = max_seconds(settings).unwrap_or(limits::FUNCTION_SECONDS);
    Arc::new(Budget::new(Some(Duration::from_secs(seconds))))
}

/// Returns the budget of a tool call; its time starts now.
pub fn tool_budget(settings: &Settings) -> Arc<Budget> {
    let seconds = max_seconds(settings).unwrap_or(limits::TOOL_SECONDS);
    Arc::new(Budget::new(Some(Duration::from_secs(seconds))))
}

/// Returns the limits that the host has set.
pub fn host_limits(settings: &Settings) -> HostLimits {
    HOST_LIMITS.map(|limit| number(settings, limit))
}

/// Returns the number of a setting; DuckDB's type keeps it from being negative.
fn number(settings: &Settings, limit: HostLimit) -> u64 {
    let given = settings.get(limit.name).as_integer();
    given.and_then(|number| u64::try_from(number).ok()).unwrap_or(limit.null)
}
