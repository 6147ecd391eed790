//! Reading files through the file system of a DuckDB connection.
//!
//! It reaches all of DuckDB's files (`s3://` and `https://` with the extensions loaded, file
//! systems of a Python host), and DuckDB checks each path against its own limits.
//!
//! DuckDB's C++ exceptions end in these calls and come back as error data, so they may run inside
//! `catch_unwind`. Destroying a handle closes it again and lets exceptions through: handles are
//! kept until the callback has left its containment, and destroyed there ([`destroy_closed`]).

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::Arc;

use libduckdb_sys as sys;

use super::api::{Outside, api};
use super::client_context::ClientContext;
use redline_base::budget::{Stopped, check_current, reserve};

/// Bytes requested at once of a file whose size is unknown or has grown.
const STEP: usize = 1 << 16;

/// The file system of a connection.
#[derive(Debug, Clone)]
pub struct FileSystem(pub(super) Arc<ClientContext>);

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileError {
    /// DuckDB's settings forbid the path.
    Denied,
    /// The file has more bytes than the limit: its size, if DuckDB knows it.
    TooLarge(Option<u64>),
    /// The query ended, or there is not enough memory for the file.
    Stopped(Stopped),
    /// Opening or reading failed: DuckDB's message.
    Failed(String),
}

impl FileSystem {
    /// Returns the bytes of a file with at most `limit` bytes. One over the limit is not read if
    /// DuckDB knows its size, else only up to the first byte too many.
    pub fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, FileError> {
        let path =
            CString::new(path).map_err(|_| FileError::Failed("the path holds a NUL".to_owned()))?;
        let file = self.open(&path)?;
        let size = u64::try_from(file.size()).unwrap_or_default();
        if size > limit { Err(FileError::TooLarge(Some(size))) } else { file.read(size, limit) }
    }

    fn open(&self, path: &CStr) -> Result<File, FileError> {
        // SAFETY: the context lives as long as the statement that holds it; file system and options
        // are created and destroyed here, the handle belongs to `File`.
        unsafe {
            let mut system = api().duckdb_client_context_get_file_system(self.0.raw());
            let mut options = api().duckdb_create_file_open_options();
            api().duckdb_file_open_options_set_flag(
                options,
                sys::duckdb_file_flag_DUCKDB_FILE_FLAG_READ,
                true,
            );
            let mut handle = ptr::null_mut();
            let state = api().duckdb_file_system_open(system, path.as_ptr(), options, &mut handle);
            let opened = if state == sys::DuckDBSuccess && !handle.is_null() {
                Ok(File(handle))
            } else {
                Err(failure(api().duckdb_file_system_error_data(system)))
            };
            api().duckdb_destroy_file_open_options(&mut options);
            api().duckdb_destroy_file_system(&mut system);
            opened
        }
    }
}

/// An open file.
struct File(sys::duckdb_file_handle);

impl File {
    /// Returns the size; negative if it is unknown.
    fn size(&self) -> i64 {
        // SAFETY: the handle is open.
        unsafe { api().duckdb_file_handle_size(self.0) }
    }

    /// Reads to the end, which is expected at `size`.
    fn read(&self, size: u64, limit: u64) -> Result<Vec<u8>, FileError> {
        // One byte more than expected reveals the end, and one more than the limit a file that is
        // too large, even a growing one.
        let [expected, most] = [size, limit]
            .map(|bytes| usize::try_from(bytes).map_or(usize::MAX, |n| n.saturating_add(1)));
        let mut bytes = Vec::new();
        loop {
            let start = bytes.len();
            let room = if start < expected { expected - start } else { STEP.min(most - start) };
            check_current().and_then(|()| reserve(&mut bytes, room)).map_err(FileError::Stopped)?;
            bytes.resize(start + room, 0);
            // SAFETY: the handle is open, and the buffer has `room` bytes from `start` on.
            let read = unsafe {
                api().duckdb_file_handle_read(
                    self.0,
                    bytes[start..].as_mut_ptr().cast(),
                    room as i64,
                )
            };
            let Ok(read) = usize::try_from(read) else {
                // SAFETY: the handle is open; the error data is destroyed by `failure`.
                return Err(unsafe { failure(api().duckdb_file_handle_error_data(self.0)) });
            };
            bytes.truncate(start + read.min(room));
            if read == 0 {
                return Ok(bytes);
            }
            if bytes.len() as u64 > limit {
                return Err(FileError::TooLarge(None));
            }
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: owned and open; the call returns an error instead of throwing.
        let closed = unsafe { api().duckdb_file_handle_close(self.0) };
        // A handle that cannot be closed would throw when it is destroyed, so it is leaked.
        if closed == sys::DuckDBSuccess {
            let _ = CLOSED.try_with(|closed| closed.borrow_mut().push(self.0));
        }
    }
}

thread_local! {
    /// The closed handles of this thread that are not destroyed yet.
    static CLOSED: RefCell<Vec<sys::duckdb_file_handle>> = const { RefCell::new(Vec::new()) };
}

/// Destroys the handles that this thread has closed. If DuckDB throws, the others wait for the next
/// call.
pub(super) fn destroy_closed(outside: &Outside) {
    while let Some(mut handle) = CLOSED.try_with(|closed| closed.borrow_mut().pop()).ok().flatten()
    {
        // SAFETY: closed by `File::drop`, which has given it up; destroyed once.
        unsafe { outside.duckdb_destroy_file_handle(&mut handle) }
    }
}

/// Reads error data and destroys it.
///
/// # Safety
/// `data` must be owned error data of the API.
unsafe fn failure(mut data: sys::duckdb_error_data) -> FileError {
    // SAFETY: the caller's promise; the message lives as long as the data and is copied.
    unsafe {
        let kind = api().duckdb_error_data_error_type(data);
        let message = api().duckdb_error_data_message(data);
        let words =
            if message.is_null() { "".into() } else { CStr::from_ptr(message).to_string_lossy() };
        let error = if kind == sys::duckdb_error_type_DUCKDB_ERROR_PERMISSION {
            FileError::Denied
        } else {
            FileError::Failed(words.into_owned())
        };
        api().duckdb_destroy_error_data(&mut data);
        error
    }
}
