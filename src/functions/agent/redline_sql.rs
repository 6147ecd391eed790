//! `redline_sql(name)`: a script of `sql/`, for users who have only the extension.

use crate::ffi::Overload;
use crate::functions::params::{Args, Name, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result, quoted};
use redline_rows::{Out, Varchar, Written};

/// The scalar function.
pub struct RedlineSql;

/// Pairs each name with the text of its script at the time of the build.
macro_rules! scripts {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/", $name, ".sql")))),*]
    };
}

const SCRIPTS: &[(&str, &str)] = scripts![
    "macros",
    "git",
    "analytics",
    "data",
    "tools",
    "tools_edit",
    "lockdown",
    "mcp_server",
    "mcp_http"
];

/// Returns the text of a script.
pub fn script(wanted: &str) -> Option<&'static str> {
    SCRIPTS.iter().find(|(name, _)| *name == wanted).map(|(_, text)| *text)
}

const NAME: Param<Name> = required("name", "The script's name, without its ending");

// Volatile, since an unknown name is an error.
impl Scalar for RedlineSql {
    const DECLARATION: Declaration = Declaration {
        name: "redline_sql",
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "Returns a script of sql/ as text: macros, git, analytics, data, tools, tools_edit, lockdown, mcp_server, mcp_http",
        example: "SELECT redline_sql('macros')",
    };
    const OVERLOADS: &'static [Overload] = &[fields![NAME]];
    type Returns = Varchar;
    type State = ();

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let wanted = args.get(NAME)?;
        let Some(script) = script(wanted) else {
            let names: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
            return Err(Error::not_found(format!("no script is called {}", quoted(wanted)))
                .with_hint(format!("The scripts are {}", names.join(", "))));
        };
        Ok(out.text(script))
    }
}
