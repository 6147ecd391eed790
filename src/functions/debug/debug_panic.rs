//! Functions that panic on purpose, in debug builds only: tests use them to show that a panic
//! becomes a SQL error.

use std::thread::{self, ThreadId};

use crate::ffi::{self, Open, Overload};
use crate::functions::params::{Args, Name, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar, Table};
use redline_base::error::Result;
use redline_rows::{Batch, Col, Field, Out, Row, Varchar, Written, varchar};

/// `redline_debug_panic(place)`: panics when it is called.
pub struct Panic;

const PLACE: Param<Name> = required("place", "Where to panic");

impl Scalar for Panic {
    const DECLARATION: Declaration = Declaration {
        name: "redline_debug_panic",
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Panics",
        example: "SELECT redline_debug_panic('call')",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PLACE]];
    type Returns = Varchar;
    type State = ();

    fn call((): &mut (), _: Args<'_>, _: Out<'_, Varchar>) -> Result<Written> {
        panic!("a deliberate panic")
    }
}

/// `redline_debug_panic_scan(place)`: panics in `bind`, `open`, `scan` or `drop`, and where another
/// thread than the one that opened the scan makes its first chunk.
pub struct PanicScan;

/// A scan whose destructor panics if requested.
pub struct Scan {
    place: String,
    opened_by: ThreadId,
    done: bool,
}

impl Drop for Scan {
    fn drop(&mut self) {
        assert_ne!(self.place, "drop", "a deliberate panic");
    }
}

/// The place at which it panics.
pub struct Place;

impl Row for Place {
    type Of<'a> = &'a str;

    const OWN: &'static [Col<Self>] =
        &[varchar("place", "Where to panic", |place, out| out.text(place))];
}

impl Table for PanicScan {
    const DECLARATION: Declaration = Declaration {
        name: "redline_debug_panic_scan",
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Panics in a given step",
        example: "FROM redline_debug_panic_scan('scan')",
    };
    const PARAMETERS: &'static [Field] = fields![PLACE];
    type Row = Place;
    const SETTINGS: &'static [&'static str] = &[];
    type Bind = String;
    type Scan = Scan;

    fn bind(args: Args<'_>) -> Result<String> {
        let place = args.get(PLACE)?.to_owned();
        assert_ne!(place, "bind", "a deliberate panic");
        Ok(place)
    }

    fn open(place: &String, _: Open<'_>) -> Result<Scan> {
        assert_ne!(place, "open", "a deliberate panic");
        Ok(Scan { place: place.clone(), opened_by: thread::current().id(), done: false })
    }
}

impl ffi::Scan for Scan {
    fn fill(&mut self, batch: &mut Batch) -> Result<()> {
        assert_ne!(self.place, "scan", "a deliberate panic");
        if !std::mem::replace(&mut self.done, true) {
            assert_eq!(thread::current().id(), self.opened_by, "opened by another thread");
            Place::COLUMNS.write_projected(&self.place, batch);
        }
        Ok(())
    }
}
