//! SQL text that compares tables (`comparison`) and that reads the history of a file of data
//! (`history`).
//!
//! A macro passes the text to DuckDB's `query()`, which binds it as a part of the statement: so the
//! joins are DuckDB's own, run on its threads and spill. The text is made from names alone: what
//! stands in the templates, `*.sql` in the directory of this module, compares columns without
//! knowing which there are.

pub mod comparison;
pub mod history;
pub mod reader;
mod unified;

use reader::{Reader, paths_at};
use redline_base::budget::{CopiedText, Gather, Grow, Joined};
use redline_base::error::{Error, Result, quoted};

/// Returns a name as SQL writes it: `a"b` is `"a""b"`.
fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a text as SQL writes it.
pub fn literal(text: &str) -> String {
    ["'", &text.replaced("'", "''"), "'"].joined("")
}

/// Returns what stands behind FROM for `text`: a query in parentheses or a call of a function as it
/// is, and anything else as a name. Words joined by dots, each plain or in double quotes, are a
/// qualified name; DuckDB itself takes `prices.csv` for a file where there is no such schema.
/// `HEAD~1:prices.csv` is that file at a revision of `repo`. Any other text is one name, such as
/// that of a file.
///
/// # Errors
/// `invalid_args` for an empty text and for a query without parentheses.
fn from_clause(text: &str, repo: &str) -> Result<String> {
    let text = text.trim();
    let (head, rest) = match text.find('(') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    if !rest.is_empty() && text.ends_with(')') && (head.is_empty() || parts(head.trim()).is_some())
    {
        // The end of a line ends a comment, too.
        return Ok([text, "\n"].joined(""));
    }
    let word = text.split_whitespace().next().unwrap_or_default();
    let begins_query =
        ["select", "from", "with", "values"].iter().any(|begin| word.eq_ignore_ascii_case(begin));
    if text.is_empty() || (begins_query && word.len() < text.len()) {
        return Err(Error::invalid_args(format!("{} names no table", quoted(text)))
            .with_hint("Give a table, a view or a file, or a query in parentheses"));
    }
    let name = || parts(text).unwrap_or_else(|| identifier(text));
    Ok(file_of_revision(text, repo).unwrap_or_else(name))
}

/// Returns the call that reads `revision:path` in git's notation (`:path` is in the index), or the
/// files of a glob; `None` where the text is no such name, or ends in no format that DuckDB reads
/// without an extension.
fn file_of_revision(text: &str, repo: &str) -> Option<String> {
    let (revision, path) = text.split_once(':')?;
    let revision = if revision.is_empty() { "INDEX" } else { revision };
    let reader = Reader::of(path).filter(|reader| reader.is_built_in)?.name;
    // A URL, or a drive of Windows.
    if path.starts_with("//") || (revision.len() == 1 && path.starts_with(['/', '\\'])) {
        return None;
    }
    let paths = paths_at(path, revision, repo);
    let absent = literal(&format!(
        "not_found: {} has no file {}. Name one that it has, by its path from the root of the \
         repository",
        quoted(revision),
        quoted(path)
    ));
    Some(format!("system.main.{reader}(coalesce({paths}, system.main.error({absent})))"))
}

/// Returns a qualified name of at most three parts, each in quotes; `None` if the text is none.
fn parts(text: &str) -> Option<String> {
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        let (name, after) = match rest.strip_prefix('"') {
            Some(quote) => {
                let end = end_of_quoted(quote)?;
                (quote[..end].replace("\"\"", "\""), &quote[end + 1..])
            }
            None => {
                let end =
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (rest[..end].copied_text(), &rest[end..])
            }
        };
        if name.is_empty() {
            return None;
        }
        names.add(identifier(&name));
        match after.strip_prefix('.') {
            Some(more) => rest = more,
            None if after.is_empty() && names.len() <= 3 => return Some(names.joined(".")),
            None => return None,
        }
    }
}

/// Returns where the quote that closes a name is; a doubled one is a part of the name.
fn end_of_quoted(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find('"')?;
        if !text[at + 1..].starts_with('"') {
            return Some(at);
        }
        from = at + 2;
    }
}

/// Returns the template with the value of each `{name}`, in one pass: what a value contains is not
/// looked at again. Lines of comments are left out.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let lines = template.lines().filter(|line| !line.trim_start().starts_with("--"));
    let template = lines.gather::<Vec<_>>().joined("\n");
    let mut out = String::new();
    let mut rest = template.as_str();
    while let Some(at) = rest.find('{') {
        out.add(&rest[..at]);
        let inner = &rest[at + 1..];
        let named = inner.split_once('}').and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((value, after))
        });
        rest = match named {
            Some((value, after)) => {
                out.add(value.as_str());
                after
            }
            None => {
                out.add('{');
                inner
            }
        };
    }
    out.add(rest);
    out
}

/// Returns the texts joined by commas.
fn comma(texts: impl Iterator<Item = String>) -> String {
    texts.gather::<Vec<_>>().joined(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_a_table_is_written_as_sql() {
        for (text, sql) in [
            ("prices", r#""prices""#),
            (" main.prices ", r#""main"."prices""#),
            ("prices.csv", r#""prices"."csv""#),
            ("a.b.c.csv", r#""a.b.c.csv""#),
            (r#""odd ""name".t"#, r#""odd ""name"."t""#),
            ("HEAD~1:data/prices.xyz", r#""HEAD~1:data/prices.xyz""#),
            ("s3://bucket/prices.csv", r#""s3://bucket/prices.csv""#),
            (r"c:\prices.csv", r#""c:\prices.csv""#),
            (r#"a"b"#, r#""a""b""#),
            (r#""open"#, r#""""open""#),
            ("data (1).csv", r#""data (1).csv""#),
            ("preise_ä", r#""preise_ä""#),
            ("select", r#""select""#),
            ("t; DROP TABLE t", r#""t; DROP TABLE t""#),
            ("(SELECT 1 AS id)", "(SELECT 1 AS id)\n"),
            ("read_csv('a.csv', delim = ';')", "read_csv('a.csv', delim = ';')\n"),
            ("main.f (1)", "main.f (1)\n"),
        ] {
            assert_eq!(from_clause(text, ".").unwrap(), sql, "{text}");
        }
        for text in ["", "  ", "SELECT * FROM t", "from t", "WITH a AS (FROM t) FROM a"] {
            assert!(
                from_clause(text, ".").unwrap_err().to_string().starts_with("invalid_args: "),
                "{text}"
            );
        }
    }

    #[test]
    fn a_file_of_a_revision_is_read_by_its_ending() {
        for (text, reader, arguments) in [
            ("HEAD~1:a's.csv", "read_csv", "file_at('a''s.csv', 'HEAD~1', './r')"),
            (":a.ndjson.gz", "read_json", "file_at('a.ndjson.gz', 'INDEX', './r')"),
            ("v1:d/*.PARQUET", "read_parquet", "files_at('d/*.PARQUET', 'v1', './r')"),
        ] {
            let sql = from_clause(text, "./r").unwrap();
            let begin = format!("system.main.{reader}(coalesce(system.main.{arguments}, ");
            assert!(sql.starts_with(&begin), "{sql}");
        }
    }

    #[test]
    fn a_value_is_not_filled_again() {
        let values = [("a", "{b}".to_owned()), ("b", "{a}".to_owned())];
        assert_eq!(filled("-- {a}\nx {a} {b} {c} {", &values), "x {b} {a} {c} {");
    }
}
