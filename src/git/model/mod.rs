//! Data types of git, independent of a repository.
//!
//! | file | holds |
//! |---|---|
//! | `changed_file` | a mode, one side of a change, a change |
//! | `diff_attribute` | the attributes that affect a path's diff |
//! | `commit` | the bytes of a commit or a tag |
//! | `mailmap` | proper names and addresses of people |
//! | `bytes` | the bytes of an object, shared and charged |
//! | `id_tables` | tables by object id |
//! | `settings` | booleans and numbers of a configuration |
//! | `space` | whitespace and ends of texts as git's C library defines them |
//! | `trailers` | the trailers of a message |
//! | `tree_entry` | one entry of a tree |
//! | `signature` | the signature of a commit |
//! | `width` | TABs in messages |

pub mod bytes;
pub mod changed_file;
pub mod commit;
pub mod diff_attribute;
pub mod id_tables;
pub mod lfs_pointer;
pub mod mailmap;
pub mod settings;
pub mod signature;
pub mod space;
pub mod trailers;
pub mod tree_entry;
pub mod width;

/// Returns the big-endian number in bytes.
pub fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Reads a number as pack files encode offsets: seven bits per byte, and each further byte adds
/// one; `None` if a byte is missing or it is too large.
pub fn offset_number(mut next: impl FnMut() -> Option<u8>) -> Option<u64> {
    let mut number = 0u64;
    loop {
        let byte = next()?;
        number |= u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(number);
        }
        number = number.checked_add(1).filter(|number| number >> 57 == 0)? << 7;
    }
}

/// Writes a number so that [`offset_number`] reads it.
pub fn write_offset_number(bytes: &mut Vec<u8>, mut number: u64) {
    let mut digits = vec![(number & 0x7f) as u8];
    number >>= 7;
    while number > 0 {
        number -= 1;
        digits.push(0x80 | (number & 0x7f) as u8);
        number >>= 7;
    }
    bytes.extend(digits.iter().rev());
}

/// An object id: SHA-1 or SHA-256, as the repository uses.
pub type Oid = gix::ObjectId;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_written_as_it_is_read() {
        for number in [0, 1, 127, 128, 129, 255, 256, 16_511, 16_512, 5_300, 1 << 40] {
            let mut bytes = Vec::new();
            write_offset_number(&mut bytes, number);
            let mut rest = bytes.iter().copied();
            assert_eq!(offset_number(|| rest.next()), Some(number));
        }
    }
}
