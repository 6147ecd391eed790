//! Arguments that other tools have and ours say in another way: how each is read as ours.

use serde_json::{Map, Value, json};

use redline_base::budget::{CopiedText, GatherSome, Joined};
use redline_base::limits;

/// Reads a value as arguments of ours, which it adds to those of the call; false if it means none.
pub type Reading = fn(&Value, &mut Map<String, Value>) -> bool;

/// Returns a whole number, also one with a point or as a text.
pub fn whole(value: &Value) -> Option<i64> {
    let of_float = |number: f64| {
        let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
        is_whole.then_some(number as i64)
    };
    match value {
        Value::Number(number) => number.as_i64().or_else(|| of_float(number.as_f64()?)),
        Value::String(text) => {
            text.parse::<i64>().ok().or_else(|| of_float(text.parse::<f64>().ok()?))
        }
        _ => None,
    }
}

fn truth(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| value.as_str()?.parse().ok())
}

/// The first line; some count from 0.
pub fn first_line(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let Some(line) = whole(value).filter(|line| *line >= 0) else { return false };
    arguments.insert("first_line".into(), json!(line.max(1)));
    true
}

/// The number of lines, from the first one on.
pub fn line_count(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let Some(count) = whole(value).filter(|count| *count >= 0) else { return false };
    let first = arguments.get("first_line").and_then(whole).unwrap_or(1).max(1);
    if count > 0 {
        arguments.insert("last_line".into(), json!(first.saturating_add(count - 1)));
    }
    true
}

/// One line, a pair, or a text of two numbers; the last one is open where it is -1.
pub fn lines(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let numbers: Option<Vec<i64>> = match value {
        Value::Array(values) => values.iter().map(whole).collect(),
        Value::String(text) => {
            let parts = text.split(['-', ':', ',']);
            parts.map(|part| part.trim().parse().ok()).collect()
        }
        one => whole(one).map(|line| vec![line]),
    };
    let (first, last) = match numbers.as_deref() {
        Some([line]) => (*line, *line),
        Some([first, last]) => (*first, *last),
        _ => return false,
    };
    if first < 1 || last < -1 {
        return false;
    }
    arguments.insert("first_line".into(), json!(first));
    if last != -1 {
        arguments.insert("last_line".into(), json!(last));
    }
    true
}

/// Lines around a match, before or after it: the larger number counts for both.
pub fn context(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let Some(lines) = whole(value).filter(|lines| *lines >= 0) else { return false };
    let before = arguments.get("context_lines").and_then(whole).unwrap_or(0);
    let most = limits::SEARCH_CONTEXT as i64;
    arguments.insert("context_lines".into(), json!(lines.min(most).max(before)));
    true
}

/// A type of files, by the ending of their names or the name of their language.
pub fn file_type(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let Some(kind) = value.as_str().filter(|kind| kind.chars().all(char::is_alphanumeric)) else {
        return false;
    };
    let ending = match kind {
        "python" => "py",
        "rust" => "rs",
        "javascript" => "js",
        "typescript" => "ts",
        "markdown" => "md",
        "ruby" => "rb",
        other => other,
    };
    arguments.entry("glob").or_insert_with(|| json!(format!("*.{ending}")));
    true
}

/// Whether upper and lower case differ, as they do where nothing is said.
pub fn case_sensitive(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let Some(differs) = truth(value) else { return false };
    if !differs {
        arguments.insert("ignore_case".into(), json!(true));
    }
    true
}

/// Whether directories are entered, as they are where nothing is said.
pub fn recursive(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let Some(is_recursive) = truth(value) else { return false };
    if !is_recursive {
        arguments.insert("depth".into(), json!(1));
    }
    true
}

/// Something that is not done.
pub fn no(value: &Value, _: &mut Map<String, Value>) -> bool {
    truth(value) == Some(false)
}

/// What is staged, which is committed where nothing is said.
pub fn staged(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    truth(value) == Some(true) && !arguments.contains_key("what")
}

/// All files.
pub fn all(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    match truth(value) {
        Some(true) => arguments.insert("what".into(), json!(["."])).is_none(),
        Some(false) => true,
        None => false,
    }
}

/// One occurrence, which is what an edit replaces.
pub fn one(value: &Value, _: &mut Map<String, Value>) -> bool {
    whole(value) == Some(1)
}

/// The command of a text editor that replaces.
pub fn replaces(value: &Value, _: &mut Map<String, Value>) -> bool {
    value == "str_replace"
}

/// The command of a text editor that shows.
pub fn views(value: &Value, _: &mut Map<String, Value>) -> bool {
    value == "view"
}

/// The kinds of branches that git's servers list.
pub fn branch_type(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let glob = match value.as_str() {
        Some("local") => "heads",
        Some("remote") => "remotes",
        kind => return kind == Some("all"),
    };
    arguments.insert("glob".into(), json!(glob));
    true
}

/// A patch: a text, its lines, or the words of a command.
pub fn patch(value: &Value, arguments: &mut Map<String, Value>) -> bool {
    let text = match value {
        Value::String(text) => text.copied_text(),
        Value::Array(values) => {
            let Some(lines) = values.iter().map(Value::as_str).gather_some::<Vec<_>>() else {
                return false;
            };
            match lines.as_slice() {
                ["apply_patch", patch] => patch.copied_text(),
                lines => lines.joined("\n"),
            }
        }
        _ => return false,
    };
    arguments.insert("patch".into(), Value::String(text));
    true
}
