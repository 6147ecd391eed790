//! The rules of the sources.

mod architecture;
mod growth;
mod sources;
