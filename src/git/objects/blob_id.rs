//! Computes the id that git gives a content.

use gix::hash::{Hasher, Kind, hasher};

use redline_base::error::{Error, Result};

/// Begins the hash of a blob of `size` bytes.
pub fn blob_hasher(kind: Kind, size: u64) -> Hasher {
    let mut hasher = hasher(kind);
    hasher.update(format!("blob {size}\0").as_bytes());
    hasher
}

/// Returns the id of a blob as `git hash-object` prints it outside a repository: SHA-1, 40
/// hexadecimal digits.
///
/// # Errors
/// `tool_failed` if the content was crafted to collide with another.
pub fn blob_id(bytes: &[u8]) -> Result<String> {
    let mut hasher = BlobHasher::new(bytes.len() as u64);
    hasher.update(bytes);
    hasher.finish()
}

/// Computes the same for a content in pieces.
pub struct BlobHasher(Hasher);

impl BlobHasher {
    /// Begins a content of `size` bytes.
    pub fn new(size: u64) -> Self {
        Self(blob_hasher(Kind::Sha1, size))
    }

    /// Adds the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the id.
    ///
    /// # Errors
    /// As [`blob_id`].
    pub fn finish(self) -> Result<String> {
        self.0.try_finalize().map(|id| id.to_hex().to_string()).map_err(|error| {
            Error::tool_failed("the content was crafted to share its id with other content")
                .with_source(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_one_of_git_hash_object() {
        for (bytes, id) in [
            (&b""[..], "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
            (b"hello\n", "ce013625030ba8dba906f756967f9e9ca394464a"),
            (b"\0\xff\r\n", "00822ce7dfc6f27759b94e2c7dfd26f25afbac9d"),
        ] {
            assert_eq!(blob_id(bytes).unwrap(), id);
            let mut pieces = BlobHasher::new(bytes.len() as u64);
            bytes.chunks(2).for_each(|piece| pieces.update(piece));
            assert_eq!(pieces.finish().unwrap(), id);
        }
    }
}
