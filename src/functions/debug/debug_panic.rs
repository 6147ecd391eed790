//! Functions that panic on purpose, in debug builds only: tests use them to show that a panic
//! becomes a SQL error.

use crate::error::Result;
use crate::ffi::{
    Arguments, Batch, Column, Field, Nulls, Open, Overload, ScalarFunction, Settings, TableFunction, Type, Value,
};

/// `redline_debug_panic(where)`: panics in `init` or `call` when so told.
pub struct Panic;

impl ScalarFunction for Panic {
    const NAME: &'static str = "redline_debug_panic";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar]];
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

/// `redline_debug_panic_scan(where)`: panics in `bind`, `init`, `scan` or `drop`.
pub struct PanicScan;

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
    const PARAMETERS: &'static [Field] = &[Field::new("place", Type::Varchar)];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = &[Field::new("place", Type::Varchar)];
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = String;
    type Scan = Scan;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<String> {
        let place = crate::functions::params::arguments::required_text(&arguments[0], Self::NAME, "place")?;
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
