//! What the tests of several files of this folder set up.

use std::path::Path;

use crate::Sandboxes;

/// Makes a FIFO, which blocks whoever opens it without care.
pub fn fifo(path: &Path) {
    #[cfg(target_os = "linux")]
    {
        use crate::system::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    }
    // macOS has no such call; a socket is as special.
    #[cfg(not(target_os = "linux"))]
    drop(std::os::unix::net::UnixListener::bind(path).unwrap());
}

/// Returns the writable sandbox `w` with this root.
pub fn writable(root: &Path) -> Sandboxes {
    let json = format!(r#"[{{"name": "w", "root": {:?}, "mode": "rw"}}]"#, root.to_str().unwrap());
    Sandboxes::open(&json, 1 << 20, |_| true).unwrap()
}
