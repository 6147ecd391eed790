//! The kernel as a second wall: repositories are read on threads that cannot open anything outside
//! the roots of their query, whatever our own code does.
//!
//! Linux restricts a thread and its later children permanently (Landlock), so such a thread is
//! started for each piece of work. Without Landlock in the kernel, only the first wall remains; see
//! [`kernel_guard`].

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::OnceLock;

use crate::rules::access::Access;
use redline_base::error::{Error, Result};

/// Runs `work`, which reads a repository, on a thread that can open only what `access` allows.
/// Threads that it starts are restricted as well.
///
/// # Errors
/// Those of `work`, and `tool_failed` if no thread can be started, or a kernel with Landlock fails
/// to restrict it.
pub fn read_restricted<T: Send>(
    access: &Access,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let Some(roots) = access.roots() else { return work() };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("redline".to_owned());
        let thread = thread.spawn_scoped(scope, || {
            if restrict(&roots).is_err() {
                return Err(Error::tool_failed(
                    "the kernel could not restrict a thread to what may be read",
                )
                .with_hint("Raise the limit of open files (ulimit -n), or ask again"));
            }
            work()
        });
        let thread = thread.map_err(|error| {
            Error::tool_failed("no thread could be started to read the repository")
                .with_hint(
                    "Lower the load of the machine, or raise the limit of threads (ulimit -u)",
                )
                .with_source(error)
        })?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Tells whether the kernel restricts such threads to their roots.
pub fn kernel_guard() -> bool {
    static GUARD: OnceLock<bool> = OnceLock::new();
    // Tested on a thread of its own, which it restricts. A thread that cannot start gives no
    // answer.
    let ask = || std::thread::Builder::new().spawn(|| restrict(&[])).ok()?.join().ok()?.ok();
    match GUARD.get() {
        Some(guard) => *guard,
        None => ask().is_some_and(|guard| *GUARD.get_or_init(|| guard)),
    }
}

/// A kernel with Landlock did not restrict the thread, for example without a free file handle.
struct Failed;

/// Restricts the calling thread to reading below `roots`; tells whether the kernel does.
#[cfg(target_os = "linux")]
fn restrict(roots: &[&Path]) -> std::result::Result<bool, Failed> {
    use landlock::{
        ABI, Access as _, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
        path_beneath_rules,
    };
    // Everything that a newer kernel can also forbid is forbidden there; an older one does what it
    // can.
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let restricted = Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(roots, read)))
        .and_then(|rules| rules.restrict_self());
    restricted.map(|status| status.ruleset != RulesetStatus::NotEnforced).map_err(|_| Failed)
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &[&Path]) -> std::result::Result<bool, Failed> {
    Ok(false)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_opener_without_any_check_opens_nothing_outside_of_the_roots() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        for directory in ["in", "out"] {
            fs::create_dir(at(directory)).unwrap();
            fs::write(at(directory).join("file"), directory).unwrap();
        }
        std::os::unix::fs::symlink(at("out/file"), at("in/link")).unwrap();
        if !kernel_guard() {
            return;
        }
        let access = Access::new(false, &[at("in").to_str().unwrap()]);
        let faulty = |name: &str| {
            // On the thread itself and on one that it starts.
            let here = fs::read_to_string(at(name)).ok();
            let there = std::thread::scope(|scope| {
                scope.spawn(|| fs::read_to_string(at(name)).ok()).join().unwrap()
            });
            assert_eq!(here, there);
            Ok(here)
        };
        assert_eq!(read_restricted(&access, || faulty("in/file")).unwrap().as_deref(), Some("in"));
        for name in ["out/file", "in/link", "in/../out/file"] {
            assert_eq!(read_restricted(&access, || faulty(name)).unwrap(), None, "{name}");
        }
        assert!(read_restricted(&access, || Ok(fs::read_dir(temp.path()).is_err())).unwrap());
        assert!(read_restricted(&access, || Ok(fs::write(at("in/new"), "").is_err())).unwrap());
        // The calling thread is not restricted, and neither is one with unlimited access.
        assert_eq!(fs::read_to_string(at("out/file")).unwrap(), "out");
        assert_eq!(
            read_restricted(&Access::new(true, &[]), || faulty("out/file")).unwrap().as_deref(),
            Some("out")
        );
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let caught = std::panic::catch_unwind(|| {
            let _: Result<()> = read_restricted(&Access::new(false, &["/"]), || panic!("inside"));
        });
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"inside"));
    }
}
