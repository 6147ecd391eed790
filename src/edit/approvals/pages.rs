//! The proof that every page of a payload was shown: the digest of each page depends on the page
//! before, so the last digest is known only to a reader of all pages.

use std::fmt;

use crate::approvals::secret::{Digest, Secret};
use redline_base::budget::Gather;
use redline_base::error::{Error, Result};

/// A page, and the proof that all pages up to it were shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The text of the page.
    pub text: String,
    /// The proof.
    pub proof: Proof,
}

/// A digest, and the layout of the pages: `80x24-…`, and `80x24p-…` for pages without a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// Columns of a page.
    pub width: usize,
    /// Lines of a page.
    pub height: usize,
    /// Whether a page has a frame.
    pub is_framed: bool,
    digest: Digest,
}

impl Proof {
    /// Reads a displayed proof.
    ///
    /// # Errors
    /// `invalid_args`.
    pub fn parse(text: &str) -> Result<Self> {
        let read = || {
            let (layout, digest) = text.split_once('-')?;
            let (width, height) = layout.split_once('x')?;
            let plain = height.strip_suffix('p');
            let (height, is_framed) = (plain.unwrap_or(height), plain.is_none());
            Some(Self {
                width: width.parse().ok()?,
                height: height.parse().ok()?,
                is_framed,
                digest: Digest::parse(digest)?,
            })
        };
        read().ok_or_else(|| {
            Error::invalid_args("the proof is malformed")
                .with_hint("Give the proof of the last page that approval_pages returns")
        })
    }

    /// Compares in a time that does not depend on where the digests differ.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.width, self.height, self.is_framed) == (other.width, other.height, other.is_framed)
            && self.digest.is_same(&other.digest)
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = if self.is_framed { "" } else { "p" };
        write!(f, "{}x{}{plain}-{}", self.width, self.height, self.digest)
    }
}

/// Returns the pages of a payload, each with its proof.
pub fn proven(
    secret: &Secret,
    payload: &str,
    ([width, height], is_framed): ([usize; 2], bool),
    pages: Vec<String>,
) -> Vec<Page> {
    let mut start = secret.mac("pages");
    start.feed(payload.as_bytes());
    start.feed(&(width as u64).to_be_bytes());
    start.feed(&(height as u64).to_be_bytes());
    start.feed(&[u8::from(is_framed)]);
    start.feed(&(pages.len() as u64).to_be_bytes());
    let mut before = start.finish();
    let prove = |text: String| {
        let mut fields = secret.mac("page");
        fields.feed(before.as_bytes());
        fields.feed(text.as_bytes());
        before = fields.finish();
        Page { text, proof: Proof { width, height, is_framed, digest: before } }
    };
    pages.into_iter().map(prove).gather()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_proof_depends_on_every_page_and_on_the_payload() {
        let secret = Secret::random();
        let last = |payload: &str, layout, pages: &[&str]| {
            proven(&secret, payload, layout, pages.iter().map(|page| (*page).to_owned()).collect())
                .pop()
                .unwrap()
                .proof
        };
        let proof = last("p", ([80, 24], true), &["a", "b", "c"]);
        assert_eq!(Proof::parse(&proof.to_string()).unwrap(), proof);
        assert!(proof.is_same(&last("p", ([80, 24], true), &["a", "b", "c"])));
        for other in [
            last("q", ([80, 24], true), &["a", "b", "c"]),
            last("p", ([80, 25], true), &["a", "b", "c"]),
            last("p", ([81, 24], true), &["a", "b", "c"]),
            last("p", ([80, 24], false), &["a", "b", "c"]),
            last("p", ([80, 24], true), &["x", "b", "c"]),
            last("p", ([80, 24], true), &["a", "b"]),
            last("p", ([80, 24], true), &["c"]),
        ] {
            assert!(!proof.is_same(&other), "{other}");
        }
        for text in ["", "80x24", "80x24-", "x-", &proof.to_string()[1..]] {
            assert!(
                Proof::parse(text)
                    .is_err_and(|error| error.to_string().starts_with("invalid_args:"))
                    || text.starts_with('0'),
                "{text}"
            );
        }
    }
}
