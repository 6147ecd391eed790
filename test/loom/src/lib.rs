//! Searches the interleavings of the pipeline's threads with loom.
//!
//! loom runs each model again and again, with another order of its threads at their locks each time, until it has
//! seen all orders with at most `PREEMPTIONS` switches that no lock forced. A wait with a time limit never ends by
//! itself here, so these models also show that nothing depends on one.

#![cfg(test)]
#![allow(dead_code, unused_imports)]

#[path = "../../../src/base/budget/mod.rs"]
mod budget;
#[path = "../../../src/base/error.rs"]
mod error;
#[path = "../../../src/base/limits.rs"]
mod limits;
#[path = "../../../src/base/pipeline/mod.rs"]
mod pipeline;

mod models;
