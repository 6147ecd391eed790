//! A tool that can be called.

use crate::Caller;
use redline_base::error::Result;
use redline_tools::{Answer, Declaration, Reply, Tool, parse};

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

/// A tool that needs no more than the caller, without its types.
#[derive(Clone, Copy)]
pub struct Answering {
    /// The part of it that is listed.
    pub declaration: Declaration,
    /// Answers a call whose arguments are JSON text, which also give the form of the answer.
    pub answer: fn(Caller, &mut Reply, &str) -> Result<Answer>,
    /// Refuses arguments that it does not take.
    pub check: fn(&str) -> Result<()>,
}

impl Answering {
    /// Returns a tool without its types.
    pub const fn of<T: Answers>() -> Self {
        Self {
            declaration: Declaration::of::<T>(),
            answer: |caller, reply, text| {
                reply.answered::<T>(text, |reply, given| T::answer(Call { caller, reply }, given))
            },
            check: |text| parse::<T>(text).map(drop),
        }
    }
}
