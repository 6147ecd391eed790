//! Classes of bytes as git's C library defines them.

/// Tells whether git's C library counts a byte as a space.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
