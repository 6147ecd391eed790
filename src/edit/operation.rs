//! The operation that an approval covers: one operation of one session on one state of one file, to
//! the byte.

use super::secret::{Digest, Mac, Secret};

/// A tool that works on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileTool {
    /// `read_file`.
    Read,
    /// `write_file`.
    Write,
    /// `edit_file`.
    Edit,
    /// `edit_lines`.
    Lines,
    /// `edit_files`.
    Patch,
    /// `undo`.
    Undo,
}

impl FileTool {
    /// Returns the name of the tool.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read_file",
            Self::Write => "write_file",
            Self::Edit => "edit_file",
            Self::Lines => "edit_lines",
            Self::Patch => "edit_files",
            Self::Undo => "undo",
        }
    }

    /// Returns the verb that starts a description of the operation.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Write => "Write",
            Self::Edit | Self::Lines => "Edit",
            Self::Patch => "Patch",
            Self::Undo => "Undo changes of",
        }
    }
}

/// The session of a call; sessions do not share approvals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Session {
    /// The connection with this number, which is unique in the database.
    Connection(u64),
    /// The name that a host of several agents gives to one of them. Whoever knows the name can call
    /// for it.
    Named(String),
}

impl Session {
    fn push(&self, fields: &mut Mac) {
        match self {
            Self::Connection(number) => fields.push(&number.to_be_bytes()),
            // One field more than a connection has.
            Self::Named(name) => {
                fields.push(b"named");
                fields.push(name.as_bytes());
            }
        }
    }
}

/// An operation and the state of the file that it is meant for.
#[derive(Debug, Clone, Copy)]
pub struct Operation<'a> {
    /// The session.
    pub session: &'a Session,
    /// The tool.
    pub tool: FileTool,
    /// The identity of the sandbox: its name, its path and its directory.
    pub sandbox: &'a [u8],
    /// The path beneath the root.
    pub path: &'a [u8],
    /// The arguments that the result depends on, in order.
    pub arguments: &'a [&'a [u8]],
    /// The current content, `None` if there is no file.
    pub base: Option<&'a [u8]>,
    /// The new content, `None` if nothing is written.
    pub result: Option<&'a [u8]>,
    /// The current kind and permissions of the file.
    pub mode: Option<u32>,
}

impl Operation<'_> {
    /// Returns the approval id: the same for equal operations, whatever the file holds.
    pub fn id(&self, secret: &Secret) -> Digest {
        let mut fields = secret.mac("operation");
        fields.push(self.tool.name().as_bytes());
        fields.push(self.sandbox);
        fields.push(self.path);
        fields.push(&(self.arguments.len() as u64).to_be_bytes());
        self.arguments.iter().for_each(|argument| fields.push(argument));
        self.session.push(&mut fields);
        fields.finish()
    }

    /// Returns a digest of the result of the operation for its session, whatever arguments lead to
    /// it.
    pub fn outcome(&self, secret: &Secret) -> Digest {
        let mut fields = secret.mac("outcome");
        fields.push(self.sandbox);
        fields.push(self.path);
        fields.push(self.state(secret).to_string().as_bytes());
        self.session.push(&mut fields);
        fields.finish()
    }

    /// Returns a digest of the state of the file and of the result.
    pub fn state(&self, secret: &Secret) -> Digest {
        let mut fields = secret.mac("state");
        fields.push_optional(self.base);
        fields.push_optional(self.result);
        fields.push_optional(self.mode.map(u32::to_be_bytes).as_ref().map(|mode| &mode[..]));
        fields.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn two_operations_or_states_never_share_a_digest() {
        let (secret, session) = (Secret::random(), Session::Connection(1));
        let sessions =
            [Session::Connection(2), Session::Named("1".to_owned()), Session::Named(String::new())];
        let one = Operation {
            session: &session,
            tool: FileTool::Edit,
            sandbox: b"w",
            path: b"a/b",
            arguments: &[b"old", b"new"],
            base: Some(b"old"),
            result: Some(b"new"),
            mode: Some(0o100_644),
        };
        let requests = [
            Operation { session: &sessions[0], ..one },
            Operation { session: &sessions[1], ..one },
            Operation { session: &sessions[2], ..one },
            Operation { tool: FileTool::Write, ..one },
            Operation { sandbox: b"x", ..one },
            Operation { path: b"a/c", ..one },
            Operation { arguments: &[b"oldn", b"ew"], ..one },
            Operation { arguments: &[b"old"], ..one },
            Operation { arguments: &[b"old", b"new", b""], ..one },
        ];
        let states = [
            Operation { base: Some(b"other"), ..one },
            Operation { base: Some(b""), ..one },
            Operation { base: None, ..one },
            Operation { result: Some(b"newer"), ..one },
            Operation { result: None, ..one },
            Operation { mode: Some(0o100_755), ..one },
            Operation { mode: None, ..one },
        ];
        let ids: HashSet<Digest> =
            requests.iter().chain([&one]).map(|one| one.id(&secret)).collect();
        assert_eq!(ids.len(), requests.len() + 1);
        assert!(states.iter().all(|state| state.id(&secret) == one.id(&secret)));
        let digests: HashSet<Digest> =
            states.iter().chain([&one]).map(|one| one.state(&secret)).collect();
        assert_eq!(digests.len(), states.len() + 1);
        assert!(requests.iter().all(|request| request.state(&secret) == one.state(&secret)));
    }
}
