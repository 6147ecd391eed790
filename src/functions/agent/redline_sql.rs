//! `redline_sql(name)`: a script of `sql/`, for those who have the extension alone.

use crate::error::{Error, Result, quoted};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::params::arguments::row_text;
use crate::functions::surface::{Declaration, Declared, Family, Grant};

/// The scalar function.
pub struct RedlineSql;

impl Declared for RedlineSql {
    const DECLARATION: Declaration = Declaration {
        family: Family::Agent,
        grant: Grant::Everybody,
        description: "A script of sql/ as text: macros, git, analytics, tools, tools_edit, lockdown, mcp_server, mcp_http",
        example: "SELECT redline_sql('macros')",
    };
}

/// Pairs each name with the text of its script, as it was when the extension was built.
macro_rules! scripts {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/", $name, ".sql")))),*]
    };
}

const SCRIPTS: &[(&str, &str)] = scripts![
    "macros",
    "git",
    "analytics",
    "tools",
    "tools_edit",
    "lockdown",
    "mcp_server",
    "mcp_http"
];

impl ScalarFunction for RedlineSql {
    const NAME: &'static str = "redline_sql";
    const OVERLOADS: &'static [Overload] =
        &[&[Field::new("name", Type::Varchar, "The script's name, without its ending")]];
    const RETURNS: Type = Type::Varchar;
    // A name that is not there is an error.
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = &[];
    type State = ();

    fn open(_: Settings) -> Result<()> {
        Ok(())
    }

    fn call(_: &mut (), arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let wanted = row_text(arguments, 0, "name")?;
        let Some((_, script)) = SCRIPTS.iter().find(|(name, _)| *name == wanted) else {
            let names: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
            return Err(Error::not_found(format!("no script is called {}", quoted(&wanted)))
                .with_hint(format!("The scripts are {}", names.join(", "))));
        };
        out.push_text(Some(script));
        Ok(())
    }
}
