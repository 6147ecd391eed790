//! A tool that can be called: [`Answers`] joins its declaration to its work, and [`Entry`] is its
//! place in the list.

use crate::error::Result;
use crate::functions::context::execution_context::ExecutionContext;
use crate::tools::{self, Answer, Declaration, FileCall, Reply, Tool};

/// A call of a granted tool.
pub struct Call {
    /// The settings, and the access that they give.
    pub execution: ExecutionContext,
    /// How to answer.
    pub reply: Reply,
}

/// A tool that can be called.
pub trait Answers: Tool {
    /// Does the work.
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output>;

    /// Returns the call of a file that a person may have to approve; other tools touch no file.
    fn file_call(_arguments: Self::Arguments) -> Option<FileCall> {
        None
    }
}

/// A tool without its types.
pub struct Entry {
    /// The part of it that is listed.
    pub declaration: Declaration,
    answer: fn(ExecutionContext, &mut Reply, &str) -> Result<Answer>,
    file_call: fn(&str) -> Result<Option<FileCall>>,
}

impl Entry {
    /// Returns the entry of a tool.
    pub const fn of<T: Answers>() -> Self {
        Self {
            declaration: Declaration::of::<T>(),
            answer: answer::<T>,
            file_call: |text| Ok(T::file_call(tools::parse::<T>(text)?.arguments)),
        }
    }

    /// Answers a call whose arguments are JSON text, which also give the form of the answer.
    pub fn answer(
        &self,
        execution: ExecutionContext,
        reply: &mut Reply,
        arguments: &str,
    ) -> Result<Answer> {
        (self.answer)(execution, reply, arguments)
    }

    /// Returns the call of a file that a person may have to approve; `None` for a tool that touches
    /// no file.
    pub fn file_call(&self, arguments: &str) -> Result<Option<FileCall>> {
        (self.file_call)(arguments)
    }
}

fn answer<T: Answers>(
    execution: ExecutionContext,
    reply: &mut Reply,
    text: &str,
) -> Result<Answer> {
    let given = tools::parse::<T>(text)?;
    (reply.max_bytes, reply.is_data) = (given.max_bytes, given.is_data);
    let output = T::answer(Call { execution, reply: *reply }, given.arguments)?;
    reply.answer(&output)
}
