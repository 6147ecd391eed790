//! The scope of an approval.

use crate::approvals::operation::{FileTool, Operation, Session};
use redline_base::budget::Copied;
use redline_base::error::{Error, Result, quoted};

/// The scope of an approval. Every scope covers one session and one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The operation that was shown, once, on the state that was shown.
    Once,
    /// As `once`, for a payload that is too large to read and was not shown as a whole.
    Unread,
    /// The same tool on the same file.
    Path,
    /// The same tool in the same sandbox.
    Sandbox,
    /// The same tool anywhere.
    Session,
}

impl Scope {
    const ALL: [Self; 5] = [Self::Once, Self::Unread, Self::Path, Self::Sandbox, Self::Session];

    /// Reads a scope by its name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name).ok_or_else(|| {
            Error::invalid_args(format!("there is no scope {}", quoted(name))).with_hint(
                "Use once, path, sandbox or session, or unread for a payload that is too large to be shown",
            )
        })
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

    /// Returns the part of [`Covered::around`] an operation that the scope covers beyond it.
    pub(crate) fn of(self, [path, sandbox, session]: &[Covered; 3]) -> Option<&Covered> {
        match self {
            Self::Once | Self::Unread => None,
            Self::Path => Some(path),
            Self::Sandbox => Some(sandbox),
            Self::Session => Some(session),
        }
    }
}

/// The operations that an approval of a scope wider than `once` covers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Covered {
    pub session: Session,
    pub tool: FileTool,
    /// `None`: every sandbox.
    sandbox: Option<Vec<u8>>,
    /// `None`: every path.
    path: Option<Vec<u8>>,
}

impl Covered {
    /// Returns the operations that the scopes `path`, `sandbox` and `session` cover for an
    /// operation.
    pub fn around(operation: &Operation<'_>) -> [Self; 3] {
        let (session, tool) = (operation.session, operation.tool);
        let (sandbox, path) =
            (Some(operation.sandbox.copied_vec()), Some(operation.path.copied_vec()));
        let covered = |sandbox, path| Self { session: session.clone(), tool, sandbox, path };
        [covered(sandbox.clone(), path), covered(sandbox, None), covered(None, None)]
    }
}
