//! How much a yes is for.

use super::operation::{FileTool, Operation, Session};
use crate::error::{Error, Result, quoted};

/// How much an approval is for. Every scope is for one session and one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The operation that was shown, once, on the state that was shown.
    Once,
    /// As `once`, of a payload that is too large for anybody to read, and was not shown as a whole.
    Unread,
    /// The same tool on the same file.
    Path,
    /// What the same tool does in the same sandbox.
    Sandbox,
    /// What the same tool does.
    Session,
}

impl Scope {
    /// Reads a scope by its name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "once" => Ok(Self::Once),
            "unread" => Ok(Self::Unread),
            "path" => Ok(Self::Path),
            "sandbox" => Ok(Self::Sandbox),
            "session" => Ok(Self::Session),
            _ => Err(Error::invalid_args(format!("there is no scope {}", quoted(name))).with_hint(
                "Use once, path, sandbox or session, or unread for what is too large to be shown",
            )),
        }
    }

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Unread => "unread",
            Self::Path => "path",
            Self::Sandbox => "sandbox",
            Self::Session => "session",
        }
    }

    /// Tells whether it is for more than what was shown.
    pub const fn is_wide(self) -> bool {
        matches!(self, Self::Path | Self::Sandbox | Self::Session)
    }

    /// Returns what it covers beyond the operation itself, of what lies [`Covered::around`] it.
    pub(super) fn of(self, [path, sandbox, session]: &[Covered; 3]) -> Option<&Covered> {
        match self {
            Self::Once | Self::Unread => None,
            Self::Path => Some(path),
            Self::Sandbox => Some(sandbox),
            Self::Session => Some(session),
        }
    }
}

/// What an approval of a scope wider than `once` is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Covered {
    pub session: Session,
    pub tool: FileTool,
    /// `None` is every sandbox.
    sandbox: Option<Vec<u8>>,
    /// `None` is every path.
    path: Option<Vec<u8>>,
}

impl Covered {
    /// Returns what the scopes `path`, `sandbox` and `session` cover around an operation.
    pub fn around(operation: &Operation<'_>) -> [Self; 3] {
        let (session, tool) = (operation.session, operation.tool);
        let (sandbox, path) = (Some(operation.sandbox.to_vec()), Some(operation.path.to_vec()));
        let covered = |sandbox, path| Self { session: session.clone(), tool, sandbox, path };
        [covered(sandbox.clone(), path), covered(sandbox, None), covered(None, None)]
    }
}
