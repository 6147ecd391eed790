//! The comparison of two tables.

use super::{comma, filled, from_clause, identifier, literal, unified};
use redline_base::budget::{Copied, Gather, Grow, Joined};
use redline_base::error::{Error, Result, quoted};

/// Two tables, and how their rows are compared.
pub struct Comparison<'a> {
    /// The table before: a name, a file, or a query in parentheses.
    pub old: &'a str,
    /// The table after.
    pub new: &'a str,
    /// The repository of the files that are named with a revision.
    pub repo: &'a str,
    /// The columns that name a row; none to compare whole rows, of which equal ones are counted.
    pub key: Vec<&'a str>,
    /// The columns that are left out.
    pub ignore: Vec<&'a str>,
    /// How far apart two equal numbers may be.
    pub tolerance: f64,
    /// The same, as a part of the larger of the two, without signs.
    pub relative_tolerance: f64,
    /// Whether texts that differ only in case are equal.
    pub ignore_case: bool,
    /// Whether two NULLs are equal.
    pub nulls_equal: bool,
}

/// What the answer has a row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Each changed row.
    Rows,
    /// Each changed cell.
    Cells,
    /// Both tables: counts.
    Summary,
    /// Each change of a column's name, type or place.
    Schema,
    /// Each column that could be the key by itself: no value is NULL or twice on a side.
    Keys,
}

/// Both tables as one, with which every query begins but that of columns.
const SIDES: &str = include_str!("sides.sql");

/// The numeric types, as `typeof` names them.
const NUMBERS: &str = "'U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*'";

/// Each column of a row that may differ.
const ALL_OF_ROW: &str = r#"COLUMNS(* EXCLUDE ("redline number"))"#;

/// A name as DuckDB compares it: of ASCII letters, case does not matter.
const FOLDED: &str = "system.main.translate(column_name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', \
    'abcdefghijklmnopqrstuvwxyz')";

impl Comparison<'_> {
    /// Returns the query.
    ///
    /// # Errors
    /// `invalid_args` for what is no table, for numbers that are no tolerance, and for options that
    /// need a key without one.
    pub fn sql(&self, answer: Answer) -> Result<String> {
        let tables = [
            ("old", from_clause(self.old, self.repo)?),
            ("new", from_clause(self.new, self.repo)?),
        ];
        let mut values = tables.copied_vec();
        values.add(("folded", FOLDED.to_owned()));
        if answer == Answer::Schema {
            return Ok(filled(include_str!("schema.sql"), &values));
        }
        self.check(answer)?;
        values.add(("without_ignored", self.without_ignored()));
        values.add_all(unified::places());
        let left_out = self.key.iter().chain(&self.ignore);
        values.add(("left_out", comma(left_out.map(|name| literal(&name.to_ascii_lowercase())))));
        let templates = if self.key.is_empty() {
            match answer {
                Answer::Keys => return Ok(Self::of_keys(&values)),
                Answer::Summary => {
                    [SIDES, include_str!("whole.sql"), include_str!("whole_summary.sql")]
                }
                _ => [SIDES, include_str!("whole.sql"), include_str!("whole_rows.sql")],
            }
        } else {
            self.add_keyed(&mut values);
            let answer = match answer {
                Answer::Summary => include_str!("summary.sql"),
                Answer::Cells => include_str!("cells.sql"),
                _ => include_str!("rows.sql"),
            };
            [SIDES, include_str!("keyed.sql"), answer]
        };
        Ok(templates.map(|template| filled(template, &values)).joined("\n"))
    }

    /// Returns the query for the columns that could be the key.
    fn of_keys(values: &[(&str, String)]) -> String {
        let sides = filled(SIDES, values);
        // What follows is no more of the tables.
        let sides = sides.trim_end().trim_end_matches(',');
        format!("{sides}\n{}", filled(include_str!("keys.sql"), values))
    }

    fn check(&self, answer: Answer) -> Result<()> {
        for (name, tolerance) in
            [("tolerance", self.tolerance), ("relative_tolerance", self.relative_tolerance)]
        {
            if !(tolerance.is_finite() && tolerance >= 0.0) {
                return Err(Error::invalid_args(format!("{name} is {tolerance}"))
                    .with_hint("Give a number that is 0 or more"));
            }
        }
        let is_in_key = |name: &&&str| self.key.iter().any(|key| key.eq_ignore_ascii_case(name));
        if answer == Answer::Keys && !self.key.is_empty() {
            return Err(Error::invalid_args("the key is given, and asked for")
                .with_hint("Leave out key, to learn which columns could be it"));
        }
        if let Some(name) = self.ignore.iter().find(is_in_key) {
            return Err(Error::invalid_args(format!("{} is in key and in ignore", quoted(name)))
                .with_hint("Name it in one of them"));
        }
        let needing = [
            (answer == Answer::Cells, "cell_changes"),
            (self.tolerance > 0.0, "tolerance"),
            (self.relative_tolerance > 0.0, "relative_tolerance"),
            (self.ignore_case, "ignore_case"),
            (!self.nulls_equal, "nulls_equal := false"),
        ];
        match needing.iter().find(|(is_used, _)| *is_used && self.key.is_empty()) {
            Some((_, name)) => Err(Error::invalid_args(format!("{name} needs a key"))
                .with_hint("Give the columns that name a row: key := 'id', or a list")),
            None => Ok(()),
        }
    }

    fn without_ignored(&self) -> String {
        if self.ignore.is_empty() {
            return String::new();
        }
        format!(" EXCLUDE ({})", comma(self.ignore.iter().map(|name| identifier(name))))
    }

    fn add_keyed(&self, values: &mut Vec<(&str, String)>) {
        let keys: Vec<String> = self.key.iter().map(|name| identifier(name)).gather();
        let each = |write: &dyn Fn(usize) -> String| comma((0..keys.len()).map(write));
        let of_row = |row: &str| {
            comma(self.key.iter().map(|name| {
                format!(
                    "system.main.struct_extract({row}, {}) AS {}",
                    literal(name),
                    identifier(name)
                )
            }))
        };
        let equal: Vec<String> =
            (0..keys.len()).map(|at| format!("o.k{at} IS NOT DISTINCT FROM n.k{at}")).gather();
        let columns = keys.joined(", ");
        // Every column but these; as one text, since DuckDB takes several in one expression only
        // where they are equal.
        let others = format!(
            r#"COLUMNS(* EXCLUDE ("redline side", "redline old", "redline new", {columns}))"#
        );
        let cells = Cells::of(&others);
        values.add_all([
            ("key_text", literal(&format!("({})", self.key.joined(", ")))),
            ("keys", each(&|at| format!("k{at}"))),
            (
                "key_values",
                format!(
                    "system.main.concat_ws(', ', {})",
                    each(&|at| format!("coalesce(k{at}::VARCHAR, 'NULL')"))
                ),
            ),
            (
                "key_aliases",
                each(&|at| {
                    format!("system.main.struct_extract(r, {}) AS k{at}", literal(self.key[at]))
                }),
            ),
            ("joined_keys", each(&|at| format!("coalesce(o.k{at}, n.k{at}) AS k{at}"))),
            ("key_equal", equal.joined(" AND ")),
            ("key_of_old", of_row("old")),
            ("key_of_delta", of_row("CASE WHEN change = 'added' THEN new ELSE old END")),
            ("key_places", each(&|at| (at + 2).to_string())),
            (
                "rows_differ",
                if self.nulls_equal { "o.r IS DISTINCT FROM n.r" } else { "true" }.to_owned(),
            ),
            ("all_of_row", ALL_OF_ROW.to_owned()),
            ("shared", unified::shared(ALL_OF_ROW)),
            ("plain_old", unified::text_of_json("cell.old_value")),
            ("plain_new", unified::text_of_json("cell.new_value")),
            ("is_number", cells.is_number.clone()),
            ("cells_differ", self.cells_differ(&cells)),
            ("old_cell", cells.old),
            ("new_cell", cells.new),
            ("others", others),
            ("key_columns", columns),
        ]);
    }

    /// Returns the condition on which the two cells of a column count as changed.
    fn cells_differ(&self, cells: &Cells) -> String {
        let Cells { old, new, is_number } = cells;
        let mut differ = format!("{old} IS DISTINCT FROM {new}");
        if !self.nulls_equal {
            differ = format!("{differ} OR {old} IS NULL");
        }
        if self.ignore_case {
            differ = format!(
                "({differ}) AND NOT coalesce(CASE WHEN \
                 system.main.regexp_matches(system.main.typeof({old}), '^(VARCHAR$|ENUM\\()') THEN \
                 system.main.lower({old}::VARCHAR) = system.main.lower({new}::VARCHAR) END, false)"
            );
        }
        if self.tolerance > 0.0 || self.relative_tolerance > 0.0 {
            let [old, new] = [old, new].map(|cell| format!("TRY_CAST({cell}::VARCHAR AS DOUBLE)"));
            let (tolerance, relative) = (self.tolerance, self.relative_tolerance);
            // NaN is larger than any number in DuckDB, so infinite numbers are left out.
            differ = format!(
                "({differ}) AND NOT coalesce(CASE WHEN {is_number} THEN \
                 system.main.isfinite({old}) AND system.main.isfinite({new}) AND \
                 system.main.abs(system.main.subtract({new}, {old})) <= \
                 system.main.greatest({tolerance:?}::DOUBLE, \
                 system.main.multiply({relative:?}::DOUBLE, \
                 system.main.greatest(system.main.abs({old}), system.main.abs({new})))) END, false)"
            );
        }
        differ
    }
}

/// The two cells of a column, as SQL.
struct Cells {
    old: String,
    new: String,
    is_number: String,
}

impl Cells {
    fn of(pair: &str) -> Self {
        let old = format!("system.main.struct_extract({pair}, 'o')");
        let new = format!("system.main.struct_extract({pair}, 'n')");
        let is_number =
            format!("system.main.regexp_full_match(system.main.typeof({old}), {NUMBERS})");
        Self { old, new, is_number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison<'a>() -> Comparison<'a> {
        Comparison {
            old: "a",
            new: "b",
            repo: ".",
            key: vec!["id", "a\"b'c"],
            ignore: vec!["seen at"],
            tolerance: 0.5,
            relative_tolerance: 0.0,
            ignore_case: true,
            nulls_equal: false,
        }
    }

    #[test]
    fn every_place_of_the_templates_is_filled() {
        let place = regex::Regex::new(r"\{\w+\}").unwrap();
        for answer in [Answer::Rows, Answer::Cells, Answer::Summary, Answer::Schema, Answer::Keys] {
            let whole = Comparison {
                key: Vec::new(),
                tolerance: 0.0,
                ignore_case: false,
                nulls_equal: true,
                ..comparison()
            };
            // A key is not asked for where it is given, and cells need one.
            for (comparison, is_refused) in
                [(comparison(), answer == Answer::Keys), (whole, answer == Answer::Cells)]
            {
                let sql = comparison.sql(answer);
                assert_eq!(sql.is_err(), is_refused, "{answer:?}");
                assert!(sql.is_err() || !place.is_match(&sql.unwrap()), "{answer:?}");
            }
        }
    }

    #[test]
    fn names_are_written_exactly() {
        let sql = comparison().sql(Answer::Rows).unwrap();
        for part in [
            r#"EXCLUDE ("seen at")"#,
            r#"struct_extract(r, 'a"b''c') AS k1"#,
            r#"struct_extract(old, 'a"b''c') AS "a""b'c""#,
            "0.5::DOUBLE",
        ] {
            assert!(sql.contains(part), "{part}");
        }
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        for (wrong, words) in [
            (Comparison { tolerance: f64::NAN, ..comparison() }, "tolerance is NaN"),
            (Comparison { relative_tolerance: -1.0, ..comparison() }, "relative_tolerance is -1"),
            (Comparison { ignore: vec!["ID"], ..comparison() }, "'ID' is in key and in ignore"),
            (Comparison { key: Vec::new(), ..comparison() }, "tolerance needs a key"),
            (Comparison { old: " ", ..comparison() }, "'' names no table"),
        ] {
            let error = wrong.sql(Answer::Rows).unwrap_err().to_string();
            assert!(error.starts_with(&format!("invalid_args: {words}")), "{error}");
        }
    }
}
