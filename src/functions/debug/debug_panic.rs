//! Functions that panic on purpose, in debug builds only: tests use them to show that a panic
//! becomes a SQL error.

use crate::error::Result;
use crate::ffi::{
    Arguments, Batch, Column, Field, Nulls, Open, Overload, ScalarFunction, Settings,
    TableFunction, Type, Value,
};
use crate::functions::surface::{Declaration, Declared, Family, Grant};

/// `redline_debug_panic(place)`: panics when it is called.
pub struct Panic;

impl Declared for Panic {
    const DECLARATION: Declaration = Declaration {
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Panics",
        example: "SELECT redline_debug_panic('call')",
    };
}

const PLACE: Field = Field::new("place", Type::Varchar, "Where to panic");

impl ScalarFunction for Panic {
    const NAME: &'static str = "redline_debug_panic";
    const OVERLOADS: &'static [Overload] = &[&[PLACE]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = &[];
    type State = ();

    fn open(_: Settings) -> Result<()> {
        Ok(())
    }

    fn call((): &mut (), _: Arguments<'_>, _: &mut Column) -> Result<()> {
        panic!("a deliberate panic")
    }
}

/// `redline_debug_panic_scan(place)`: panics in `bind`, `init`, `scan` or `drop`.
pub struct PanicScan;

impl Declared for PanicScan {
    const DECLARATION: Declaration = Declaration {
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Panics where it is told to",
        example: "FROM redline_debug_panic_scan('scan')",
    };
}

/// A scan whose destructor panics when so told.
pub struct Scan {
    place: String,
    done: bool,
}

impl Drop for Scan {
    fn drop(&mut self) {
        assert_ne!(self.place, "drop", "a deliberate panic");
    }
}

impl TableFunction for PanicScan {
    const NAME: &'static str = "redline_debug_panic_scan";
    const PARAMETERS: &'static [Field] = &[PLACE];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = &[PLACE];
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = String;
    type Scan = Scan;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<String> {
        let place =
            crate::functions::params::arguments::required_text(&arguments[0], Self::NAME, "place")?;
        assert_ne!(place, "bind", "a deliberate panic");
        Ok(place)
    }

    fn open(place: &String, _: Open<'_>) -> Result<Scan> {
        assert_ne!(place, "init", "a deliberate panic");
        Ok(Scan { place: place.clone(), done: false })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        assert_ne!(scan.place, "scan", "a deliberate panic");
        if !std::mem::replace(&mut scan.done, true) {
            for column in batch.columns_mut() {
                column.push_text(Some(&scan.place));
            }
        }
        Ok(())
    }
}
