//! The rows of a question: SQL types as constants (`types`), values in memory as DuckDB wants them
//! (`column`), the declaration of a row by its columns (`columns`, [`Row`]), typed places for values
//! (`out`, `structures`, `value`), and the data that columns need (`needs`). And what it asks: its
//! parameters (`params`) and its name (`declaration`).
//!
//! Pure: `ffi` writes columns to DuckDB's vectors, tools write rows to JSON.

mod column;
mod columns;
mod declaration;
mod needs;
mod out;
pub mod params;
mod structures;
mod types;
mod value;

pub use column::{Batch, Column, Texts};
pub use columns::{
    Col, Columns, Has, Part, Row, bigint, blob, boolean, double, integer, json, timestamp,
    utinyint, varchar, varchars,
};
pub use declaration::{Declaration, Family, Grant};
pub use needs::{Need, Needs};
pub use out::{Blob, Boolean, Json, Out, Returned, Varchar, Varchars, Written};
pub use structures::{
    Elements, HasList, HasOne, ListOf, StructOf, optional_structure, structure, structures,
};
pub use types::{Constant, Field, Type};
pub use value::{Number, Text};

/// Joins lists of declarations, such as `joined!(Field: OWN, SHARED)`, to one constant list.
#[macro_export]
macro_rules! joined {
    ($of:ty: $($list:expr),* $(,)?) => {{
        const LISTS: &[&[$of]] = &[$($list),*];
        const ALL: [$of; $crate::declared(LISTS)] = $crate::in_one_list(LISTS);
        &ALL
    }};
}

/// Returns the number of the declarations in all lists.
pub const fn declared<T>(lists: &[&[T]]) -> usize {
    let (mut number, mut list) = (0, 0);
    while list < lists.len() {
        number += lists[list].len();
        list += 1;
    }
    number
}

/// Returns the declarations of all lists, of which the first has some; `N` is their number.
pub const fn in_one_list<T: Copy, const N: usize>(lists: &[&[T]]) -> [T; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut at, mut place) = (0, 0, 0);
    while list < lists.len() {
        while at < lists[list].len() {
            all[place] = lists[list][at];
            (at, place) = (at + 1, place + 1);
        }
        (list, at) = (list + 1, 0);
    }
    all
}
