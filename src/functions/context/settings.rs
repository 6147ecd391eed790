//! The settings of the extension and their interpretation.
//!
//! Invalid values are refused when a query starts, with an error that names the setting: DuckDB
//! itself checks only the type. NULL, which DuckDB always accepts, is read as the strictest value.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::ffi::{ConfigOption, OptionDefault, Registrar, Settings};
use redline_base::budget::Budget;
use redline_base::error::Result;
use redline_base::limits;
use redline_edit::{Approvers, Rules};
use redline_query::machinery::caller::Journaling;
use redline_text::lines;
use redline_tools::max_bytes;

/// The named roots, as JSON.
pub const SANDBOXES: &str = "redline_sandboxes";
/// The granted tools.
pub const TOOL_GRANTS: &str = "redline_tool_grants";
/// The most bytes of a file that is read.
pub const MAX_READ_BYTES: &str = "redline_max_read_bytes";
/// The most bytes of a diff.
pub const MAX_DIFF_BYTES: &str = "redline_max_diff_bytes";
/// The most bytes of a tool's answer.
pub const MAX_ANSWER_BYTES: &str = "redline_max_answer_bytes";
/// The time to live of an approval, in seconds.
pub const APPROVAL_TTL_SECONDS: &str = "redline_approval_ttl_seconds";
/// The SHA-256 of the secrets of the approvers.
pub const APPROVER: &str = "redline_approver";
/// The number of proposals of a session that may wait.
pub const MAX_PROPOSALS: &str = "redline_max_proposals";
/// The bytes of all waiting operations.
pub const MAX_WAITING_BYTES: &str = "redline_max_waiting_bytes";
/// The number of calls of tools that a session may make in a minute.
pub const MAX_CALLS: &str = "redline_max_calls";
/// The seconds that a query may take.
pub const MAX_SECONDS: &str = redline_base::budget::MAX_SECONDS;
/// The bytes of git objects that a query caches.
pub const CACHE_BYTES: &str = "redline_cache_bytes";
/// The bytes of the copies that DuckDB's readers open.
pub const COPIES_BYTES: &str = "redline_copies_bytes";

/// The directory of the journal.
pub const JOURNAL: &str = "redline_journal";
/// The bytes of the journal.
pub const JOURNAL_MAX_BYTES: &str = "redline_journal_max_bytes";
/// The days for which the journal keeps operations.
pub const JOURNAL_DAYS: &str = "redline_journal_days";

/// Every setting; `SET GLOBAL` sets it for all connections, `SET SESSION` for one.
const OPTIONS: [ConfigOption; 16] = [
    ConfigOption {
        name: SANDBOXES,
        description: "Directories that redline may read and write, as JSON; '' leaves reading to DuckDB's own limits and \
                      forbids writing, '[]' and NULL forbid both",
        default: OptionDefault::Text(""),
    },
    ConfigOption {
        name: TOOL_GRANTS,
        description: "Tools of redline that are allowed, through redline_call and as SQL functions; '*' allows all",
        default: OptionDefault::Texts(&["*"]),
    },
    ConfigOption {
        name: MAX_READ_BYTES,
        description: "Maximum bytes of a file that diff_files and the file tools read",
        default: OptionDefault::Number(limits::MAX_READ_BYTES),
    },
    ConfigOption {
        name: MAX_DIFF_BYTES,
        description: "Maximum bytes of a diff of diff_texts, diff_files and the tool Diff; a longer one is cut",
        default: OptionDefault::Number(limits::MAX_DIFF_BYTES),
    },
    ConfigOption {
        name: MAX_ANSWER_BYTES,
        description: "Bytes of a tool's answer where a call gives no max_bytes; the rest follows with a cursor",
        default: OptionDefault::Number(limits::ANSWER_BYTES as u64),
    },
    ConfigOption {
        name: MAX_SECONDS,
        description: "Seconds that a function of redline may take in a query, and a call of a tool; 0 is 600 seconds for a \
                      function and 60 for a call",
        default: OptionDefault::Number(0),
    },
    ConfigOption {
        name: CACHE_BYTES,
        description: "Maximum bytes of git objects kept in memory",
        default: OptionDefault::Number(limits::CACHE_BYTES),
    },
    ConfigOption {
        name: COPIES_BYTES,
        description: "Maximum bytes of the copies that file_at, files_at and file_versions_at make; those used longest ago \
                      are removed",
        default: OptionDefault::Number(limits::COPIES_BYTES),
    },
    ConfigOption {
        name: APPROVAL_TTL_SECONDS,
        description: "Seconds until an approval expires",
        default: OptionDefault::Number(limits::APPROVAL_TTL_SECONDS),
    },
    ConfigOption {
        name: APPROVER,
        description: "SHA-256 of the secret with which approve is called, or several as name=digest, separated by commas; \
                      '' and NULL name nobody, and a value of one connection alone does not count",
        default: OptionDefault::Text(""),
    },
    ConfigOption {
        name: MAX_PROPOSALS,
        description: "Maximum proposals of one session that wait for approval",
        default: OptionDefault::Number(limits::MAX_PROPOSALS),
    },
    ConfigOption {
        name: MAX_WAITING_BYTES,
        description: "Maximum bytes of all proposals that wait for approval; the oldest are dropped",
        default: OptionDefault::Number(limits::WAITING_BYTES),
    },
    ConfigOption {
        name: MAX_CALLS,
        description: "Maximum tool calls of one session per minute; 0: no limit",
        default: OptionDefault::Number(limits::MAX_CALLS),
    },
    ConfigOption {
        name: JOURNAL,
        description: "Directory outside of all sandboxes in which operations on files are recorded with the contents before \
                      and after; '' keeps them in memory, NULL forbids writing",
        default: OptionDefault::Text(""),
    },
    ConfigOption {
        name: JOURNAL_MAX_BYTES,
        description: "Maximum bytes of the journal; the oldest operations are dropped",
        default: OptionDefault::Number(limits::JOURNAL_BYTES),
    },
    ConfigOption {
        name: JOURNAL_DAYS,
        description: "Days for which the journal keeps operations",
        default: OptionDefault::Number(limits::JOURNAL_DAYS),
    },
];

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
    number(settings, MAX_READ_BYTES, limits::MAX_READ_BYTES).min(lines::MAX_BYTES as u64)
}

/// Returns the most bytes of a diff.
pub fn max_diff_bytes(settings: &Settings) -> usize {
    let bytes = number(settings, MAX_DIFF_BYTES, limits::MAX_DIFF_BYTES);
    usize::try_from(bytes).unwrap_or(usize::MAX).min(lines::MAX_BYTES)
}

/// Returns the most bytes of the answer to a call that gives no `max_bytes`.
///
/// # Errors
/// `invalid_args` for a number that no call can give.
pub fn max_answer_bytes(settings: &Settings) -> Result<usize> {
    let given = settings.get(MAX_ANSWER_BYTES).as_integer();
    Ok(max_bytes(MAX_ANSWER_BYTES, given)?.unwrap_or(limits::ANSWER_BYTES))
}

/// Returns the time to live of an approval.
pub fn approval_ttl(settings: &Settings) -> Duration {
    Duration::from_secs(number(settings, APPROVAL_TTL_SECONDS, 0))
}

/// Returns the approvers. A value that a connection has set for itself names nobody, as an agent
/// could set it.
pub fn approvers(settings: &Settings) -> Result<Approvers> {
    Approvers::parse(settings.global(APPROVER).as_text().unwrap_or_default())
}

/// Returns the limits of proposals and approvals at this time.
pub fn rules(settings: &Settings) -> Rules {
    let size = |name, null| usize::try_from(number(settings, name, null)).unwrap_or(usize::MAX);
    Rules {
        now: Instant::now(),
        ttl: approval_ttl(settings),
        proposals: size(MAX_PROPOSALS, limits::MAX_PROPOSALS),
        bytes: size(MAX_WAITING_BYTES, limits::WAITING_BYTES),
        connection: Some(settings.connection()),
    }
}

/// Returns where operations on files are recorded.
pub fn journaling(settings: &Settings) -> Journaling {
    const DAY: u64 = 24 * 3600 * 1_000_000;
    Journaling {
        option: JOURNAL,
        directory: settings.get(JOURNAL).as_text().map(str::to_owned),
        bytes: number(settings, JOURNAL_MAX_BYTES, limits::JOURNAL_BYTES),
        age: number(settings, JOURNAL_DAYS, limits::JOURNAL_DAYS).saturating_mul(DAY),
    }
}

/// Returns the number of calls that a session may make in a minute, `None` without a limit.
pub fn max_calls(settings: &Settings) -> Option<u64> {
    Some(number(settings, MAX_CALLS, limits::MAX_CALLS)).filter(|calls| *calls > 0)
}

/// Returns the time limit in seconds; 0 and NULL set none.
pub fn max_seconds(settings: &Settings) -> Option<u64> {
    Some(number(settings, MAX_SECONDS, 0)).filter(|seconds| *seconds > 0)
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

/// Returns the bytes of git objects that a query caches.
pub fn cache_bytes(settings: &Settings) -> usize {
    usize::try_from(number(settings, CACHE_BYTES, limits::CACHE_BYTES)).unwrap_or(usize::MAX)
}

/// Returns the most bytes of copies.
pub fn copies_bytes(settings: &Settings) -> u64 {
    number(settings, COPIES_BYTES, limits::COPIES_BYTES)
}

/// Returns the number of a setting; DuckDB's type keeps it from being negative.
fn number(settings: &Settings, name: &str, null: u64) -> u64 {
    settings.get(name).as_integer().and_then(|number| u64::try_from(number).ok()).unwrap_or(null)
}
