//! The part of rustix that redline uses, for Windows: opening and reading. Whatever would write is
//! refused with [`Errno::NOSYS`].
//!
//! Windows opens paths, not names in an opened directory, so an opened directory holds its path.
//! It stays where it is: its handle does not share the right to delete, without which neither it nor
//! a directory above it can be renamed or replaced. Each name is opened as what it is, never as what
//! it leads to, so that a link is known from its own handle. Names that Windows reads as
//! another one or as a device are no names ([`is_plain`]).

pub mod fd;
pub mod fs;
pub mod io;

/// Tells whether a name is one that Windows takes literally: no stream of a file, no device, no
/// ending that it drops, and not the short name of another file.
fn is_plain(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let is_numbered = |start: &str| {
        stem.get(..3).is_some_and(|given| given.eq_ignore_ascii_case(start))
            && stem.chars().count() == 4
            && stem.ends_with(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '¹', '²', '³'])
    };
    let devices = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    let is_short = || {
        let mut parts = stem.split('~').skip(1);
        stem.len() <= 8 && parts.any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    };
    !name.is_empty()
        && !name.ends_with(['.', ' '])
        && !name.contains(|c: char| c < ' ' || "\\/:*?\"<>|".contains(c))
        && !devices.iter().any(|device| stem.eq_ignore_ascii_case(device))
        && !is_numbered("COM")
        && !is_numbered("LPT")
        && !is_short()
}

/// Names.
pub mod path {
    use std::ffi::CStr;
    use std::path::{Path, PathBuf};

    /// A name, as functions of the system take it.
    pub trait Arg {
        /// Returns it as text; `None` for one that is not UTF-8, which no file has.
        fn text(&self) -> Option<&str>;
    }

    impl Arg for str {
        fn text(&self) -> Option<&str> {
            Some(self)
        }
    }

    impl Arg for String {
        fn text(&self) -> Option<&str> {
            Some(self)
        }
    }

    impl Arg for [u8] {
        fn text(&self) -> Option<&str> {
            std::str::from_utf8(self).ok()
        }
    }

    impl Arg for CStr {
        fn text(&self) -> Option<&str> {
            self.to_str().ok()
        }
    }

    impl Arg for Path {
        fn text(&self) -> Option<&str> {
            self.to_str()
        }
    }

    impl Arg for PathBuf {
        fn text(&self) -> Option<&str> {
            self.to_str()
        }
    }

    impl<T: Arg + ?Sized> Arg for &T {
        fn text(&self) -> Option<&str> {
            (**self).text()
        }
    }
}

/// Memory that is read into.
pub mod buffer {
    /// The room behind the bytes of a vector.
    #[derive(Debug)]
    pub struct Spare<'a>(pub(super) &'a mut Vec<u8>);

    /// Returns the room behind the bytes of a vector, up to its capacity.
    pub fn spare_capacity(bytes: &mut Vec<u8>) -> Spare<'_> {
        Spare(bytes)
    }
}

/// Processes: what of them is asked where nothing is written.
pub mod process {
    /// A process.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Pid;

    /// Returns the current process.
    pub fn getpid() -> Pid {
        Pid
    }

    /// A user.
    #[derive(Debug, Clone, Copy)]
    pub struct User;

    impl User {
        /// Returns its number, which is what the state of each file has.
        pub fn as_raw(self) -> u32 {
            0
        }
    }

    /// Returns the user of this process.
    pub fn geteuid() -> User {
        User
    }

    /// A bounded resource.
    #[derive(Debug, Clone, Copy)]
    pub enum Resource {
        Nofile,
    }

    /// The bounds of a resource.
    #[derive(Debug, Clone, Copy)]
    pub struct Limit {
        /// The bound; `None` for none.
        pub current: Option<u64>,
    }

    /// Returns the bounds of a resource: a process of Windows has millions of handles.
    pub fn getrlimit(_: Resource) -> Limit {
        Limit { current: None }
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn a_name_that_windows_reads_as_another_is_none() {
        for name in [
            "",
            "NUL",
            "nul.txt",
            "con",
            "COM1",
            "lpt9.x",
            "COM¹",
            "CONIN$",
            "a.",
            "a ",
            "a:b",
            "a::$DATA",
            "a\\b",
            "a/b",
            "a*",
            "a?",
            "GIT~1",
            "readme~2.md",
            "a\u{1}",
            "NUL .txt",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
        for name in ["a", ".git", "null", "com", "COM10", "a.b", "a b", "ü", "long-name~1", "..a"]
        {
            assert!(is_plain(name), "{name:?}");
        }
    }
}
