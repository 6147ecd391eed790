//! The rows of a file of data: CSV, lines of JSON, or a JSON array, with their values as they are
//! written.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use redline_base::budget::{Gather, Grow, GrowMap, GrowSet, Ordered, TryGather};
use redline_base::error::quoted;
use serde_json::value::RawValue;

/// The bytes that a CSV file may have between its fields; the first is taken where none occurs.
const DELIMITERS: [char; 4] = [',', '\t', ';', '|'];

/// Why a text has no rows, in words.
pub type Unreadable = String;

/// The formats, by the endings of the names of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `.csv` and `.tsv`, with a header.
    Csv,
    /// `.json`, `.jsonl`, `.ndjson`: objects in an array, or one after another.
    Json,
}

impl Format {
    /// Returns the format of a file; `None` if its rows are not read.
    pub fn of(file: &str) -> Option<Self> {
        let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("csv" | "tsv") => Some(Self::Csv),
            Some("json" | "jsonl" | "ndjson") => Some(Self::Json),
            _ => None,
        }
    }
}

/// The columns of files, which rows name by their places here.
#[derive(Debug, Default)]
pub struct Columns {
    /// Their names, in the order in which they came.
    pub names: Vec<String>,
    places: HashMap<String, usize>,
}

/// A row: the place of each of its columns, and the value as it is written.
pub type Row<'a> = Vec<(usize, Cow<'a, str>)>;

impl Columns {
    fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.names.len();
        self.names.add(name.to_owned());
        self.places.put(name.to_owned(), place);
        place
    }

    /// Reads the rows of a file and adds its columns. A cell of CSV is its text, which
    /// may be empty; one of JSON is JSON without whitespace, and none where the value is null.
    ///
    /// # Errors
    /// What is wrong with the first row that cannot be read, or with the file's name.
    pub fn rows<'a>(&mut self, content: &'a str, file: &str) -> Result<Vec<Row<'a>>, Unreadable> {
        let content = content.strip_prefix('\u{feff}').unwrap_or(content);
        match Format::of(file) {
            Some(Format::Csv) => self.csv_rows(content),
            Some(Format::Json) => self.json_rows(content),
            None => Err(format!(
                "the rows of {} are not read: only those of .csv, .tsv, .json, .jsonl and .ndjson are",
                quoted(file)
            )),
        }
    }

    fn json_rows<'a>(&mut self, content: &'a str) -> Result<Vec<Row<'a>>, Unreadable> {
        let not_json = |error: serde_json::Error| format!("not JSON: {error}");
        let values = serde_json::Deserializer::from_str(content).into_iter::<&RawValue>();
        let mut values = values.try_gather::<Vec<_>>().map_err(not_json)?;
        if let [array] = values[..]
            && array.get().starts_with('[')
        {
            values = serde_json::from_str(array.get()).map_err(not_json)?;
        }
        let numbered = values.into_iter().zip(1..);
        numbered.map(|(value, number)| self.json_row(number, value.get())).try_gather()
    }

    fn json_row<'a>(&mut self, number: usize, value: &'a str) -> Result<Row<'a>, Unreadable> {
        if !value.starts_with('{') {
            return Err(format!("row {number} is not an object of JSON"));
        }
        let fields: BTreeMap<String, &RawValue> =
            serde_json::from_str(value).map_err(|error| format!("row {number}: {error}"))?;
        let mut row = Row::new();
        for (name, value) in fields {
            let place = self.place(&name);
            if value.get() != "null" {
                row.add((place, plain(value.get())));
            }
        }
        Ok(row)
    }

    fn csv_rows<'a>(&mut self, content: &'a str) -> Result<Vec<Row<'a>>, Unreadable> {
        let mut records = Records { rest: content, line: 1, delimiter: delimiter(content) };
        let header = match records.next_record()? {
            Some((_, header)) => header,
            None => return Ok(Vec::new()),
        };
        let (mut places, mut seen) = (Vec::new(), HashSet::new());
        for name in &header {
            let place = self.place(name);
            if !seen.put(place) {
                return Err(format!("the column {} occurs twice", quoted(name)));
            }
            places.add(place);
        }
        let mut rows = Vec::new();
        while let Some((line, fields)) = records.next_record()? {
            if fields.len() != header.len() {
                let (found, wanted) = (fields.len(), header.len());
                return Err(format!("line {line} has {found} fields, the header {wanted}"));
            }
            rows.add(places.iter().copied().zip(fields).gather());
        }
        Ok(rows)
    }
}

/// Returns the rows of a file, whose name says what it contains. Each row is a JSON object without
/// whitespace, its keys in order, so that equal rows are equal texts.
///
/// # Errors
/// Those of [`Columns::rows`].
pub fn data_rows(content: &str, file: &str) -> Result<Vec<String>, Unreadable> {
    let mut columns = Columns::default();
    let rows = columns.rows(content, file)?;
    let is_json = Format::of(file) == Some(Format::Json);
    let mut order: Vec<usize> = (0..columns.names.len()).gather();
    order.order_by(|a, b| columns.names[*a].cmp(&columns.names[*b]));
    let written = |mut row: Row<'_>| {
        if is_json {
            row.order_by(|a, b| columns.names[a.0].cmp(&columns.names[b.0]));
            return row_text(row.iter(), &columns.names, is_json);
        }
        // Every row has the columns of the header.
        row_text(order.iter().map(|at| &row[*at]), &columns.names, is_json)
    };
    Ok(rows.into_iter().map(written).gather())
}

/// Returns a row as a JSON object without whitespace.
pub(crate) fn row_text<'r, 'v: 'r>(
    row: impl Iterator<Item = &'r (usize, Cow<'v, str>)>,
    names: &[String],
    is_json: bool,
) -> String {
    let mut out = String::new();
    for (column, value) in row {
        out.add(if out.is_empty() { '{' } else { ',' });
        out.add(json_text(&names[*column]));
        out.add(':');
        if is_json {
            out.add(value.as_ref());
        } else {
            out.add(json_text(value));
        }
    }
    out.add(if out.is_empty() { "{}" } else { "}" });
    out
}

/// Returns a value in one form: a string without needless escapes, a number as DuckDB prints it
/// where a DOUBLE holds all its digits, and anything else without whitespace between its parts.
fn plain(value: &str) -> Cow<'_, str> {
    if value.starts_with('"') {
        let text = serde_json::from_str::<Cow<'_, str>>(value);
        return text.map_or(Cow::Borrowed(value), |text| Cow::Owned(json_text(&text)));
    }
    if value.starts_with(['{', '[']) {
        return Cow::Owned(without_whitespace(value));
    }
    let digits = value.split(['e', 'E']).next().unwrap_or_default();
    let is_fraction = value.contains(['.', 'e', 'E']);
    let is_exact = digits.bytes().filter(u8::is_ascii_digit).count() <= 15;
    match value.parse::<f64>() {
        Ok(number) if is_fraction && is_exact && number.is_finite() => {
            Cow::Owned(serde_json::Value::from(number).to_string())
        }
        _ => Cow::Borrowed(value),
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

/// The number of a record's first line, and its fields.
type Record<'a> = (usize, Vec<Cow<'a, str>>);

/// The records of a CSV text, as RFC 4180 has them.
struct Records<'a> {
    rest: &'a str,
    line: usize,
    delimiter: char,
}

impl<'a> Records<'a> {
    /// Returns the number of its first line, and the fields of the next record; empty lines are
    /// passed over.
    fn next_record(&mut self) -> Result<Option<Record<'a>>, Unreadable> {
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

    fn field(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        let rest: &'a str = self.rest;
        let Some(mut text) = rest.strip_prefix('"') else {
            let end = rest.find([self.delimiter, '\n', '\r']).unwrap_or(rest.len());
            let (field, rest) = rest.split_at(end);
            self.rest = rest;
            return Ok(Cow::Borrowed(field));
        };
        let mut field = Cow::Borrowed("");
        loop {
            let Some((part, rest)) = text.split_once('"') else {
                return Err(format!("the quote of line {} is not closed", self.line));
            };
            if field.is_empty() {
                field = Cow::Borrowed(part);
            } else {
                field.to_mut().add(part);
            }
            match rest.strip_prefix('"') {
                Some(more) => {
                    field.to_mut().add('"');
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
        assert!(read("", "a.parquet").starts_with("! the rows of 'a.parquet' are not read"));
    }

    #[test]
    fn deep_values_take_no_stack() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let found = data_rows(&format!("{{\"a\":{deep}}}"), "a.jsonl");
        assert!(found.is_ok_and(|rows| rows[0].len() == deep.len() + 6));
    }
}
