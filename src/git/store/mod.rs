//! The gate: every file of a repository is opened here, and nowhere else.
//!
//! | file | holds |
//! |---|---|
//! | `gate` | directories of a repository and the files that are opened beneath them, with errors of our own |
//! | `index` | the index, as bytes |

mod gate;
pub mod index;

pub use gate::{Found, Gate, GitDirectory};
