//! What a function on top of SQL is made of: typed columns (`columns`), what it says of itself
//! (`declaration`), the list of all functions (`registry`) and one line of it (`entry`), the
//! columns of lines (`line_rows`), results of tools (`records`), and scans over rows that are there (`rows`) or being computed (`stream`).

pub mod columns;
pub mod declaration;
pub mod entry;
pub mod line_rows;
pub mod records;
pub mod registry;
pub mod rows;
pub mod stream;

pub use columns::{Col, Has, Part, Row, col, needing};
pub use declaration::{Declaration, Declared, Family, Grant};
pub use entry::{Entry, Signature};
pub use registry::FUNCTIONS;
pub use rows::Rows;
pub use stream::{Stream, Tabular};
