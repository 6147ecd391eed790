//! The rows of a file of data: CSV, lines of JSON, or a JSON array, each row as a JSON object with
//! its values as they are written.

use redline_base::budget::{Gather, Grow, Ordered, TryGather};
use std::collections::BTreeMap;

use redline_base::error::quoted;
use serde_json::value::RawValue;

/// The bytes that a CSV file may have between its fields; the first is taken where none occurs.
const DELIMITERS: [char; 4] = [',', '\t', ';', '|'];

/// Why a text has no rows, in words.
pub type Unreadable = String;

/// Returns the rows of a file, whose name says what it contains: `.csv` and `.tsv` with a header,
/// `.json`, `.jsonl`, `.ndjson`. Each row is a JSON object without whitespace, its keys in order,
/// so that equal rows are equal texts. A cell of CSV is a string, `''` where it is empty; a key
/// of JSON whose value is null is left out.
///
/// # Errors
/// What is wrong with the first row that cannot be read, or with the file's name.
pub fn data_rows(content: &str, file: &str) -> Result<Vec<String>, Unreadable> {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("csv" | "tsv") => csv_rows(content),
        Some("json" | "jsonl" | "ndjson") => json_rows(content),
        _ => Err(format!(
            "the history of {} is not read: its rows are read in .csv, .tsv, .json, .jsonl and \
             .ndjson",
            quoted(file)
        )),
    }
}

fn json_rows(content: &str) -> Result<Vec<String>, Unreadable> {
    let not_json = |error: serde_json::Error| format!("not JSON: {error}");
    let values = serde_json::Deserializer::from_str(content).into_iter::<&RawValue>();
    let mut values = values.try_gather::<Vec<_>>().map_err(not_json)?;
    if let [array] = values[..]
        && array.get().starts_with('[')
    {
        values = serde_json::from_str(array.get()).map_err(not_json)?;
    }
    values.iter().enumerate().map(|(at, value)| json_row(at + 1, value.get())).try_gather()
}

fn json_row(number: usize, value: &str) -> Result<String, Unreadable> {
    if !value.starts_with('{') {
        return Err(format!("row {number} is not an object of JSON"));
    }
    let fields: BTreeMap<String, &RawValue> =
        serde_json::from_str(value).map_err(|error| format!("row {number}: {error}"))?;
    let mut row = Row::default();
    for (name, value) in &fields {
        match value.get() {
            "null" => {}
            value => row.add(name, &plain(value)),
        }
    }
    Ok(row.done())
}

/// Returns a value in one form: a string without needless escapes, a number as DuckDB prints it
/// where a DOUBLE holds all its digits, and anything else without whitespace between its parts.
fn plain(value: &str) -> String {
    if value.starts_with('"') {
        return serde_json::from_str::<String>(value)
            .map_or_else(|_| value.to_owned(), |text| json_text(&text));
    }
    if value.starts_with(['{', '[']) {
        return without_whitespace(value);
    }
    let digits = value.split(['e', 'E']).next().unwrap_or_default();
    let is_fraction = value.contains(['.', 'e', 'E']);
    let is_exact = digits.bytes().filter(u8::is_ascii_digit).count() <= 15;
    match value.parse::<f64>() {
        Ok(number) if is_fraction && is_exact && number.is_finite() => {
            serde_json::Value::from(number).to_string()
        }
        _ => value.to_owned(),
    }
}

/// Returns JSON without whitespace outside of strings.
fn without_whitespace(value: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let kept = |c: &char| {
        let is_kept = is_text || !c.is_ascii_whitespace();
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_text,
            '"' => is_text = !is_text,
            _ => {}
        }
        is_kept
    };
    value.chars().filter(kept).gather()
}

fn csv_rows(content: &str) -> Result<Vec<String>, Unreadable> {
    let mut records = Records { rest: content, line: 1, delimiter: delimiter(content) };
    let header = match records.next_record()? {
        Some((_, header)) => header,
        None => return Ok(Vec::new()),
    };
    let mut order: Vec<usize> = (0..header.len()).gather();
    order.order_by(|a, b| header[*a].cmp(&header[*b]));
    if let Some([name, _]) = order.windows(2).find_map(|pair| {
        let [a, b] = [pair[0], pair[1]].map(|at| &header[at]);
        (a == b).then_some([a, b])
    }) {
        return Err(format!("the column {} occurs twice", quoted(name)));
    }
    let mut rows = Vec::new();
    while let Some((line, fields)) = records.next_record()? {
        if fields.len() != header.len() {
            let (found, wanted) = (fields.len(), header.len());
            return Err(format!("line {line} has {found} fields, the header {wanted}"));
        }
        let mut row = Row::default();
        for &at in &order {
            row.add(&header[at], &json_text(&fields[at]));
        }
        rows.add(row.done());
    }
    Ok(rows)
}

/// Returns the delimiter that occurs most often in the header, outside of quotes.
fn delimiter(content: &str) -> char {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for c in content.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\n' | '\r' if !is_quoted => break,
            _ => {
                let known = DELIMITERS.iter().position(|delimiter| *delimiter == c);
                if let (Some(at), false) = (known, is_quoted) {
                    counts[at] += 1;
                }
            }
        }
    }
    let most = counts.iter().max().copied().unwrap_or_default();
    let at = counts.iter().position(|count| *count == most).unwrap_or_default();
    DELIMITERS[at]
}

/// The records of a CSV text, as RFC 4180 has them.
struct Records<'a> {
    rest: &'a str,
    line: usize,
    delimiter: char,
}

impl Records<'_> {
    /// Returns the number of its first line, and the fields of the next record; empty lines are
    /// passed over.
    fn next_record(&mut self) -> Result<Option<(usize, Vec<String>)>, Unreadable> {
        while let Some(rest) =
            self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix(['\n', '\r']))
        {
            self.rest = rest;
            self.line += 1;
        }
        if self.rest.is_empty() {
            return Ok(None);
        }
        let first = self.line;
        let mut fields = Vec::new();
        loop {
            fields.add(self.field()?);
            if let Some(rest) = self.rest.strip_prefix(self.delimiter) {
                self.rest = rest;
                continue;
            }
            if let Some(rest) =
                self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix(['\n', '\r']))
            {
                self.rest = rest;
                self.line += 1;
            }
            return Ok(Some((first, fields)));
        }
    }

    fn field(&mut self) -> Result<String, Unreadable> {
        let Some(text) = self.rest.strip_prefix('"') else {
            let end = self.rest.find([self.delimiter, '\n', '\r']).unwrap_or(self.rest.len());
            let (field, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Ok(field.to_owned());
        };
        let mut field = String::new();
        let mut text = text;
        loop {
            let Some((part, rest)) = text.split_once('"') else {
                return Err(format!("the quote of line {} is not closed", self.line));
            };
            field.add(part);
            match rest.strip_prefix('"') {
                Some(more) => {
                    field.add('"');
                    text = more;
                }
                None => {
                    self.rest = rest;
                    break;
                }
            }
        }
        let is_end = self.rest.is_empty() || self.rest.starts_with([self.delimiter, '\n', '\r']);
        if !is_end {
            return Err(format!("line {} has text behind a closed quote", self.line));
        }
        self.line += field.matches('\n').count();
        Ok(field)
    }
}

/// A JSON object that is being written.
#[derive(Default)]
struct Row(String);

impl Row {
    fn add(&mut self, name: &str, value: &str) {
        self.0.add(if self.0.is_empty() { '{' } else { ',' });
        self.0.add(json_text(name));
        self.0.add(':');
        self.0.add(value);
    }

    fn done(mut self) -> String {
        self.0.add(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str, file: &str) -> String {
        data_rows(content, file).map_or_else(|error| format!("! {error}"), |rows| rows.join(" "))
    }

    #[test]
    fn csv_is_read_as_written() {
        for (content, rows) in [
            ("id,b\n1,x\n2,\n", r#"{"b":"x","id":"1"} {"b":"","id":"2"}"#),
            ("\u{feff}a;b\r\n\"1;\"\"2\";\"x\r\ny\"\r\n\r\n", r#"{"a":"1;\"2","b":"x\r\ny"}"#),
            ("a\tb\n1\t2", r#"{"a":"1","b":"2"}"#),
            ("a\n 1 \n", r#"{"a":" 1 "}"#),
            ("", ""),
            ("a,b\n", ""),
            ("a,a\n1,2\n", "! the column 'a' occurs twice"),
            ("a,b\n\"1\n2\",3\n4\n", "! line 4 has 1 fields, the header 2"),
            ("a\n\"1\n", "! the quote of line 2 is not closed"),
            ("a\n\"1\"2\n", "! line 2 has text behind a closed quote"),
        ] {
            assert_eq!(read(content, "x.csv"), rows, "{content:?}");
        }
    }

    #[test]
    fn json_is_read_as_written_in_one_form() {
        for (content, rows) in [
            (r#"[{"id": 1, "a": "\u00e4"}, {"a":null,"id":2}]"#, r#"{"a":"ä","id":1} {"id":2}"#),
            (
                "{\"b\":1.00,\"a\":[1, \"x \\\" y\"]}\n{\"b\":2}",
                r#"{"a":[1,"x \" y"],"b":1.0} {"b":2}"#,
            ),
            (r#"{"n": 123456789012345678901234567890}"#, r#"{"n":123456789012345678901234567890}"#),
            ("[]", ""),
            ("", ""),
            ("{}", "{}"),
            ("[{}, 3]", "! row 2 is not an object of JSON"),
            ("<html>", "! not JSON: expected value at line 1 column 1"),
        ] {
            assert_eq!(read(content, "X.JSON"), rows, "{content:?}");
        }
        assert!(read("", "a.parquet").starts_with("! the history of 'a.parquet' is not read"));
    }

    #[test]
    fn deep_values_take_no_stack() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let found = data_rows(&format!("{{\"a\":{deep}}}"), "a.jsonl");
        assert!(found.is_ok_and(|rows| rows[0].len() == deep.len() + 6));
    }
}
