//! What agents call: the tools and what they may do.

pub mod capabilities;
pub mod git_tools;
pub mod tool_calls;
