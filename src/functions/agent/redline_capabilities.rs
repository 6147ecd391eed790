//! `redline_capabilities()`: the permissions of a connection, for an agent that asks before it
//! tries.

use crate::ffi::{FileError, Open, Settings, host_version};
use crate::functions::context::execution_context::{
    self, EXTERNAL_ACCESS, ExecutionContext, LOCK_CONFIGURATION,
};
use crate::functions::context::{database, settings};
use crate::functions::params::Args;
use crate::functions::surface::{Declaration, Family, Grant, Rows, Table};
use crate::functions::tools::{HostAnswers, HostCall};
use redline_base::budget::KEPT;
use redline_base::error::Result;
use redline_base::limits;
use redline_rows::{
    Col, Has, HasList, ListOf, Out, Row, Written, bigint, boolean, joined, structure, structures,
    varchar, varchars,
};
use redline_sandbox::{GitGrant, RefPattern, Sandbox, kernel_guard};
use redline_tools as tools;
use redline_tools::{Abilities, INSTRUCTIONS, SandboxAbilities};

/// A sandbox, without its root: the host's path is not disclosed.
pub struct SandboxRow;

impl Row for SandboxRow {
    type Of<'a> = &'a Sandbox;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The name, with which paths begin", |sandbox, out| out.text(&sandbox.name)),
        varchar("mode", "r, or rw where files may be written", |sandbox, out| {
            out.text(sandbox.mode())
        }),
        varchars(
            "suffixes",
            "The endings of names that may be used; NULL for all",
            |sandbox, out| match &sandbox.suffixes {
                None => out.null(),
                Some(suffixes) => out.texts(suffixes),
            },
        ),
        bigint("max_file_bytes", "Bytes of the largest file", |sandbox| {
            sandbox.max_file_bytes.into()
        }),
        boolean("read_approval", "Whether a person must approve reading", |sandbox| {
            Some(sandbox.approvals.read)
        }),
        boolean("write_approval", "Whether a person must approve write_file", |sandbox| {
            Some(sandbox.approvals.write)
        }),
        boolean("edit_approval", "Whether a person must approve edit_file", |sandbox| {
            Some(sandbox.approvals.edit)
        }),
        varchars(
            "refs",
            "The references of repositories that may be read; NULL for all",
            |sandbox, out| match &sandbox.refs {
                None => out.null(),
                Some(refs) => out.texts(refs.iter().map(RefPattern::as_str)),
            },
        ),
    ];
}

/// The limits that are settings, and the cache between queries.
pub struct Limits;

impl Row for Limits {
    type Of<'a> = &'a Settings;

    const OWN: &'static [Col<Self>] = &[
        bigint("max_read_bytes", "Bytes of the largest file that is read", |settings| {
            settings::max_read_bytes(settings).into()
        }),
        bigint("max_diff_bytes", "Bytes of the longest diff of the tool Diff", |settings| {
            settings::max_diff_bytes(settings).into()
        }),
        bigint("approval_ttl_seconds", "Seconds for which an approval holds", |settings| {
            settings::approval_ttl(settings).as_secs().into()
        }),
        bigint("max_seconds", "Seconds that a query may take; NULL: no limit", |settings| {
            settings::max_seconds(settings).into()
        }),
        bigint("kept_bytes", "Bytes that the process keeps between queries", |_| {
            KEPT.current().into()
        }),
        bigint("max_kept_bytes", "Most bytes that it keeps", |_| KEPT.limit().into()),
    ];
}

impl Row for ExecutionContext {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("version", "The version of redline", |_, out| out.text(env!("CARGO_PKG_VERSION"))),
        varchar("host_version", "The version of DuckDB", |_, out| out.text(host_version())),
        structures::<_, SandboxRow>(
            "sandboxes",
            "The sandboxes; `mode` is `ro`, `rw`, or `closed` if DuckDB's own \
             settings exclude the root. NULL: none is configured, so DuckDB's limits \
             apply to reading, and nothing is written",
        ),
        varchars("grants", "The granted tools", |execution, out| {
            out.texts(settings::tool_grants(&execution.settings))
        }),
        structure::<_, Limits>(
            "limits",
            "The settings of these names, as applied; `max_seconds` is NULL if none \
             is set. `kept_bytes` is the memory that redline keeps between queries \
             over all databases of the process, `max_kept_bytes` the most it may keep \
             (`redline_cache_bytes`)",
        ),
        boolean("enable_external_access", "DuckDB's setting", |execution| {
            execution.settings.get(EXTERNAL_ACCESS).as_boolean()
        }),
        boolean("lock_configuration", "DuckDB's setting", |execution| {
            execution.settings.get(LOCK_CONFIGURATION).as_boolean()
        }),
        boolean(
            "kernel_guard",
            "Whether the kernel restricts the threads that read repositories to the \
             roots of their query (Landlock, Linux 5.13 or newer); without it only \
             redline's own checks apply",
            |_| Some(kernel_guard()),
        ),
        varchar(
            "instructions",
            "The text about the tools that a server gives to a model, under 1,500 bytes",
            |_, out| out.text(INSTRUCTIONS),
        ),
        varchars(
            "open_doors",
            "Unrestricted access paths of SQL on this database, by name",
            |execution, out| out.texts(open_doors(execution)),
        ),
    ];
}

impl Has<Limits> for ExecutionContext {
    fn part<'a>(execution: Self::Of<'a>) -> <Limits as Row>::Of<'a> {
        &execution.settings
    }
}

impl HasList<SandboxRow> for ExecutionContext {
    fn list(execution: &Self, out: Out<'_, ListOf<SandboxRow>>) -> Written {
        let Some(sandboxes) = execution.caller.context.access.sandboxes() else {
            return out.null();
        };
        out.all(sandboxes.iter())
    }
}

/// Whether the extension duckdb_mcp can no longer start a program for a server; unknown while it is
/// not loaded.
const MCP_LOCK_SERVERS: &str = "mcp_lock_servers";
/// Whether DuckDB writes a log, which SQL can read.
const ENABLE_LOGGING: &str = "enable_logging";

/// The settings that are read: those of the other functions, and two that only this one reads.
const SETTINGS: &[&str] =
    joined!(&str: execution_context::SETTINGS, &[MCP_LOCK_SERVERS, ENABLE_LOGGING]);

/// Returns the names of the ways around redline's rules that are open to SQL on this database;
/// docs/security.md tells how to close each.
fn open_doors(execution: &ExecutionContext) -> Vec<&'static str> {
    let (settings, sandboxes) = (&execution.settings, execution.caller.context.access.sandboxes());
    let is = |name, value| settings.get(name).as_boolean() == Some(value);
    // Before 2.0, `CALL enable_logging` and `enable_profiling` bypass the lock.
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

/// Tells whether DuckDB's own functions can open the files of a sandbox. DuckDB does not tell which
/// file systems are disabled, so a missing file is opened; any other error than a refusal means
/// yes.
fn opens(settings: &Settings, sandbox: &Sandbox) -> bool {
    let Some(files) = settings.files() else { return true };
    let absent = sandbox.path.join(".redline-tries-whether-duckdb-opens-this");
    files.read(&absent.to_string_lossy(), 0) != Err(FileError::Denied)
}

/// The table function.
pub struct Capabilities;

impl Table for Capabilities {
    const DECLARATION: Declaration = Declaration {
        name: "redline_capabilities",
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Returns what this connection may do: sandboxes, granted tools, limits, unrestricted access paths",
        example: "SELECT version, grants, open_doors FROM redline_capabilities()",
    };
    type Row = ExecutionContext;
    const SETTINGS: &'static [&'static str] = SETTINGS;
    type Bind = ();
    type Scan = Rows<ExecutionContext>;

    fn bind(_: Args<'_>) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        database::check(&open.settings)?;
        Ok(Rows::new([ExecutionContext::new(open.settings)?]))
    }
}

impl HostAnswers for tools::Capabilities {
    fn answer(call: HostCall, _: Self::Arguments) -> Result<Self::Output> {
        let HostCall { execution, offered, .. } = call;
        let is_offered = |name: &str| offered.iter().any(|offered| offered == name);
        let sandboxes = execution.caller.context.access.sandboxes();
        let listed = sandboxes.map(|sandboxes| {
            let of = |sandbox: &Sandbox| {
                let asked = sandbox.approvals;
                let is_asked_to_write = (asked.write || asked.edit) && sandbox.is_writable();
                let is_asked_to_commit = is_asked_to_write && sandbox.git().is_some();
                let asked = [
                    ("read_file", asked.read),
                    ("write_file", asked.write && sandbox.is_writable()),
                    ("edit_file", asked.edit && sandbox.is_writable()),
                    ("apply_patch", is_asked_to_write),
                    ("undo", is_asked_to_write),
                    ("GitStage", is_asked_to_commit),
                    ("GitCommit", is_asked_to_commit),
                ];
                let asked = asked.iter().filter(|(name, is_asked)| *is_asked && is_offered(name));
                SandboxAbilities {
                    name: sandbox.name.clone(),
                    mode: sandbox.mode(),
                    approvals: asked.map(|(name, _)| *name).collect(),
                    max_file_bytes: sandbox.max_file_bytes,
                    commits: sandbox.git().map(GitGrant::names),
                    example: sandbox.example(),
                    refs: sandbox.refs.as_ref().map(|refs| {
                        refs.iter().map(|pattern| pattern.as_str().to_owned()).collect()
                    }),
                }
            };
            sandboxes.iter().map(of).collect()
        });
        let repositories = sandboxes
            .map_or_else(Vec::new, |found| found.repositories(limits::SURVEY_REPOSITORIES));
        let has_approver = settings::approvers(&execution.settings)?.is_some();
        Ok(Abilities::new(listed, repositories, offered, has_approver))
    }
}
