//! What an approval is for: one operation of one session on one state of one file, to the byte.

use super::secret::{Digest, Mac, Secret};

/// What is done to a file.
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
    /// Returns the name under which agents call it.
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

    /// Returns what it does, as a description begins.
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

/// For whom a call is made: approvals of one are no approvals of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Session {
    /// The connection of this number, which the database gives to no other.
    Connection(u64),
    /// What the host of several agents calls one of them. Whoever knows the name can call for it.
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

/// An operation and the state it is meant for.
#[derive(Debug, Clone, Copy)]
pub struct Operation<'a> {
    /// For whom.
    pub session: &'a Session,
    /// What is done.
    pub tool: FileTool,
    /// What tells the sandbox from every other: its name, its path and its very directory.
    pub sandbox: &'a [u8],
    /// The path beneath the root.
    pub path: &'a [u8],
    /// The arguments that decide on the result, in order.
    pub arguments: &'a [&'a [u8]],
    /// The content as it is, `None` where there is no file.
    pub base: Option<&'a [u8]>,
    /// The content as it will be, `None` where nothing is written.
    pub result: Option<&'a [u8]>,
    /// The file's kind and permissions as they are.
    pub mode: Option<u32>,
}

impl Operation<'_> {
    /// Returns what tells it from every other operation, whatever the file holds: its approval id.
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

    /// Returns what tells what becomes of a file for a session from every other result, whatever
    /// arguments lead to it.
    pub fn outcome(&self, secret: &Secret) -> Digest {
        let mut fields = secret.mac("outcome");
        fields.push(self.sandbox);
        fields.push(self.path);
        fields.push(self.state(secret).to_string().as_bytes());
        self.session.push(&mut fields);
        fields.finish()
    }

    /// Returns what tells the state of the file, and what is made of it, from every other.
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
