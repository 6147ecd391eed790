//! The operation that an approval covers: one operation of one session on one state of its files,
//! to the byte.
//!
//! The digest of an operation is the payload's `approval_id`, so proposing twice, as a query may,
//! is proposing once. A waiting operation holds the bytes of the result, and an approved one
//! writes exactly these.

use crate::approvals::secret::{Digest, Mac, Secret};
use crate::plan::change::{ChangeSet, ChangedFile, Side};
use redline_base::budget::Gather;

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
    /// `git_restore`.
    Restore,
    /// `git_commit`.
    Commit,
    /// `git_stage`.
    Stage,
    /// `git_unstage`.
    Unstage,
    /// `undo` of one of these three.
    UndoGit,
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
            Self::Undo | Self::UndoGit => "undo",
            Self::Restore => "git_restore",
            Self::Commit => "git_commit",
            Self::Stage => "git_stage",
            Self::Unstage => "git_unstage",
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
            Self::Restore => "Restore files of",
            Self::Commit => "Commit in",
            Self::Stage => "Stage in",
            Self::Unstage => "Unstage in",
            Self::UndoGit => "Undo in",
        }
    }

    /// Tells whether it writes into a git directory.
    pub const fn is_of_git(self) -> bool {
        matches!(self, Self::Commit | Self::Stage | Self::Unstage | Self::UndoGit)
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
    fn feed(&self, fields: &mut Mac) {
        match self {
            Self::Connection(number) => fields.feed(&number.to_be_bytes()),
            // One field more than a connection has.
            Self::Named(name) => {
                fields.feed(b"named");
                fields.feed(name.as_bytes());
            }
        }
    }
}

/// An operation, and its effect on the files as they are.
#[derive(Debug, Clone, Copy)]
pub struct Operation<'a> {
    /// The session.
    pub session: &'a Session,
    /// The tool.
    pub tool: FileTool,
    /// The identity of the sandbox: its name, its path and its directory.
    pub sandbox: &'a [u8],
    /// The path beneath the root; of several files all of them, in order.
    pub path: &'a [u8],
    /// The arguments that the result depends on, in order.
    pub arguments: &'a [&'a [u8]],
    /// The files before and after; empty while they must not be read.
    pub changes: &'a ChangeSet<'a>,
    /// What the result depends on beside the files, such as the branch of a commit.
    pub basis: &'a [u8],
}

impl Operation<'_> {
    /// Returns the approval id: the same for equal operations, whatever the files hold.
    pub fn id(&self, secret: &Secret) -> Digest {
        let mut fields = secret.mac("operation");
        fields.feed(self.tool.name().as_bytes());
        fields.feed(self.sandbox);
        fields.feed(self.path);
        fields.feed(&(self.arguments.len() as u64).to_be_bytes());
        self.arguments.iter().for_each(|argument| fields.feed(argument));
        self.session.feed(&mut fields);
        fields.finish()
    }

    /// Returns a digest of the files before and after.
    pub fn state(&self, secret: &Secret) -> Digest {
        let mut fields = secret.mac("state");
        fields.feed(self.basis);
        for file in &self.changes.0 {
            fields.feed(file.path.as_bytes());
            fields.feed_optional(file.old_path.map(str::as_bytes));
            feed_side(&mut fields, file.before);
            feed_side(&mut fields, file.after);
        }
        fields.finish()
    }

    /// Returns a digest of the result for each path and the session, whatever tool and whatever
    /// other files lead to it: what a person who declines the operation has declined.
    ///
    /// Of a commit it is the commit as a whole: one with another message is another.
    pub fn results(&self, secret: &Secret) -> Vec<Digest> {
        if self.tool.is_of_git() {
            let mut fields = secret.mac("result of git");
            for digest in [self.id(secret), self.state(secret)] {
                fields.feed(digest.to_string().as_bytes());
            }
            return vec![fields.finish()];
        }
        let result = |(path, sides): (&str, [Option<Side<'_>>; 2])| {
            let mut fields = secret.mac("result");
            fields.feed(&[u8::from(self.tool == FileTool::Read)]);
            fields.feed(self.sandbox);
            fields.feed(path.as_bytes());
            sides.into_iter().for_each(|side| feed_side(&mut fields, side));
            self.session.feed(&mut fields);
            fields.finish()
        };
        self.changes.0.iter().flat_map(ChangedFile::at_paths).map(result).gather()
    }

    /// Tells whether an approval of a scope wider than `once` may cover it.
    pub fn may_be_covered(&self) -> bool {
        self.tool == FileTool::Read || !self.tool.is_of_git() && self.changes.is_of_contents()
    }
}

fn feed_side(fields: &mut Mac, side: Option<Side<'_>>) {
    fields.feed_optional(side.map(|side| side.content));
    fields.feed(&side.map_or(0, |side| side.mode).to_be_bytes());
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
        let side = |content, mode| Some(Side { content, mode, oid: "" });
        let file = ChangedFile {
            path: "a/b",
            old_path: None,
            before: side(&b"old"[..], 0o100_644),
            after: side(b"new", 0o100_644),
        };
        let set = |file| ChangeSet(vec![file]);
        let changes = set(file);
        let one = Operation {
            session: &session,
            tool: FileTool::Edit,
            sandbox: b"w",
            path: b"a/b",
            arguments: &[b"old", b"new"],
            changes: &changes,
            basis: b"",
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
        let sets = [
            set(ChangedFile { path: "a/c", ..file }),
            set(ChangedFile { old_path: Some("a"), ..file }),
            set(ChangedFile { before: side(b"other", 0o100_644), ..file }),
            set(ChangedFile { before: side(b"", 0o100_644), ..file }),
            set(ChangedFile { before: None, ..file }),
            set(ChangedFile { before: side(b"old", 0o100_755), ..file }),
            set(ChangedFile { after: side(b"newer", 0o100_644), ..file }),
            set(ChangedFile { after: side(b"new", 0o100_755), ..file }),
            set(ChangedFile { after: None, ..file }),
            ChangeSet(vec![file, file]),
            ChangeSet::default(),
        ];
        let states = sets.each_ref().map(|changes| Operation { changes, ..one });
        let based = Operation { basis: b"branch", ..one };
        assert_eq!(based.id(&secret), one.id(&secret));
        assert_ne!(based.state(&secret), one.state(&secret));
        let committed = Operation { tool: FileTool::Commit, ..one };
        assert!(one.may_be_covered() && !committed.may_be_covered());
        let renamed = Operation { arguments: &[b"other message"], ..committed };
        assert_ne!(committed.results(&secret), renamed.results(&secret));
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
