//! What a function on top of SQL is made of.

pub mod stream;
