//! A secret of one database, and the digests keyed with it.
//!
//! A reader of an id must not learn what it was made from: without the secret, a content of four
//! digits is found with ten thousand trials.

use std::fmt;

use sha2::{Digest as _, Sha256};

use redline_base::form::{from_hex, hex};

/// A digest of 32 bytes; shown as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the SHA-256 digest of bytes.
    pub fn sha256(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits, of either case.
    pub fn parse(text: &str) -> Option<Self> {
        from_hex(text).map(Self)
    }

    /// Compares in a time that does not depend on where the two differ.
    pub fn is_same(&self, other: &Self) -> bool {
        let difference =
            self.0.iter().zip(&other.0).fold(0, |found, (one, two)| found | (one ^ two));
        std::hint::black_box(difference) == 0
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The bytes of a block of SHA-256.
const BLOCK: usize = 64;

/// A secret that never leaves the process of the database.
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    /// Returns a new secret from the system's random numbers.
    ///
    /// # Panics
    /// When the system has none: ids that can be guessed would be worse.
    pub fn random() -> Self {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the system gives random numbers");
        Self(bytes)
    }

    /// Starts a digest; `purpose` separates the digests of one use from those of another.
    pub fn mac(&self, purpose: &str) -> Mac {
        let pad = |with: u8| {
            let mut block = [with; BLOCK];
            block.iter_mut().zip(&self.0).for_each(|(byte, key)| *byte ^= key);
            block
        };
        let mut mac = Mac {
            inner: Sha256::new_with_prefix(pad(0x36)),
            outer: Sha256::new_with_prefix(pad(0x5c)),
        };
        mac.feed(purpose.as_bytes());
        mac
    }
}

/// HMAC-SHA256 (RFC 2104) over fields, each with its length before it, so that no two lists of
/// fields have the same bytes.
pub struct Mac {
    inner: Sha256,
    outer: Sha256,
}

impl Mac {
    /// Adds a field.
    pub fn feed(&mut self, field: &[u8]) {
        self.inner.update((field.len() as u64).to_be_bytes());
        self.inner.update(field);
    }

    /// Adds a field that may be missing.
    pub fn feed_optional(&mut self, field: Option<&[u8]>) {
        self.feed(&[u8::from(field.is_some())]);
        self.feed(field.unwrap_or_default());
    }

    /// Returns the digest.
    pub fn finish(self) -> Digest {
        let mut outer = self.outer;
        outer.update(self.inner.finalize());
        Digest(outer.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_hmac_sha256_of_the_fields_after_their_lengths() {
        let mut mac = Secret([7; 32]).mac("test");
        mac.feed(b"a/b");
        // hmac.new(b"\7" * 32, b"".join(len(f).to_bytes(8, "big") + f for f in (b"test", b"a/b")),
        // "sha256")
        let expected = "f07e79a0c587786c651a9abd83bfa7e3d2b256385ff74f7bd34e22cbb88a87f1";
        assert_eq!(mac.finish().to_string(), expected);
    }

    #[test]
    fn depends_on_the_secret_the_purpose_and_where_fields_end() {
        let of = |secret: &Secret, purpose: &str, fields: &[&[u8]]| {
            let mut mac = secret.mac(purpose);
            fields.iter().for_each(|field| mac.feed(field));
            mac.finish()
        };
        let (one, two) = (Secret::random(), Secret::random());
        assert_eq!(of(&one, "p", &[b"ab"]), of(&one, "p", &[b"ab"]));
        assert_ne!(of(&one, "p", &[b"ab"]), of(&two, "p", &[b"ab"]));
        assert_ne!(of(&one, "p", &[b"ab"]), of(&one, "q", &[b"ab"]));
        assert_ne!(of(&one, "p", &[b"a", b"b"]), of(&one, "p", &[b"ab"]));
    }

    #[test]
    fn a_digest_is_read_as_it_is_shown() {
        let digest = Digest::sha256(b"abc");
        assert_eq!(
            digest.to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(Digest::parse(&digest.to_string().to_uppercase()), Some(digest));
        for text in [
            "",
            "ba",
            &"0".repeat(63),
            &"g".repeat(64),
            &"é".repeat(32),
            &format!("+{}", "0".repeat(63)),
        ] {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
        assert!(digest.is_same(&digest) && !digest.is_same(&Digest::sha256(b"abd")));
    }
}
