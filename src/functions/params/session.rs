//! The session of a call.

use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_edit::Session;
use redline_rows::Type;
use redline_rows::params::{Args, Asked, Given, Kind, Maybe, Param, optional};

/// The name of a session.
pub struct SessionName;

impl Kind for SessionName {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = String;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<String> {
        let name = given.text().unwrap_or_default();
        if name.is_empty() || name.len() > limits::SESSION_BYTES {
            return Err(Error::invalid_args(format!(
                "the name of the session has {} bytes",
                name.len()
            ))
            .with_hint(format!(
                "Use an unguessable name of 1 to {} bytes",
                limits::SESSION_BYTES
            )));
        }
        Ok(String::from_utf8_lossy(name).into_owned())
    }
}

/// The session of the call.
pub const SESSION: Param<Maybe<SessionName>> =
    optional("session", "The session of the call; NULL for the connection's own");

/// Returns the session that a call names, or that of the connection.
///
/// # Errors
/// `invalid_args` for a name that is empty or too long.
pub fn session(args: Args<'_>, connection: u64) -> Result<Session> {
    Ok(args.get(SESSION)?.map_or(Session::Connection(connection), Session::Named))
}
