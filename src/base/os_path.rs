//! Paths of the operating system and paths of git, which are bytes with `/` between the names.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// Returns a path of git as the system writes it. Where the system's names are texts, as on
/// Windows, one that is no UTF-8 becomes one that no file has.
pub fn of_git(path: &[u8]) -> Cow<'_, OsStr> {
    #[cfg(unix)]
    {
        Cow::Borrowed(std::os::unix::ffi::OsStrExt::from_bytes(path))
    }
    #[cfg(not(unix))]
    {
        // `\\?\` before a path makes `/` a part of a name.
        let text = String::from_utf8_lossy(path).replace('/', "\\");
        Cow::Owned(text.into())
    }
}

/// Returns a path of the system as git writes it; on Windows, a drive is the first name of an
/// absolute one.
pub fn to_git(path: &Path) -> Cow<'_, [u8]> {
    #[cfg(unix)]
    {
        path.as_os_str().as_encoded_bytes().into()
    }
    #[cfg(not(unix))]
    {
        use std::path::{Component, Prefix};

        let mut text = Vec::new();
        for part in path.components() {
            match part {
                Component::RootDir => continue,
                _ if text.is_empty() => {}
                _ => text.push(b'/'),
            }
            match part {
                Component::Prefix(prefix) => match prefix.kind() {
                    Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
                        text.extend_from_slice(&[letter.to_ascii_uppercase(), b':']);
                    }
                    _ => text.extend_from_slice(prefix.as_os_str().as_encoded_bytes()),
                },
                part => text.extend_from_slice(part.as_os_str().as_encoded_bytes()),
            }
        }
        text.into()
    }
}
