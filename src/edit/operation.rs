//! What an approval is for: one operation on one state of one file, to the byte.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// `read_file`.
    Read,
    /// `write_file`.
    Write,
    /// `edit_file`.
    Edit,
}

impl Tool {
    /// Returns the name under which agents call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read_file",
            Self::Write => "write_file",
            Self::Edit => "edit_file",
        }
    }
}

/// A SHA-256 digest; shown as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An operation and the state it is meant for.
#[derive(Debug, Clone, Copy)]
pub struct Operation<'a> {
    /// What is done.
    pub tool: Tool,
    /// The device and the inode of the sandbox's root.
    pub root: (u64, u64),
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
    /// Returns what tells the operation on this state from every other.
    pub fn digest(&self) -> Digest {
        let mut fields = self.asked();
        fields.optional(self.base);
        fields.optional(self.result);
        fields.optional(self.mode.map(u32::to_be_bytes).as_ref().map(|mode| &mode[..]));
        fields.finish()
    }

    /// Returns what tells it from every other operation, whatever the file holds.
    pub fn request(&self) -> Digest {
        self.asked().finish()
    }

    fn asked(&self) -> Fields {
        let mut fields = Fields(Sha256::new());
        fields.push(self.tool.name().as_bytes());
        fields.push(&self.root.0.to_be_bytes());
        fields.push(&self.root.1.to_be_bytes());
        fields.push(self.path);
        fields.push(&(self.arguments.len() as u64).to_be_bytes());
        self.arguments.iter().for_each(|argument| fields.push(argument));
        fields
    }
}

/// Fields, each with its length before it, so that no two lists of fields have the same bytes.
struct Fields(Sha256);

impl Fields {
    fn push(&mut self, field: &[u8]) {
        self.0.update((field.len() as u64).to_be_bytes());
        self.0.update(field);
    }

    fn optional(&mut self, field: Option<&[u8]>) {
        self.push(&[u8::from(field.is_some())]);
        self.push(field.unwrap_or_default());
    }

    fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn two_operations_or_states_share_a_digest() {
        let one = Operation {
            tool: Tool::Edit,
            root: (1, 2),
            path: b"a/b",
            arguments: &[b"old", b"new"],
            base: Some(b"old"),
            result: Some(b"new"),
            mode: Some(0o100_644),
        };
        let others = [
            Operation { tool: Tool::Write, ..one },
            Operation { root: (2, 1), ..one },
            Operation { path: b"a/c", ..one },
            Operation { arguments: &[b"oldn", b"ew"], ..one },
            Operation { arguments: &[b"old"], ..one },
            Operation { arguments: &[b"old", b"new", b""], ..one },
            Operation { base: Some(b"other"), ..one },
            Operation { base: Some(b""), ..one },
            Operation { base: None, ..one },
            Operation { result: Some(b"newer"), ..one },
            Operation { result: None, ..one },
            Operation { mode: Some(0o100_755), ..one },
            Operation { mode: None, ..one },
        ];
        let digests: HashSet<Digest> = others.iter().chain([&one]).map(Operation::digest).collect();
        assert_eq!(digests.len(), others.len() + 1);
        assert_eq!(one.digest(), Operation { ..one }.digest());
        let requests: HashSet<Digest> = others.iter().chain([&one]).map(Operation::request).collect();
        assert_eq!(requests.len(), 7);
    }

    #[test]
    fn a_digest_is_not_sha_256_of_the_fields_behind_their_lengths() {
        let operation = Operation {
            tool: Tool::Read,
            root: (1, 2),
            path: b"p",
            arguments: &[],
            base: Some(b""),
            result: None,
            mode: None,
        };
        // Computed with Python's hashlib.
        let expected = "1156514c2081931a597689733b2251ec885bcadca2dcb4436e4f997f9c43e486";
        assert_eq!(operation.digest().to_string(), expected);
    }
}
