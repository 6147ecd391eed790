//! `redline_capabilities()`: what a connection may do, for an agent that asks before it tries.

use crate::budget::KEPT;
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, Settings, TableFunction, Type, Value, host_version};
use crate::functions::context::host::{self, EXTERNAL_ACCESS, Host};
use crate::functions::context::settings;
use crate::sandbox::{Sandbox, Sandboxes, kernel_guard};

/// Whether settings can be changed no more.
const LOCK_CONFIGURATION: &str = "lock_configuration";

/// A sandbox, without its root: what a folder is called on the machine is nobody's concern.
const SANDBOX: Type = Type::Struct(&[
    Field::new("name", Type::Varchar),
    Field::new("mode", Type::Varchar),
    Field::new("suffixes", Type::List(&Type::Varchar)),
    Field::new("max_file_bytes", Type::BigInt),
    Field::new("read_approval", Type::Boolean),
    Field::new("write_approval", Type::Boolean),
    Field::new("edit_approval", Type::Boolean),
]);

const LIMITS: Type = Type::Struct(&[
    Field::new("max_read_bytes", Type::BigInt),
    Field::new("max_diff_bytes", Type::BigInt),
    Field::new("approval_ttl_seconds", Type::BigInt),
    Field::new("max_seconds", Type::BigInt),
    Field::new("kept_bytes", Type::BigInt),
    Field::new("max_kept_bytes", Type::BigInt),
]);

/// Whether the extension duckdb_mcp starts no program for a server any more; unknown while it is not loaded.
const MCP_LOCK_SERVERS: &str = "mcp_lock_servers";
/// Whether DuckDB writes a log, which SQL can read.
const ENABLE_LOGGING: &str = "enable_logging";

/// The settings that only this function reads.
const OWN_SETTINGS: [&str; 3] = [LOCK_CONFIGURATION, MCP_LOCK_SERVERS, ENABLE_LOGGING];

/// The settings that are read: those of the other functions, and its own.
const SETTINGS: &[&str] = &{
    let mut all = [LOCK_CONFIGURATION; host::SETTINGS.len() + OWN_SETTINGS.len()];
    let mut index = 0;
    while index < all.len() {
        let is_own = index >= host::SETTINGS.len();
        all[index] = if is_own { OWN_SETTINGS[index - host::SETTINGS.len()] } else { host::SETTINGS[index] };
        index += 1;
    }
    all
};

/// Returns by name what SQL on this database can still do beside redline's rules; docs/security.md has each with what
/// closes it.
fn open_doors(settings: &Settings, has_sandboxes: bool) -> Vec<&'static str> {
    let is = |name, value| settings.get(name).as_boolean() == Some(value);
    // Before 2.0, `CALL enable_logging` and `enable_profiling` pass by the lock.
    let passes_lock = host_version().starts_with("v1.");
    let doors = [
        ("configuration", !is(LOCK_CONFIGURATION, true)),
        ("external_access", !is(EXTERNAL_ACCESS, false)),
        ("no_sandboxes", !has_sandboxes),
        ("mcp_servers", is(MCP_LOCK_SERVERS, false)),
        ("logging", passes_lock || is(ENABLE_LOGGING, true)),
        ("profiling", passes_lock),
        // `current_setting` shows the roots and the digests of approvers.
        ("readable_settings", has_sandboxes),
    ];
    doors.into_iter().filter_map(|(name, is_open)| is_open.then_some(name)).collect()
}

/// The table function.
pub struct Capabilities;

/// A running scan: the one row, until it was given, and the projection.
pub struct Scan {
    host: Option<Host>,
    projection: Vec<usize>,
}

impl TableFunction for Capabilities {
    const NAME: &'static str = "redline_capabilities";
    const PARAMETERS: &'static [Field] = &[];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = &[
        Field::new("version", Type::Varchar),
        Field::new("host_version", Type::Varchar),
        Field::new("sandboxes", Type::List(&SANDBOX)),
        Field::new("grants", Type::List(&Type::Varchar)),
        Field::new("limits", LIMITS),
        Field::new("enable_external_access", Type::Boolean),
        Field::new("lock_configuration", Type::Boolean),
        Field::new("kernel_guard", Type::Boolean),
        Field::new("open_doors", Type::List(&Type::Varchar)),
    ];
    const SETTINGS: &'static [&'static str] = SETTINGS;
    type Bind = ();
    type Scan = Scan;

    fn bind(_: &[Value], _: &[Value]) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Scan> {
        Ok(Scan { host: Some(Host::new(open.settings)?), projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let Some(host) = scan.host.take() else { return Ok(()) };
        let settings = &host.settings;
        for (column, &index) in batch.columns_mut().iter_mut().zip(&scan.projection) {
            match Self::COLUMNS[index].name {
                "version" => column.push_text(Some(env!("CARGO_PKG_VERSION"))),
                "host_version" => column.push_text(Some(&host_version())),
                "sandboxes" => match host.access.sandboxes() {
                    None => column.push_null(),
                    Some(sandboxes) => push_sandboxes(column, sandboxes)?,
                },
                "grants" => push_texts(column, &settings::tool_grants(settings))?,
                "limits" => {
                    let fields = column.fields_mut();
                    fields[0].push_bigint(i64::try_from(settings::max_read_bytes(settings)).ok());
                    fields[1].push_bigint(i64::try_from(settings::max_diff_bytes(settings)).ok());
                    fields[2].push_bigint(i64::try_from(settings::approval_ttl(settings).as_secs()).ok());
                    fields[3]
                        .push_bigint(settings::max_seconds(settings).and_then(|seconds| i64::try_from(seconds).ok()));
                    fields[4].push_bigint(i64::try_from(KEPT.current()).ok());
                    fields[5].push_bigint(i64::try_from(KEPT.limit()).ok());
                }
                "enable_external_access" => column.push_boolean(settings.get(EXTERNAL_ACCESS).as_boolean()),
                "lock_configuration" => column.push_boolean(settings.get(LOCK_CONFIGURATION).as_boolean()),
                "kernel_guard" => column.push_boolean(Some(kernel_guard())),
                "open_doors" => push_texts(column, &open_doors(settings, host.access.sandboxes().is_some()))?,
                other => unreachable!("no column {other}"),
            }
        }
        Ok(())
    }
}

fn push_texts(out: &mut Column, texts: &[impl AsRef<str>]) -> Result<()> {
    out.push_list(|elements| {
        texts.iter().for_each(|text| elements.push_text(Some(text.as_ref())));
        Ok(())
    })
}

fn push_sandboxes(out: &mut Column, sandboxes: &Sandboxes) -> Result<()> {
    out.push_list(|elements| sandboxes.iter().try_for_each(|sandbox| push_sandbox(elements.fields_mut(), sandbox)))
}

fn push_sandbox(fields: &mut [Column], sandbox: &Sandbox) -> Result<()> {
    fields[0].push_text(Some(sandbox.name()));
    fields[1].push_text(Some(sandbox.mode()));
    match sandbox.suffixes() {
        None => fields[2].push_null(),
        Some(suffixes) => push_texts(&mut fields[2], suffixes)?,
    }
    fields[3].push_bigint(i64::try_from(sandbox.max_file_bytes()).ok());
    let approvals = sandbox.approvals();
    for (field, asked) in fields[4..].iter_mut().zip([approvals.read, approvals.write, approvals.edit]) {
        field.push_boolean(Some(asked));
    }
    Ok(())
}
