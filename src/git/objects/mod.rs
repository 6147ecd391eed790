//! Objects by their ids: `reader` (with redline's errors), `blob_id` (the id of a content) and
//! `abbreviation` (ids abbreviated as in git's patches).

pub mod abbreviation;
pub mod blob_id;
mod reader;

pub use reader::Objects;
