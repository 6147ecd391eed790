//! The history of the rows of one file.

use super::{comma, filled, identifier, literal};
use redline_base::budget::{Gather, Grow, Joined};
use redline_base::error::{Error, Result};

/// A file of rows, and the commits whose versions of it are compared.
pub struct DataHistory<'a> {
    /// The file.
    pub file: &'a str,
    /// The commits, as `file_history` takes them.
    pub range: &'a str,
    /// The repository.
    pub repo: &'a str,
    /// The columns that name a row; none if only an equal row is the same one.
    pub key: Vec<&'a str>,
}

impl DataHistory<'_> {
    /// Returns the query, with a row per changed row, or per changed cell.
    ///
    /// # Errors
    /// `invalid_args` for cells without a key.
    pub fn sql(&self, of_cells: bool) -> Result<String> {
        if of_cells && self.key.is_empty() {
            return Err(Error::invalid_args("data_history_cells needs a key")
                .with_hint("Give the columns that name a row: key := 'id', or a list"));
        }
        let columns = if self.key.is_empty() { 2 } else { self.key.len() };
        let keys: Vec<String> = (0..columns).map(|at| format!("k{at}")).gather();
        let each = |write: &dyn Fn(usize, &str) -> String| {
            comma(self.key.iter().enumerate().map(|(at, name)| write(at, name)))
        };
        // Equal rows of a version are numbered, so that each has its own history.
        let of_value = if self.key.is_empty() {
            "value AS k0, system.main.row_number() OVER (PARTITION BY newest, value) AS k1"
                .to_owned()
        } else {
            each(&|at, name| {
                let place = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                format!("system.main.json_extract_string(value, {}) AS k{at}", literal(&place))
            })
        };
        let named = self.key.iter().enumerate();
        let named = named.map(|(at, name)| format!("k{at} AS {}, ", identifier(name))).gather();
        let nulls: Vec<String> = keys.iter().map(|key| format!("{key} IS NULL")).gather();
        let mut values = vec![
            ("file", literal(self.file)),
            ("range", literal(self.range)),
            ("repo", literal(self.repo)),
            ("keys", keys.joined(", ")),
            ("keys_of_value", of_value),
            ("named_keys", named),
            ("null_keys", comma(keys.iter().map(|_| "NULL".to_owned()))),
            ("key_text", literal(&format!("({})", self.key.joined(", ")))),
            (
                "key_values",
                format!(
                    "system.main.concat_ws(', ', {})",
                    comma(keys.iter().map(|key| format!("coalesce({key}, 'NULL')")))
                ),
            ),
            ("key_is_null", nulls.joined(" OR ")),
            ("key_literals", each(&|_, name| literal(name))),
        ];
        // DuckDB's reader of Parquet takes files alone, and all versions at once.
        let is_parquet = self.file.to_ascii_lowercase().ends_with(".parquet");
        let versions = match is_parquet {
            false => include_str!("text_versions.sql"),
            true => include_str!("parquet_versions.sql"),
        };
        values.add(("values", filled(versions, &values)));
        let faults = if self.key.is_empty() { "" } else { include_str!("key_faults.sql") };
        values.add(("key_faults", filled(faults, &values)));
        let answer = match of_cells {
            false => include_str!("history_rows.sql"),
            true => include_str!("history_cells.sql"),
        };
        let templates = [include_str!("versions.sql"), answer];
        Ok(templates.map(|template| filled(template, &values)).joined("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_templates_is_filled_and_names_are_exact() {
        let place = regex::Regex::new(r"\{\w+\}").unwrap();
        let history = |key: &[&'static str]| DataHistory {
            file: "it's.csv",
            range: "HEAD",
            repo: ".",
            key: key.to_vec(),
        };
        let parquet = DataHistory { file: "A.PARQUET", ..history(&["id"]) }.sql(false).unwrap();
        assert!(!place.is_match(&parquet) && parquet.contains("file_versions_at('A.PARQUET'"));
        for (key, of_cells) in [(&["a/b", "it's"][..], false), (&["a/b"], true), (&[], false)] {
            let sql = history(key).sql(of_cells).unwrap();
            assert!(!place.is_match(&sql) && sql.contains("file_history('it''s.csv'"), "{sql}");
            assert_eq!(sql.contains("(value, '/a~1b') AS k0"), !key.is_empty());
        }
        assert!(history(&[]).sql(true).is_err());
    }
}
