//! What the tests of several files of this folder set up.

use std::path::Path;

use crate::Sandboxes;

/// Makes a FIFO, which blocks whoever opens it without care.
pub fn fifo(path: &Path) {
    // Not all systems have the call.
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Returns the writable sandbox `w` with this root.
pub fn writable(root: &Path) -> Sandboxes {
    let json = format!(r#"[{{"name": "w", "root": {:?}, "mode": "rw"}}]"#, root.to_str().unwrap());
    Sandboxes::open(&json, 1 << 20, |_| true).unwrap()
}
