//! `redline_capabilities()`: what a connection may do, for an agent that asks before it tries.

use std::convert::Infallible;

use crate::budget::KEPT;
use crate::error::Result;
use crate::ffi::{
    Batch, Column, Field, FileError, Open, Settings, TableFunction, Type, Value, host_version,
};
use crate::functions::context::execution_context::{
    self, EXTERNAL_ACCESS, ExecutionContext, LOCK_CONFIGURATION,
};
use crate::functions::context::{grants, settings};
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, Rows, col};
use crate::sandbox::{RefPattern, Sandbox, Sandboxes, kernel_guard};
use crate::tools::INSTRUCTIONS;

/// A sandbox, without its root: what a directory is called on the machine is nobody's concern.
pub struct SandboxRow;

impl Row for SandboxRow {
    type Of<'a> = &'a Sandbox;

    const OWN: &'static [Col<Self>] = &[
        col("name", Type::Varchar, "The name, with which paths begin", |sandbox, out| {
            out.push_text(Some(sandbox.name()));
        }),
        col("mode", Type::Varchar, "r, or rw where files may be written", |sandbox, out| {
            out.push_text(Some(sandbox.mode()));
        }),
        col(
            "suffixes",
            Type::List(&Type::Varchar),
            "The endings of names that may be used; NULL for all",
            |sandbox, out| match sandbox.suffixes() {
                None => out.push_null(),
                Some(suffixes) => push_texts(out, suffixes),
            },
        ),
        col("max_file_bytes", Type::BigInt, "Bytes of the largest file", |sandbox, out| {
            out.push_bigint(i64::try_from(sandbox.max_file_bytes()).ok());
        }),
        col(
            "read_approval",
            Type::Boolean,
            "Whether reading wants a person's yes",
            |sandbox, out| {
                out.push_boolean(Some(sandbox.approvals().read));
            },
        ),
        col(
            "write_approval",
            Type::Boolean,
            "Whether write_file wants a person's yes",
            |sandbox, out| {
                out.push_boolean(Some(sandbox.approvals().write));
            },
        ),
        col(
            "edit_approval",
            Type::Boolean,
            "Whether edit_file wants a person's yes",
            |sandbox, out| {
                out.push_boolean(Some(sandbox.approvals().edit));
            },
        ),
        col(
            "refs",
            Type::List(&Type::Varchar),
            "The references of repositories that may be read; NULL for all",
            |sandbox, out| match sandbox.refs() {
                None => out.push_null(),
                Some(refs) => {
                    let texts: Vec<&str> = refs.iter().map(RefPattern::as_str).collect();
                    push_texts(out, &texts);
                }
            },
        ),
    ];
}

/// The limits that are settings, and what is kept between queries.
pub struct Limits;

impl Row for Limits {
    type Of<'a> = &'a Settings;

    const OWN: &'static [Col<Self>] = &[
        col(
            "max_read_bytes",
            Type::BigInt,
            "Bytes of the largest file that is read",
            |settings, out| {
                out.push_bigint(i64::try_from(settings::max_read_bytes(settings)).ok());
            },
        ),
        col(
            "max_diff_bytes",
            Type::BigInt,
            "Bytes of the longest diff of the tool Diff",
            |settings, out| {
                out.push_bigint(i64::try_from(settings::max_diff_bytes(settings)).ok());
            },
        ),
        col(
            "approval_ttl_seconds",
            Type::BigInt,
            "Seconds for which an approval holds",
            |settings, out| {
                out.push_bigint(i64::try_from(settings::approval_ttl(settings).as_secs()).ok());
            },
        ),
        col(
            "max_seconds",
            Type::BigInt,
            "Seconds that a query may take; NULL is no limit",
            |settings, out| {
                out.push_bigint(
                    settings::max_seconds(settings).and_then(|seconds| i64::try_from(seconds).ok()),
                );
            },
        ),
        col(
            "kept_bytes",
            Type::BigInt,
            "Bytes that the process keeps between queries",
            |_, out| {
                out.push_bigint(i64::try_from(KEPT.current()).ok());
            },
        ),
        col("max_kept_bytes", Type::BigInt, "Most bytes that it keeps", |_, out| {
            out.push_bigint(i64::try_from(KEPT.limit()).ok());
        }),
    ];
}

impl Row for ExecutionContext {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col("version", Type::Varchar, "The version of redline", |_, out| {
            out.push_text(Some(env!("CARGO_PKG_VERSION")));
        }),
        col("host_version", Type::Varchar, "The version of DuckDB", |_, out| {
            out.push_text(Some(&host_version()))
        }),
        col(
            "sandboxes",
            SandboxRow::LIST,
            "The sandboxes; NULL where none are configured",
            |execution, out| match execution.access.sandboxes() {
                None => out.push_null(),
                Some(sandboxes) => push_sandboxes(out, sandboxes),
            },
        ),
        col(
            "grants",
            Type::List(&Type::Varchar),
            "The tools that are granted",
            |execution, out| {
                push_texts(out, &settings::tool_grants(&execution.settings));
            },
        ),
        col("limits", Limits::STRUCT, "What bounds a call", |execution, out| {
            Limits::COLUMNS.write_struct(&execution.settings, out);
        }),
        col("enable_external_access", Type::Boolean, "DuckDB's setting", |execution, out| {
            out.push_boolean(execution.settings.get(EXTERNAL_ACCESS).as_boolean());
        }),
        col("lock_configuration", Type::Boolean, "DuckDB's setting", |execution, out| {
            out.push_boolean(execution.settings.get(LOCK_CONFIGURATION).as_boolean());
        }),
        col(
            "kernel_guard",
            Type::Boolean,
            "Whether the kernel restricts the threads that read repositories",
            |_, out| {
                out.push_boolean(Some(kernel_guard()));
            },
        ),
        col(
            "instructions",
            Type::Varchar,
            "What a server tells a model about the tools",
            |_, out| out.push_text(Some(INSTRUCTIONS)),
        ),
        col(
            "open_doors",
            Type::List(&Type::Varchar),
            "What SQL can still do beside redline's rules",
            |execution, out| {
                push_texts(out, &open_doors(execution));
            },
        ),
    ];
}

/// Whether the extension duckdb_mcp starts no program for a server any more; unknown while it is not loaded.
const MCP_LOCK_SERVERS: &str = "mcp_lock_servers";
/// Whether DuckDB writes a log, which SQL can read.
const ENABLE_LOGGING: &str = "enable_logging";

/// The settings that only this function reads.
const OWN_SETTINGS: [&str; 2] = [MCP_LOCK_SERVERS, ENABLE_LOGGING];

/// The settings that are read: those of the other functions, and its own.
const SETTINGS: &[&str] = &{
    let mut all = [LOCK_CONFIGURATION; execution_context::SETTINGS.len() + OWN_SETTINGS.len()];
    let mut index = 0;
    while index < all.len() {
        let is_own = index >= execution_context::SETTINGS.len();
        all[index] = if is_own {
            OWN_SETTINGS[index - execution_context::SETTINGS.len()]
        } else {
            execution_context::SETTINGS[index]
        };
        index += 1;
    }
    all
};

/// Returns by name what SQL on this database can still do beside redline's rules; docs/security.md has each with what
/// closes it.
fn open_doors(execution: &ExecutionContext) -> Vec<&'static str> {
    let (settings, sandboxes) = (&execution.settings, execution.access.sandboxes());
    let is = |name, value| settings.get(name).as_boolean() == Some(value);
    // Before 2.0, `CALL enable_logging` and `enable_profiling` pass by the lock.
    let passes_lock = host_version().starts_with("v1.");
    let doors = [
        ("configuration", !is(LOCK_CONFIGURATION, true)),
        ("external_access", !is(EXTERNAL_ACCESS, false)),
        ("no_sandboxes", sandboxes.is_none()),
        ("duckdb_files", sandboxes.is_some_and(|all| all.iter().any(|one| opens(settings, one)))),
        ("mcp_servers", is(MCP_LOCK_SERVERS, false)),
        ("logging", passes_lock || is(ENABLE_LOGGING, true)),
        ("profiling", passes_lock),
        // `current_setting` shows the roots and the digests of approvers.
        ("readable_settings", sandboxes.is_some()),
    ];
    doors.into_iter().filter_map(|(name, is_open)| is_open.then_some(name)).collect()
}

/// Tells whether DuckDB's own functions open files of a sandbox: it does not tell which file systems are disabled, so a
/// file is tried that is not there. What is not refused is open.
fn opens(settings: &Settings, sandbox: &Sandbox) -> bool {
    let Some(files) = settings.files() else { return true };
    let absent = sandbox.path().join(".redline-tries-whether-duckdb-opens-this");
    files.read(&absent.to_string_lossy(), 0) != Err(FileError::Denied)
}

/// The table function.
pub struct Capabilities;

impl Declared for Capabilities {
    const DECLARATION: Declaration = Declaration {
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "What this connection may do: sandboxes, granted tools, limits, doors that are open",
        example: "SELECT version, grants, open_doors FROM redline_capabilities()",
    };
}

impl TableFunction for Capabilities {
    const NAME: &'static str = "redline_capabilities";
    const PARAMETERS: &'static [Field] = &[];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = ExecutionContext::FIELDS;
    const SETTINGS: &'static [&'static str] = SETTINGS;
    type Bind = ();
    type Scan = Rows<ExecutionContext>;

    fn bind(_: &[Value], _: &[Value]) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        grants::check(&open.settings)?;
        Ok(Rows::new([ExecutionContext::new(open.settings)?], open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch);
        Ok(())
    }
}

fn push_texts(out: &mut Column, texts: &[impl AsRef<str>]) {
    let Ok(()) = out.push_list(|elements| {
        texts.iter().for_each(|text| elements.push_text(Some(text.as_ref())));
        Ok::<(), Infallible>(())
    });
}

fn push_sandboxes(out: &mut Column, sandboxes: &Sandboxes) {
    let Ok(()) = out.push_list(|elements| {
        sandboxes.iter().for_each(|sandbox| SandboxRow::COLUMNS.write_struct(sandbox, elements));
        Ok::<(), Infallible>(())
    });
}
