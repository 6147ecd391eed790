//! The rules of the sources.

mod architecture;
mod sources;
