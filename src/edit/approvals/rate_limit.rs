//! Counts the tool calls of each session.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::approvals::operation::Session;
use redline_base::budget::GrowMap;
use redline_base::error::{Error, Result};
use redline_base::limits;

const MINUTE: Duration = Duration::from_secs(60);

/// Calls in a minute, with the start of that minute.
type Counted<K> = HashMap<K, (Instant, u64)>;

#[derive(Debug, Default)]
struct Counts {
    /// The calls of each session.
    sessions: Counted<Session>,
    /// The sessions that each connection has named.
    connections: Counted<u64>,
}

/// The calls of each session in its current minute.
#[derive(Debug, Default)]
pub struct RateLimit(Mutex<Counts>);

impl RateLimit {
    /// Counts a call that a connection makes for a session; `most` calls are allowed in a minute.
    ///
    /// # Errors
    /// `too_large` when the session has made them, or when the connection has named as many
    /// sessions as it may.
    pub fn count(&self, session: &Session, connection: u64, most: u64, now: Instant) -> Result<()> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Counts { sessions, connections } = &mut *counts;
        if !sessions.contains_key(session) {
            let what = || {
                let most = limits::SESSIONS_OF_CONNECTION;
                format!("this connection has named {most} sessions in a minute")
            };
            room_for(connections, &connection, now, "connections")?;
            count(connections, connection, limits::SESSIONS_OF_CONNECTION as u64, now, what)?;
            room_for(sessions, session, now, "sessions")?;
        }
        let what = || {
            format!(
                "this session has made {most} calls in a minute, and redline_max_calls is {most}"
            )
        };
        count(sessions, session.clone(), most, now, what)
    }
}

fn is_over(since: Instant, now: Instant) -> bool {
    now.saturating_duration_since(since) >= MINUTE
}

/// Removes entries whose minute is over when the map is full.
fn room_for<K: Eq + Hash>(
    counted: &mut Counted<K>,
    key: &K,
    now: Instant,
    what: &str,
) -> Result<()> {
    if counted.len() < limits::COUNTED_SESSIONS || counted.contains_key(key) {
        return Ok(());
    }
    counted.retain(|_, (since, _)| !is_over(*since, now));
    if counted.len() < limits::COUNTED_SESSIONS {
        return Ok(());
    }
    Err(Error::too_large(format!("{} {what} have called tools in a minute", counted.len()))
        .with_hint("Call again in a minute"))
}

fn count<K: Eq + Hash>(
    counted: &mut Counted<K>,
    key: K,
    most: u64,
    now: Instant,
    what: impl FnOnce() -> String,
) -> Result<()> {
    let (since, made) = counted.slot(key).or_insert((now, 0));
    if is_over(*since, now) {
        (*since, *made) = (now, 0);
    }
    if *made >= most {
        let left = (*since + MINUTE).saturating_duration_since(now).as_secs() + 1;
        return Err(Error::too_large(what()).with_hint(format!("Call again in {left} s")));
    }
    *made += 1;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_has_its_calls_of_a_minute() {
        let (limit, start) = (RateLimit::default(), Instant::now());
        let count = |number, seconds| {
            limit
                .count(
                    &Session::Connection(number),
                    number,
                    3,
                    start + Duration::from_secs(seconds),
                )
                .map_err(|error| error.to_string())
        };
        assert!((0..3).all(|second| count(1, second).is_ok()));
        let error = count(1, 3).unwrap_err();
        assert_eq!(
            error,
            "too_large: this session has made 3 calls in a minute, and redline_max_calls is 3. Call again in 58 s."
        );
        assert!(count(2, 3).is_ok() && count(1, 59).is_err() && count(1, 60).is_ok());
    }

    #[test]
    fn sessions_are_counted_in_bounded_memory() {
        let (limit, start) = (RateLimit::default(), Instant::now());
        let count = |number: usize, at| {
            limit.count(&Session::Connection(number as u64), number as u64, 3, at)
        };
        assert!((0..limits::COUNTED_SESSIONS).all(|number| count(number, start).is_ok()));
        assert!(count(limits::COUNTED_SESSIONS, start).is_err() && count(0, start).is_ok());
        assert!(count(limits::COUNTED_SESSIONS, start + MINUTE).is_ok());
    }

    #[test]
    fn a_connection_that_names_sessions_leaves_room_for_those_of_others() {
        let (limit, start) = (RateLimit::default(), Instant::now());
        let count = |name: usize, connection, at| {
            limit.count(&Session::Named(name.to_string()), connection, 3, at)
        };
        let most = limits::SESSIONS_OF_CONNECTION;
        assert!((0..most).all(|name| count(name, 1, start).is_ok()));
        assert!((most..2 * limits::COUNTED_SESSIONS).all(|name| count(name, 1, start).is_err()));
        assert!(count(0, 1, start).is_ok() && count(most, 2, start).is_ok());
        assert!(count(most + 1, 1, start + MINUTE).is_ok());
    }
}
