//! Objects by their ids: `reader` (with errors of our own), `cache`, `counted_pairs` (line counts of blobs), `delta`,
//! `blob_id` (the id of a content) and `abbreviation` (ids abbreviated as in git's patches).

pub mod abbreviation;
pub mod blob_id;
pub mod bytes;
pub mod cache;
pub mod counted_pairs;
pub mod delta;
mod reader;

pub use reader::Objects;
