//! What the other modules ask of the operating system: `rustix` on Unix; on Windows functions of
//! the same names, which read and refuse to write (`windows`). What only Linux has (`openat2`,
//! Landlock, birth times) stands where it is used, beside what other systems do instead.

#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use rustix::{buffer, fd, fs, io, path, process};
#[cfg(windows)]
pub(crate) use windows::{buffer, fd, fs, io, path, process};
