//! The arguments of calls whose answers go on, so that a cursor alone asks for the next page.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use super::arguments::is_empty;
use redline_base::{limits, strict_json};
use redline_edit::Session;

/// The argument that continues a call.
const CURSOR: &str = "cursor";

/// A call whose answer goes on.
#[derive(Debug)]
struct PagedCall {
    session: Session,
    tool: String,
    cursor: String,
    /// Its arguments as they were given, but for its own cursor.
    arguments: Map<String, Value>,
}

/// The last calls whose answers go on, of each session its own.
#[derive(Debug, Default)]
pub struct PagedCalls(Mutex<VecDeque<PagedCall>>);

impl PagedCalls {
    /// Returns the arguments of a call; those that it leaves out beside a cursor are those of the
    /// call whose answer gave the cursor. Others than objects are returned as they are.
    pub fn completed<'a>(&self, session: &Session, tool: &str, given: &'a str) -> Cow<'a, str> {
        let Ok(Value::Object(mut arguments)) = strict_json::parse(given) else {
            return given.into();
        };
        let Some(Value::String(cursor)) = arguments.get(CURSOR) else { return given.into() };
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_before = |call: &&PagedCall| {
            (&call.session, &call.tool[..], &call.cursor) == (session, tool, cursor)
        };
        let Some(before) = calls.iter().find(is_before) else { return given.into() };
        for (name, value) in &before.arguments {
            if arguments.get(name).is_none_or(|given| is_empty(name, given)) {
                arguments.insert(name.clone(), value.clone());
            }
        }
        strict_json::write(&arguments).map_or(given.into(), Cow::Owned)
    }

    /// Keeps the arguments of a call whose answer goes on with a cursor. The oldest calls are
    /// forgotten beyond [`limits::PAGED_CALLS`], of the session first; long arguments are not kept.
    pub fn keep(&self, session: &Session, tool: &str, given: &str, cursor: &str) {
        if given.len() > limits::PAGED_CALL_BYTES {
            return;
        }
        let Ok(Value::Object(mut arguments)) = strict_json::parse(given) else { return };
        arguments.remove(CURSOR);
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|call| (&call.session, &call.cursor[..]) != (session, cursor));
        let of_session = calls.iter().filter(|call| call.session == *session).count();
        let oldest = match of_session >= limits::PAGED_CALLS_OF_SESSION {
            true => calls.iter().position(|call| call.session == *session),
            false => (calls.len() >= limits::PAGED_CALLS).then_some(0),
        };
        oldest.and_then(|oldest| calls.remove(oldest));
        calls.push_back(PagedCall {
            session: session.clone(),
            tool: tool.to_owned(),
            cursor: cursor.to_owned(),
            arguments,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_completes_the_call_of_its_session_and_tool() {
        let (calls, session) = (PagedCalls::default(), Session::Connection(1));
        calls.keep(&session, "GitDiff", r#"{"from": "a", "paths": ["x"]}"#, "r2");
        let completed = |session: &Session, tool: &str, given: &str| {
            calls.completed(session, tool, given).into_owned()
        };
        let whole = r#"{"cursor":"r2","from":"a","paths":["x"]}"#;
        for given in [r#"{"cursor": "r2"}"#, r#"{"cursor": "r2", "from": "", "paths": []}"#] {
            let found: Value =
                serde_json::from_str(&completed(&session, "GitDiff", given)).unwrap();
            assert_eq!(found, serde_json::from_str::<Value>(whole).unwrap(), "{given}");
        }
        let other = r#"{"cursor": "r2", "from": "b"}"#;
        assert!(completed(&session, "GitDiff", other).contains(r#""from":"b""#));
        for given in ["", "[]", "{", r#"{"cursor": 2}"#, r#"{"cursor": "r3"}"#, r#"{"from": "a"}"#]
        {
            assert_eq!(completed(&session, "GitDiff", given), given);
        }
        let alone = r#"{"cursor": "r2"}"#;
        assert_eq!(completed(&Session::Connection(2), "GitDiff", alone), alone);
        assert_eq!(completed(&session, "GitLog", alone), alone);
    }

    #[test]
    fn a_session_forgets_its_own_oldest_call_and_long_arguments_are_not_kept() {
        let (calls, session) = (PagedCalls::default(), Session::Connection(1));
        calls.keep(&Session::Connection(2), "GitLog", r#"{"repo": "b"}"#, "other");
        for number in 0..=limits::PAGED_CALLS_OF_SESSION {
            calls.keep(&session, "GitLog", r#"{"repo": "a"}"#, &number.to_string());
        }
        let is_known = |session: &Session, cursor: &str| {
            calls
                .completed(session, "GitLog", &format!(r#"{{"cursor": "{cursor}"}}"#))
                .contains("repo")
        };
        assert!(!is_known(&session, "0") && is_known(&session, "1"));
        assert!(is_known(&Session::Connection(2), "other"));
        let long = format!(r#"{{"repo": "{}"}}"#, "a".repeat(limits::PAGED_CALL_BYTES));
        calls.keep(&session, "GitLog", &long, "long");
        assert!(!is_known(&session, "long"));
        for number in 0..limits::PAGED_CALLS {
            calls.keep(&Session::Connection(number as u64 + 3), "GitLog", r#"{"repo": "c"}"#, "c");
        }
        assert!(!is_known(&Session::Connection(2), "other"));
        assert_eq!(calls.0.lock().unwrap().len(), limits::PAGED_CALLS);
    }
}
