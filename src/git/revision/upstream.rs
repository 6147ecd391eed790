//! The upstream and push branches of a branch, from the repository's configuration.
//!
//! Source: git-config(1), `branch.*`, `remote.*` and `push.default`; git-fetch(1), "refspec".

use gix::bstr::{BString, ByteSlice};

use super::resolver::Resolver;
use crate::Oid;
use crate::model::settings::{boolean_of, value_of};
use crate::refs::Resolved;
use redline_base::error::{Error, Result, quoted};

/// The related branch to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `@{upstream}`: the branch to merge with.
    Upstream,
    /// `@{push}`: the branch to push to.
    Push,
}

/// Finds the related branches of a branch.
pub struct Branches<'r> {
    resolver: &'r Resolver<'r>,
    reference: FindReference,
}

/// Returns the reference of a name, and its object.
pub type FindReference = fn(&Resolver<'_>, &[u8]) -> Result<Option<(Vec<u8>, Oid)>>;

/// A refspec: `source:target`, with a `*` on both sides or none.
struct Refspec {
    source: Vec<u8>,
    target: Option<Vec<u8>>,
    is_negative: bool,
}

impl<'r> Branches<'r> {
    /// Creates a finder; `reference` resolves an upstream in the repository itself.
    pub fn new(resolver: &'r Resolver<'r>, reference: FindReference) -> Self {
        Self { resolver, reference }
    }

    /// Returns the reference of `<name>@{upstream}` or `<name>@{push}`; without a name, of the
    /// checked-out branch.
    pub fn marked(&self, name: &[u8], mark: Mark) -> Result<Vec<u8>> {
        let branch = if name.is_empty() || name == b"HEAD" {
            let branch = self.resolver.references.branch()?;
            branch.ok_or_else(|| {
                self.none("HEAD does not point to a branch", "Name the branch before the '@'")
            })?
        } else {
            [b"refs/heads/", name].concat()
        };
        let short = branch.strip_prefix(b"refs/heads/").unwrap_or(&branch).to_vec();
        let found = match mark {
            Mark::Upstream => self.upstream(&short),
            Mark::Push => self.push(&short),
        };
        if self.resolver.repository.ref_limit().is_none() {
            return found;
        }
        // The configuration may name branches that may not be read.
        let may_read = |name: &[u8]| self.resolver.references.may_read(name);
        found.ok().filter(|name| may_read(&branch) && may_read(name)).ok_or_else(|| {
            self.none(
                "the branch has no upstream that may be read",
                "Name a branch or a tag that refs(repo) lists",
            )
        })
    }

    /// Returns the configured upstream of a branch, given without `refs/heads/`.
    pub fn upstream_of(&self, branch: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some((remote, merge)) = self.merged(branch) else { return Ok(None) };
        let found = self.local(&remote, &merge)?;
        Ok(found.filter(|name| self.resolver.references.may_read(name)))
    }

    /// Returns the remote and the branch there that a branch is configured to merge with.
    fn merged(&self, branch: &[u8]) -> Option<(BString, Vec<u8>)> {
        let merge = self.texts("branch", branch, "merge").into_iter().next();
        self.text("branch", branch, "remote").zip(merge)
    }

    /// Returns the local reference for a branch of a remote, if one is configured.
    fn local(&self, remote: &BString, branch: &[u8]) -> Result<Option<Vec<u8>>> {
        if remote == "." {
            let found = (self.reference)(self.resolver, branch)?;
            return Ok(Some(found.map_or_else(|| branch.to_vec(), |(name, _)| name)));
        }
        Ok(mapped(&self.refspecs(remote, "fetch"), branch))
    }

    fn upstream(&self, branch: &[u8]) -> Result<Vec<u8>> {
        let shown = quoted(&branch.to_str_lossy());
        let Some((remote, merge)) = self.merged(branch) else {
            let name = [b"refs/heads/", branch].concat();
            return Err(match self.resolver.references.resolve(&name)? {
                Resolved::Absent => self.none(
                    &format!("there is no branch {shown}"),
                    "Name a branch of the repository",
                ),
                _ => self.none(
                    &format!("no upstream is configured for the branch {shown}"),
                    "Set one with 'git branch --set-upstream-to', or name the other branch itself",
                ),
            });
        };
        self.local(&remote, &merge)?.ok_or_else(|| {
            let merge = quoted(&merge.to_str_lossy());
            self.none(
                &format!("the upstream {merge} of the branch {shown} is not stored as a remote-tracking branch"),
                "Its remote has no fetch refspec for it; name the other branch itself",
            )
        })
    }

    fn push(&self, branch: &[u8]) -> Result<Vec<u8>> {
        let none = |why: &str| self.none(why, "Name the other branch itself");
        let config = &self.resolver.repository.config;
        let full = [b"refs/heads/", branch].concat();
        let shown = quoted(&branch.to_str_lossy());
        let named = self
            .text("branch", branch, "pushRemote")
            .or_else(|| config.string("remote.pushDefault"))
            .or_else(|| self.text("branch", branch, "remote"));
        let remote = named.or_else(|| {
            let has_url = self.text("remote", b"origin", "url").is_some();
            has_url.then(|| "origin".into())
        });
        let Some(remote) = remote else {
            return Err(none(&format!("the branch {shown} has no remote for pushing")));
        };
        let place = quoted(&remote.to_str_lossy());
        let tracking = |target: &[u8]| {
            mapped(&self.refspecs(&remote, "fetch"), target).ok_or_else(|| {
                let target = quoted(&target.to_str_lossy());
                none(&format!("the push target {target} on {place} has no local tracking branch"))
            })
        };
        let refspecs = self.refspecs(&remote, "push");
        if !refspecs.is_empty() {
            let target = mapped(&refspecs, &full).ok_or_else(|| {
                none(&format!("the push refspecs of {place} do not include the branch {shown}"))
            })?;
            return tracking(&target);
        }
        let mirror = value_of(config, ("remote", Some(remote.as_bstr())), "mirror");
        if mirror.as_ref().and_then(boolean_of) == Some(true) {
            return tracking(&full);
        }
        match config.string("push.default").as_deref().map(|value| value.as_bytes()) {
            Some(b"nothing") => Err(none("push.default is 'nothing'")),
            Some(b"matching" | b"current") => tracking(&full),
            Some(b"upstream" | b"tracking") => self.upstream(branch),
            _ => {
                let (upstream, current) = (self.upstream(branch)?, tracking(&full)?);
                Some(current).filter(|current| *current == upstream).ok_or_else(|| {
                    none("push.default 'simple' finds no single target: the upstream has another name")
                })
            }
        }
    }

    fn text(&self, section: &str, name: &[u8], key: &str) -> Option<BString> {
        self.resolver.repository.config.string_by(section, Some(name.as_bstr()), key)
    }

    fn texts(&self, section: &str, name: &[u8], key: &str) -> Vec<Vec<u8>> {
        let values = self.resolver.repository.config.strings_by(section, Some(name.as_bstr()), key);
        values.into_iter().flatten().map(|value| value.to_vec()).collect()
    }

    fn refspecs(&self, remote: &[u8], key: &str) -> Vec<Refspec> {
        self.texts("remote", remote, key).iter().map(|text| Refspec::new(text)).collect()
    }

    /// Returns the error of a branch without a known related branch.
    fn none(&self, why: &str, hint: &str) -> Error {
        self.resolver.unresolved(&format!(": {why}")).with_hint(hint.to_owned())
    }
}

impl Refspec {
    fn new(text: &[u8]) -> Self {
        let is_negative = text.starts_with(b"^");
        let text = text.strip_prefix(b"+").or(text.strip_prefix(b"^")).unwrap_or(text);
        let (source, target) = match text.rfind_byte(b':') {
            Some(colon) => (&text[..colon], Some(text[colon + 1..].to_vec())),
            None => (text, None),
        };
        Self { source: source.to_vec(), target, is_negative }
    }

    /// Returns the text matched by the `*` if a name matches; empty without a `*`.
    fn matched<'n>(&self, name: &'n [u8]) -> Option<&'n [u8]> {
        match self.source.find_byte(b'*') {
            None => (self.source == name).then_some(b""),
            Some(star) => {
                let rest = name.strip_prefix(&self.source[..star])?;
                rest.strip_suffix(&self.source[star + 1..])
            }
        }
    }
}

/// Maps a name by the first matching refspec.
fn mapped(refspecs: &[Refspec], name: &[u8]) -> Option<Vec<u8>> {
    if refspecs.iter().any(|refspec| refspec.is_negative && refspec.matched(name).is_some()) {
        return None;
    }
    refspecs.iter().filter(|refspec| !refspec.is_negative).find_map(|refspec| {
        let target = refspec.target.as_ref()?;
        let middle = refspec.matched(name)?;
        Some(match target.find_byte(b'*') {
            Some(star) => [&target[..star], middle, &target[star + 1..]].concat(),
            None => target.clone(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refspec_takes_a_name_to_another() {
        let specs = |texts: &[&str]| {
            texts.iter().map(|text| Refspec::new(text.as_bytes())).collect::<Vec<_>>()
        };
        for (texts, name, target) in [
            (
                &["+refs/heads/*:refs/remotes/origin/*"][..],
                "refs/heads/a/b",
                Some("refs/remotes/origin/a/b"),
            ),
            (&["refs/heads/main:refs/x"], "refs/heads/main", Some("refs/x")),
            (&["refs/heads/main:refs/x"], "refs/heads/main2", None),
            (&["refs/heads/main", "refs/heads/*:refs/y/*"], "refs/heads/main", Some("refs/y/main")),
            (&["refs/heads/f-*-x:refs/y/*z"], "refs/heads/f-1-x", Some("refs/y/1z")),
            (&["refs/heads/*:refs/y/*", "^refs/heads/a*"], "refs/heads/ab", None),
            (&[], "refs/heads/ab", None),
        ] {
            let found = mapped(&specs(texts), name.as_bytes());
            assert_eq!(found.as_deref(), target.map(str::as_bytes), "{texts:?} {name}");
        }
    }
}
