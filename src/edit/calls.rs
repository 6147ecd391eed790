//! How often a session has called tools.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::operation::Session;
use crate::error::{Error, Result};
use crate::limits;

const MINUTE: Duration = Duration::from_secs(60);

/// The calls of each session since a minute of its own began.
#[derive(Debug, Default)]
pub struct Calls(Mutex<HashMap<Session, (Instant, u64)>>);

impl Calls {
    /// Counts a call of a session that may make `most` of them in a minute.
    ///
    /// # Errors
    /// `too_large` when it has made them.
    pub fn count(&self, session: &Session, most: u64, now: Instant) -> Result<()> {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |since: Instant| now.saturating_duration_since(since) >= MINUTE;
        if sessions.len() >= limits::COUNTED_SESSIONS && !sessions.contains_key(session) {
            sessions.retain(|_, (since, _)| !is_over(*since));
            if sessions.len() >= limits::COUNTED_SESSIONS {
                return Err(Error::too_large(format!(
                    "{} sessions have called tools in a minute",
                    sessions.len()
                ))
                .with_hint("Call again in a minute"));
            }
        }
        let (since, calls) = sessions.entry(session.clone()).or_insert((now, 0));
        if is_over(*since) {
            (*since, *calls) = (now, 0);
        }
        if *calls >= most {
            let left = (*since + MINUTE).saturating_duration_since(now).as_secs() + 1;
            return Err(Error::too_large(format!(
                "this session has made {calls} calls in a minute, and redline_max_calls is {most}"
            ))
            .with_hint(format!("Call again in {left} s")));
        }
        *calls += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_has_its_calls_of_a_minute() {
        let (calls, start) = (Calls::default(), Instant::now());
        let count = |number, seconds| {
            calls
                .count(&Session::Connection(number), 3, start + Duration::from_secs(seconds))
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
        let (calls, start) = (Calls::default(), Instant::now());
        let count = |number: usize, at| calls.count(&Session::Connection(number as u64), 3, at);
        assert!((0..limits::COUNTED_SESSIONS).all(|number| count(number, start).is_ok()));
        assert!(count(limits::COUNTED_SESSIONS, start).is_err() && count(0, start).is_ok());
        assert!(count(limits::COUNTED_SESSIONS, start + MINUTE).is_ok());
    }
}
