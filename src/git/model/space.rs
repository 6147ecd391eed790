//! Classes of bytes, as git's C library has them.

/// Tells what git's C library calls a space.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
