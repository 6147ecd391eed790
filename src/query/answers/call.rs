//! A tool that can be called.

use crate::Caller;
use redline_base::error::Result;
use redline_tools::{Reply, Tool};

/// A call of a granted tool.
pub struct Call {
    /// For whom, within what.
    pub caller: Caller,
    /// How to answer.
    pub reply: Reply,
}

/// A tool that needs no more than the caller: its declaration and its work are one.
pub trait Answers: Tool {
    /// Does the work.
    ///
    /// # Errors
    /// Those of the work.
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output>;
}
