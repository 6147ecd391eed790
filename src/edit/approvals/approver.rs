//! Approvers: callers that know a secret whose SHA-256 the host has set.

use crate::approvals::secret::Digest;
use redline_base::budget::TryGather;
use redline_base::error::{Error, Result, quoted};

const SETTING: &str = "redline_approver";

/// The name of an approver for whom the host gives none.
const UNNAMED: &str = "approver";

/// The approvers in the setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approvers(Vec<(String, Digest)>);

impl Approvers {
    /// Reads the setting: the SHA-256 of a secret in hexadecimal digits, or several, each as
    /// `name=digest`, separated by commas. An empty setting has no approvers.
    ///
    /// # Errors
    /// `invalid_args` for other texts.
    pub fn parse(setting: &str) -> Result<Self> {
        let entries = setting.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let read = |entry: &str| {
            let (name, digest) = entry
                .split_once('=')
                .map_or((UNNAMED, entry), |(name, digest)| (name.trim(), digest));
            let is_name = !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.@".contains(c));
            match Digest::parse(digest.trim()) {
                Some(digest) if is_name => Ok((name.to_owned(), digest)),
                _ => Err(Error::invalid_args(format!("{SETTING} has an entry that is not a SHA-256 digest")).with_hint(
                    "Give the SHA-256 of the secret as 64 hexadecimal digits, or name=digest, separated by commas",
                )),
            }
        };
        entries.map(read).try_gather::<_>().map(Self)
    }

    /// Tells whether there are approvers.
    pub fn is_some(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the name of the approver whose secret is `key`. The time that this takes depends
    /// only on the length of the key.
    ///
    /// # Errors
    /// `permission_denied` when it is not the secret of an approver.
    pub fn named_by(&self, key: &[u8], function: &str) -> Result<&str> {
        let given = Digest::sha256(key);
        let mut found = None;
        for (name, digest) in &self.0 {
            if digest.is_same(&given) {
                found = Some(name.as_str());
            }
        }
        let refused =
            |what: String, hint: &str| Err(Error::permission_denied(what).with_hint(hint));
        match found {
            Some(name) => Ok(name),
            None if self.0.is_empty() => refused(
                format!(
                    "{} needs the host's key, and {SETTING} names no approver",
                    quoted(function)
                ),
                "The host sets it to the SHA-256 of a key of its own, before it locks the configuration",
            ),
            None => refused(
                format!("the key given to {} is not that of an approver", quoted(function)),
                "Only the host that set redline_approver holds it; wait until the host has decided",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_secret_itself_opens() {
        let digest = Digest::sha256(b"secret").to_string();
        let approvers = Approvers::parse(&digest).unwrap();
        assert_eq!(approvers.named_by(b"secret", "approve").unwrap(), "approver");
        for key in [&b""[..], b"secre", b"secret ", b"Secret", digest.as_bytes()] {
            let error = approvers.named_by(key, "approve").unwrap_err().to_string();
            assert!(
                error.starts_with("permission_denied: the key given to 'approve' is not"),
                "{error}"
            );
            assert!(!error.contains(&digest), "{error}");
        }
        let nobody =
            Approvers::parse(" ").unwrap().named_by(b"", "approve").unwrap_err().to_string();
        assert!(nobody.contains("redline_approver names no approver"), "{nobody}");
    }

    #[test]
    fn several_approvers_have_names() {
        let [a, b] = [&b"a"[..], b"b"].map(Digest::sha256);
        let approvers = Approvers::parse(&format!("ann={a}, bob = {b},")).unwrap();
        assert_eq!(approvers.named_by(b"a", "approve").unwrap(), "ann");
        assert_eq!(approvers.named_by(b"b", "approve").unwrap(), "bob");
        for wrong in ["secret", "ann=", &format!("={a}"), &format!("a b={a}"), &a.to_string()[1..]]
        {
            let error = Approvers::parse(wrong).unwrap_err().to_string();
            assert!(
                error.starts_with(
                    "invalid_args: redline_approver has an entry that is not a SHA-256"
                ),
                "{error}"
            );
            assert!(!error.contains("secret."), "{error}");
        }
    }
}
