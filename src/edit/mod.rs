//! Edits of a file and the approvals they wait for: bytes in, values out, no I/O.
//!
//! | file | holds |
//! |---|---|
//! | `payload` | what a person is shown before an operation, as typed JSON |

pub mod payload;
