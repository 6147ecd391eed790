//! Containment of panics: converts a panic to an error.

use std::cell::RefCell;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use super::api::Outside;
use redline_base::budget::{Stopped, stopped_by};
use redline_base::error::{Error, Result};
use redline_base::limits;

thread_local! {
    /// The location of the last panic of this thread, for the error that reports it.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Replaces the panic hook of this library (a `cdylib` has its own) by one that prints nothing and
/// stores the location.
pub fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A failing test prints the reason.
        let printing = cfg!(test).then(take_hook);
        set_hook(Box::new(move |info| {
            if let Some(print) = &printing {
                print(info);
            }
            // Only the file's name: the paths of the build machine mean nothing to a user.
            let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            let place = info.location().map(|at| format!("{}:{}", name(at.file()), at.line()));
            // During the destruction of thread-locals a panic has nowhere to store its location.
            let _ = PLACE.try_with(|cell| *cell.borrow_mut() = place);
        }));
    });
}

/// Runs `work` and converts a panic to a `tool_failed` error.
///
/// Borrows the callback's [`Outside`] meanwhile, so that `work` cannot call an API function that
/// may throw: a C++ exception that reaches `catch_unwind` aborts the process.
pub fn run<T>(_held: &mut Outside, work: impl FnOnce() -> Result<T>) -> Result<T> {
    run_thread(work)
}

/// Does the same on one of our threads, which has no [`Outside`].
pub fn run_thread<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    contain(|| {
        headroom()?;
        work()
    })
}

/// Refuses to start if the system has little memory left. Buffers that grow with the input are
/// reserved step by step; a thousand small allocations are not, and if one of them fails the
/// process ends, so there must be room for all of them.
fn headroom() -> Result<()> {
    // Asks the system itself, as an allocator writes into its memory: to release a page that was
    // written, the system interrupts every processor on which the process runs.
    let room = memmap2::MmapMut::map_anon(limits::HEADROOM_BYTES);
    Ok(room.map(drop).map_err(|_| Stopped::Allocation)?)
}

fn contain<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Every caller drops the closure's captures or marks them failed after a panic, so a broken
    // invariant cannot be observed later.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        if let Some(stopped) = stopped_by(&*panic) {
            return Err(stopped.into());
        }
        // Dropping the payload could panic again; a second payload is leaked.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(second);
        }
        let place = PLACE.take().unwrap_or_else(|| "an unknown place".to_owned());
        Err(Error::tool_failed(format!("redline met an internal error at {place}"))
            .with_hint("The connection is usable; please report this message with the query"))
    })
}

/// Runs a destructor's `work`; a panic cannot be reported and is swallowed. A destructor has no
/// [`Outside`], as C++ calls it where nothing may throw.
pub fn run_drop(work: impl FnOnce()) {
    let _ = contain(|| {
        work();
        Ok(())
    });
}

/// Returns an error's text as a C string.
pub fn c_message(error: &Error) -> CString {
    let text = error.to_string().replace('\0', "\u{fffd}");
    CString::new(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_names_its_place() {
        install_hook();
        let error = contain::<()>(|| panic!("secret")).unwrap_err().to_string();
        assert!(
            error.starts_with("tool_failed: redline met an internal error at contain.rs:"),
            "{error}"
        );
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn memory_that_the_system_does_not_give_is_an_error_of_its_own() {
        let error =
            contain::<()>(|| std::panic::resume_unwind(Box::new(Stopped::Allocation))).unwrap_err();
        assert_eq!(error.kind(), redline_base::error::ErrorKind::TooLarge);
    }

    #[test]
    fn a_panic_in_a_destructor_ends_there() {
        run_drop(|| panic!("again"));
    }
}
