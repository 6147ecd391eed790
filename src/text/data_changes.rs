//! What changed between two contents of a file of data: rows by a key, and cells.
//!
//! Pure and for contents that fit in memory; `table_changes` compares tables of any size in DuckDB.
//! Both count the same: columns are matched by name in any case, an empty cell of CSV is no value,
//! and numbers are equal as numbers in a column that has only numbers.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::cancel_token::CancelToken;
use crate::data_rows::{Columns, Format, Row, Unreadable, row_text};
use redline_base::budget::{
    Charge, Gather, GatherSome, Grow, GrowBy, GrowMap, GrowSet, Joined, Ordered, Stopped, filled,
};
use redline_base::error::visible;

/// The name of the column that is the key if it names a row, whatever others do.
const ID: &str = "id";
/// The most digits of a number that a DOUBLE holds exactly.
const EXACT_DIGITS: usize = 15;
/// The memory of a cell, and of a row.
const CELL_BYTES: usize = 2 * size_of::<(usize, Cow<'_, str>)>();
/// The columns that a line names, and the characters of each.
const NAMED_COLUMNS: usize = 5;
const NAME_CHARS: usize = 40;

/// The rows of two contents, compared.
#[derive(Debug)]
pub struct DataChanges<'a> {
    /// The names of the columns of both, those of the old content first.
    pub names: Vec<String>,
    /// The columns whose values name a row; none if rows are compared whole, equal ones counted.
    pub key: Vec<usize>,
    /// The columns that only the new content has.
    pub columns_added: Vec<usize>,
    /// The columns that only the old content has.
    pub columns_removed: Vec<usize>,
    /// The rows that changed, in the order of the new content, then those that were removed.
    pub rows: Vec<ChangedRow<'a>>,
    /// How many rows are equal.
    pub unchanged: u64,
    is_json: bool,
    _charge: Charge,
}

/// A row that was added, removed or changed.
#[derive(Debug)]
pub struct ChangedRow<'a> {
    /// The row before.
    pub old: Option<Row<'a>>,
    /// The row after.
    pub new: Option<Row<'a>>,
    /// The columns of both contents whose cells differ, of a row that is in both.
    pub columns: Vec<usize>,
}

/// A changed cell, or a row that one content has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange<'c> {
    /// `added`, `removed` or `changed`.
    pub change: &'static str,
    /// The values of the row's key; `None` without one.
    pub key: Option<String>,
    /// The column; `None` for a whole row.
    pub column: Option<&'c str>,
    /// The text before; `None` where there was no value.
    pub old: Option<String>,
    /// The text after.
    pub new: Option<String>,
}

/// Two contents that cannot be compared by rows, or the end of the query.
pub type Compared<'a> = Result<Result<DataChanges<'a>, Unreadable>, Stopped>;

impl<'a> DataChanges<'a> {
    /// Compares two contents of a file, whose name says what they contain. Without a key it is the
    /// column `id`, or the only one whose values name a row on both sides, if there is one.
    ///
    /// # Errors
    /// [`Stopped`] when the query ends; [`Unreadable`] where a content has no rows, or the key names
    /// several or none.
    pub fn of(
        old: &'a str,
        new: &'a str,
        file: &str,
        key: &[&str],
        cancel: &CancelToken<'_>,
    ) -> Compared<'a> {
        let charge = cancel.charge([old, new].map(held_bytes).iter().sum())?;
        let both = match Both::read([old, new], file) {
            Ok(both) => both,
            Err(unreadable) => return Ok(Err(unreadable)),
        };
        cancel.check()?;
        both.compared(key, charge, cancel)
    }

    /// Returns how many rows were added, removed and changed.
    pub fn counts(&self) -> [usize; 3] {
        let count =
            |is: fn(&ChangedRow<'_>) -> bool| self.rows.iter().filter(|row| is(row)).count();
        [
            count(|row| row.old.is_none()),
            count(|row| row.new.is_none()),
            count(|row| row.old.is_some() && row.new.is_some()),
        ]
    }

    /// Returns the columns in which cells changed, and how many did, in the order of the columns.
    pub fn cells(&self) -> Vec<(usize, usize)> {
        let mut counts: Vec<usize> = filled(0, self.names.len());
        for column in self.rows.iter().flat_map(|row| &row.columns) {
            counts[*column] += 1;
        }
        counts.into_iter().enumerate().filter(|(_, count)| *count > 0).gather()
    }

    /// Returns the change in one line, `3 rows added, 12 changed in columns price, stock; key id`.
    pub fn words(&self) -> String {
        let [added, removed, changed] = self.counts();
        let mut parts = Vec::new();
        for (count, what) in [(added, "added"), (removed, "removed"), (changed, "changed")] {
            if count == 0 {
                continue;
            }
            let rows = match (parts.is_empty(), count) {
                (true, 1) => " row",
                (true, _) => " rows",
                (false, _) => "",
            };
            parts.add(format!("{count}{rows} {what}"));
        }
        let mut words =
            if parts.is_empty() { "no row differs".to_owned() } else { parts.joined(", ") };
        if changed > 0 {
            let columns: Vec<usize> = self.cells().into_iter().map(|(column, _)| column).gather();
            let noun = if columns.len() == 1 { "column" } else { "columns" };
            words.add_slice(&format!(" in {noun} {}", self.named(&columns)));
        }
        for (columns, what) in [(&self.columns_added, "added"), (&self.columns_removed, "removed")]
        {
            if !columns.is_empty() {
                let noun = if columns.len() == 1 { "column" } else { "columns" };
                words.add_slice(&format!("; {noun} {what}: {}", self.named(columns)));
            }
        }
        words.add_slice(&match self.key.is_empty() {
            true => "; no key".to_owned(),
            false => format!("; key {}", self.named(&self.key)),
        });
        words
    }

    /// Returns each changed cell of the rows that both contents have, and each other changed row as
    /// one JSON object.
    pub fn changed_cells(&self) -> impl Iterator<Item = CellChange<'_>> {
        self.rows.iter().flat_map(|row| {
            let whole = row.columns.is_empty().then_some(None);
            let cells = row.columns.iter().map(|column| Some(*column));
            whole.into_iter().chain(cells).map(|column| self.changed_cell(row, column))
        })
    }

    fn changed_cell(&self, row: &ChangedRow<'_>, column: Option<usize>) -> CellChange<'_> {
        let [old, new] = [&row.old, &row.new].map(|row| {
            let row = row.as_ref()?;
            match column {
                Some(column) => value_of(row, column).map(shown),
                None => Some(row_text(row.iter(), &self.names, self.is_json)),
            }
        });
        let either = row.new.as_ref().or(row.old.as_ref());
        let value =
            |column: &usize| shown(either.and_then(|row| value_of(row, *column)).unwrap_or("NULL"));
        let key = self.key.iter().map(value).gather::<Vec<_>>();
        CellChange {
            change: row.change(),
            key: (!key.is_empty()).then(|| key.joined(", ")),
            column: column.map(|column| self.names[column].as_str()),
            old,
            new,
        }
    }

    fn named(&self, columns: &[usize]) -> String {
        let name = |column: &usize| visible_name(&self.names[*column]);
        let names = columns.iter().take(NAMED_COLUMNS).map(name).gather::<Vec<_>>().joined(", ");
        match columns.len().saturating_sub(NAMED_COLUMNS) {
            0 => names,
            more => format!("{names} and {more} more"),
        }
    }
}

impl ChangedRow<'_> {
    /// Returns the change in a word.
    pub fn change(&self) -> &'static str {
        match (&self.old, &self.new) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        }
    }
}

/// Returns the text of a value as it is written; of a string of JSON the string itself.
fn shown(value: &str) -> String {
    let is_text = value.len() > 1 && value.starts_with('"');
    let text = is_text.then(|| serde_json::from_str(value).ok()).flatten();
    text.unwrap_or_else(|| value.to_owned())
}

/// Returns a name for a line of words: cut, and with its hidden characters escaped.
fn visible_name(name: &str) -> String {
    let end = name.char_indices().nth(NAME_CHARS).map_or(name.len(), |(end, _)| end);
    let cut = if end < name.len() { "…" } else { "" };
    format!("{}{cut}", visible(&name[..end]))
}

/// Returns at most how many bytes the rows of a content take.
fn held_bytes(content: &str) -> usize {
    let ends = |byte: &u8| matches!(byte, b',' | b';' | b'\t' | b'|' | b'\n' | b'\r' | b':');
    let cells = content.bytes().filter(ends).count();
    content.len().saturating_add(cells.saturating_mul(CELL_BYTES))
}

fn value_of<'r>(row: &'r Row<'_>, column: usize) -> Option<&'r str> {
    let at = row.binary_search_by_key(&column, |(column, _)| *column).ok()?;
    Some(&row[at].1)
}

/// Two contents, read.
struct Both<'a> {
    names: Vec<String>,
    rows: [Vec<Row<'a>>; 2],
    /// Whether each side has a column.
    has: [Vec<bool>; 2],
    /// Whether a column has only numbers.
    is_number: Vec<bool>,
    is_json: bool,
}

impl<'a> Both<'a> {
    fn read(contents: [&'a str; 2], file: &str) -> Result<Self, Unreadable> {
        let mut columns = [Columns::default(), Columns::default()];
        let mut rows = [Vec::new(), Vec::new()];
        for side in 0..2 {
            rows[side] = columns[side].rows(contents[side], file)?;
            let is_list = contents[side].trim_start().starts_with('[');
            if rows[side].len() == 1 && !is_list && file.to_ascii_lowercase().ends_with(".json") {
                // A configuration, as a rule.
                return Err("a .json file with one object is no list of rows".to_owned());
            }
        }
        // Those of both have one place.
        let [old, new] = columns.map(|columns| columns.names);
        let mut places: HashMap<&str, usize> =
            old.iter().enumerate().map(|(at, name)| (name.as_str(), at)).gather();
        // As in DuckDB case does not matter, but a name that is the same goes first.
        let same: HashSet<&str> = new.iter().map(String::as_str).gather();
        let others = old.iter().enumerate().filter(|(_, name)| !same.contains(name.as_str()));
        let mut folded: HashMap<String, usize> =
            others.map(|(at, name)| (name.to_ascii_lowercase(), at)).gather();
        let mut count = old.len();
        let mut moved = Vec::new();
        let mut only_new = Vec::new();
        for name in &new {
            let other = match places.contains_key(name.as_str()) {
                true => None,
                false => folded.remove(&name.to_ascii_lowercase()),
            };
            let at = *places.slot(name).or_insert(other.unwrap_or(count));
            if at == count {
                count += 1;
                only_new.add(name.clone());
            }
            moved.add(at);
        }
        let mut has = [filled(false, count), filled(false, count)];
        has[0][..old.len()].fill(true);
        moved.iter().for_each(|at| has[1][*at] = true);
        let mut names = old;
        names.add_all(only_new);
        let mut is_number = filled(true, names.len());
        let is_json = Format::of(file) == Some(Format::Json);
        for (side, rows) in rows.iter_mut().enumerate() {
            for row in rows {
                row.retain(|(_, value)| is_json || !value.is_empty());
                for (column, value) in row.iter_mut() {
                    if side == 1 {
                        *column = moved[*column];
                    }
                    // A number of JSON is one, whatever else its column has.
                    is_number[*column] &= is_json || number(value).is_some();
                }
                row.order_by_key(|(column, _)| *column);
            }
        }
        Ok(Self { names, rows, has, is_number, is_json })
    }

    fn compared(self, key: &[&str], charge: Charge, cancel: &CancelToken<'_>) -> Compared<'a> {
        let key = if key.is_empty() {
            self.guessed(cancel)?
        } else {
            let mut places = Vec::new();
            for name in key {
                let position =
                    |is: &dyn Fn(&str) -> bool| self.names.iter().position(|known| is(known));
                let place = position(&|known| known == *name)
                    .or_else(|| position(&|known| known.eq_ignore_ascii_case(name)));
                let Some(place) = place.filter(|place| self.is_in_both(*place)) else {
                    return Ok(Err(format!("both sides have no column '{}'", visible(name))));
                };
                places.add(place);
            }
            if !self.is_unique(&places, cancel)? {
                let key = key.iter().map(|name| visible(name)).gather::<Vec<_>>().joined(", ");
                return Ok(Err(format!("the key ({key}) names several rows, or none")));
            }
            places
        };
        let only = |side: usize| {
            let is_only = |at: &usize| self.has[side][*at] && !self.has[1 - side][*at];
            (0..self.names.len()).filter(is_only).gather::<Vec<_>>()
        };
        let (columns_removed, columns_added) = (only(0), only(1));
        let pairs =
            if key.is_empty() { self.whole_pairs(cancel)? } else { self.pairs(&key, cancel)? };
        let is_compared: Vec<bool> =
            (0..self.names.len()).map(|at| self.is_in_both(at) && !key.contains(&at)).gather();
        let (mut rows, mut unchanged) = (Vec::new(), 0);
        let Self { names, rows: [old, new], is_number, is_json, .. } = self;
        let mut old: Vec<Option<Row<'a>>> = old.into_iter().map(Some).gather();
        let mut pace = cancel.pace();
        for (new, pair) in new.into_iter().zip(pairs) {
            pace.spend(1 + new.len())?;
            let Some(before) = pair.and_then(|at| old[at].take()) else {
                rows.add(ChangedRow { old: None, new: Some(new), columns: Vec::new() });
                continue;
            };
            let columns = if key.is_empty() {
                Vec::new()
            } else {
                differing(&before, &new, &is_number)
                    .into_iter()
                    .filter(|at| is_compared[*at])
                    .gather()
            };
            if columns.is_empty() {
                unchanged += 1;
            } else {
                rows.add(ChangedRow { old: Some(before), new: Some(new), columns });
            }
        }
        let gone = old.into_iter().flatten();
        rows.add_all(gone.map(|old| ChangedRow { old: Some(old), new: None, columns: Vec::new() }));
        Ok(Ok(DataChanges {
            names,
            key,
            columns_added,
            columns_removed,
            rows,
            unchanged,
            is_json,
            _charge: charge,
        }))
    }

    fn is_in_both(&self, column: usize) -> bool {
        self.has[0][column] && self.has[1][column]
    }

    /// Returns the column `id`, or else the only one that names a row on both sides.
    fn guessed(&self, cancel: &CancelToken<'_>) -> Result<Vec<usize>, Stopped> {
        let mut found = Vec::new();
        let both: Vec<usize> =
            (0..self.names.len()).filter(|column| self.is_in_both(*column)).gather();
        let (ids, others): (Vec<usize>, Vec<usize>) =
            both.into_iter().partition(|column| self.names[*column].eq_ignore_ascii_case(ID));
        for columns in [ids, others] {
            for column in columns {
                if self.is_unique(&[column], cancel)? {
                    found.add(column);
                }
            }
            match found.len() {
                0 => {}
                1 => return Ok(found),
                _ => return Ok(Vec::new()),
            }
        }
        Ok(found)
    }

    /// Tells whether columns name at most one row on each side, and have a value in every row.
    fn is_unique(&self, key: &[usize], cancel: &CancelToken<'_>) -> Result<bool, Stopped> {
        let mut pace = cancel.pace();
        for rows in &self.rows {
            let mut seen = HashSet::new();
            for row in rows {
                pace.spend(1)?;
                let Some(value) = self.key_of(row, key) else { return Ok(false) };
                if !seen.put(value) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn key_of<'r>(&self, row: &'r Row<'_>, key: &[usize]) -> Option<Vec<Cow<'r, str>>> {
        let value = |column: &usize| Some(plain(value_of(row, *column)?, self.is_number[*column]));
        key.iter().map(value).gather_some()
    }

    /// Returns a row with its values in the form in which they are compared.
    fn whole<'r>(&self, row: &'r Row<'_>) -> Row<'r> {
        row.iter().map(|(column, value)| (*column, plain(value, self.is_number[*column]))).gather()
    }

    /// Returns for each new row the old one with its key.
    fn pairs(
        &self,
        key: &[usize],
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<Option<usize>>, Stopped> {
        let [old, new] = &self.rows;
        let mut places = HashMap::new();
        let mut pace = cancel.pace();
        for (at, row) in old.iter().enumerate() {
            pace.spend(1)?;
            places.put(self.key_of(row, key), at);
        }
        Ok(new.iter().map(|row| places.get(&self.key_of(row, key)).copied()).gather())
    }

    /// Returns for each new row an equal old one that no other has.
    fn whole_pairs(&self, cancel: &CancelToken<'_>) -> Result<Vec<Option<usize>>, Stopped> {
        let [old, new] = &self.rows;
        let mut places: HashMap<Row<'_>, Vec<usize>> = HashMap::new();
        let mut pace = cancel.pace();
        for (at, row) in old.iter().enumerate().rev() {
            pace.spend(1 + row.len())?;
            places.slot(self.whole(row)).or_default().add(at);
        }
        let mut pairs = Vec::new();
        for row in new {
            pace.spend(1 + row.len())?;
            pairs.add(places.get_mut(&self.whole(row)).and_then(Vec::pop));
        }
        Ok(pairs)
    }
}

/// Returns the columns in which two rows differ, in order.
fn differing(old: &Row<'_>, new: &Row<'_>, is_number: &[bool]) -> Vec<usize> {
    let mut columns = Vec::new();
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let column = match (old.peek(), new.peek()) {
            (None, None) => return columns,
            (Some(one), Some(other)) => one.0.min(other.0),
            (Some(one), None) | (None, Some(one)) => one.0,
        };
        let is_own = |cell: &&(usize, Cow<'_, str>)| cell.0 == column;
        let [before, after] = [old.next_if(is_own), new.next_if(is_own)];
        let [before, after] = [before, after].map(|cell| cell.map(|cell| cell.1.as_ref()));
        let is_same = before == after
            || before.zip(after).is_some_and(|(before, after)| {
                plain(before, is_number[column]) == plain(after, is_number[column])
            });
        if !is_same {
            columns.add(column);
        }
    }
}

/// Returns a value for comparisons: of a column of numbers, the number in one form.
fn plain(value: &str, is_number: bool) -> Cow<'_, str> {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    match number(value).filter(|_| is_number && digits <= EXACT_DIGITS) {
        // The two zeros are equal.
        Some(number) => Cow::Owned((number + 0.0).to_string()),
        None => Cow::Borrowed(value),
    }
}

/// Returns the number that a value is; `None` for any other text.
fn number(value: &str) -> Option<f64> {
    let is_of_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let is_number = value.bytes().all(is_of_number);
    is_number.then(|| value.parse().ok()).flatten().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(old: &str, new: &str, file: &str, key: &[&str]) -> String {
        let compared = DataChanges::of(old, new, file, key, &CancelToken::never());
        compared.unwrap().map_or_else(|error| format!("! {error}"), |changes| changes.words())
    }

    #[test]
    fn rows_are_compared_by_the_key_that_names_them() {
        for (old, new, wanted) in [
            (
                "id,item,price\n1,a,1.5\n2,b,2\n3,b,3\n",
                "price,id,item\n1.50,1,a\n2.5,2,b\n4,4,b\n5,5,b\n",
                "2 rows added, 1 removed, 1 changed in column price; key id",
            ),
            ("id,a\n1,x\n2,y\n", "id,a\n2,y\n1,x\n", "no row differs; key id"),
            ("id,a\n1,x\n1,x\n", "id,a\n1,x\n1,x\n1,x\n", "1 row added; no key"),
            ("a,b\n1,1\n1,2\n", "a,b\n1,1\n1,3\n", "1 row added, 1 removed; key b"),
            ("a,b\n1,1\n2,2\n", "a,b\n1,1\n2,3\n", "1 row added, 1 removed; no key"),
            ("a\nx\nx\nx\n", "a\nx\n", "2 rows removed; no key"),
            ("id,a\n1,\n", "id,a\n1,x\n", "1 row changed in column a; key id"),
            (
                "id,a,b\n1,x,y\n",
                "id,b,c,d\n1,y,1,2\n",
                "no row differs; columns added: c, d; column removed: a; key id",
            ),
            ("id,a\n1,x\n,y\n", "id,a\n1,x\n,z\n", "1 row added, 1 removed; key a"),
            ("id,a\n007,1\n", "id,a\n7,1e0\n", "no row differs; key id"),
            ("id,a\nx,007\n", "id,a\nx,7x\n", "1 row changed in column a; key id"),
            ("id,a\n1,-0\n", "id,a\n1,0.0\n", "no row differs; key id"),
            (
                "id,a\n1,1234567890123456789\n",
                "id,a\n1,1234567890123456788\n",
                "1 row changed in column a; key id",
            ),
            ("", "id\n1\n", "1 row added; column added: id; no key"),
            ("id\n1\n1,2\n", "id\n1\n", "! line 3 has 2 fields, the header 1"),
        ] {
            assert_eq!(words(old, new, "a.csv", &[]), wanted, "{old:?} {new:?}");
        }
    }

    #[test]
    fn objects_of_json_are_rows() {
        for (old, new, wanted) in [
            (
                r#"[{"id":1,"a":1.0,"b":{"x": 1}},{"id":2,"a":null}]"#,
                "{\"a\":1,\"id\":1,\"b\":{\"x\":1}}\n{\"id\":2,\"a\":\"1\"}\n",
                "1 row changed in column a; key id",
            ),
            (r#"[{"id":"1"}]"#, r#"[{"id":1}]"#, "1 row added, 1 removed; key id"),
            ("[]", "[]", "no row differs; no key"),
            ("[]", "[1]", "! row 1 is not an object of JSON"),
            ("{}", "{}", "! a .json file with one object is no list of rows"),
            ("{}", "{}\n{}", "! a .json file with one object is no list of rows"),
        ] {
            assert_eq!(words(old, new, "a.json", &[]), wanted, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_key_that_is_given_must_name_a_row() {
        let (old, new) = ("a,b,c\n1,1,x\n1,2,y\n", "a,b,c\n1,1,x\n1,2,z\n");
        for (key, wanted) in [
            (&["a", "b"][..], "1 row changed in column c; key a, b"),
            (&["a"], "! the key (a) names several rows, or none"),
            (&["d\n"], "! both sides have no column 'd\\n'"),
        ] {
            assert_eq!(words(old, new, "a.tsv", key), wanted, "{key:?}");
        }
    }

    #[test]
    fn names_are_cut_and_what_is_hidden_shows() {
        let long = "x".repeat(50);
        let names = ["a\u{202e}", &long, "c", "d", "e", "f", "g"];
        let head = format!("id,{}\n", names.join(","));
        let row = |value: &str| format!("{head}1,{}\n", [value; 7].join(","));
        let wanted = format!(
            "1 row changed in columns a\\u{{202e}}, {}…, c, d, e and 2 more; key id",
            &long[..40]
        );
        assert_eq!(words(&row("1"), &row("2"), "a.csv", &[]), wanted);
    }

    #[test]
    fn cells_are_as_they_are_written() {
        let old = r#"[{"id":1,"a":"x","b":1.50}]"#;
        let new = r#"[{"id":1,"a":"y","b":[1, 2]},{"id":"2"}]"#;
        let changes = DataChanges::of(old, new, "a.json", &["id"], &CancelToken::never());
        let changes = changes.unwrap().unwrap();
        let cell = |change, key: &str, column, [old, new]: [Option<&str>; 2]| CellChange {
            change,
            key: Some(key.to_owned()),
            column,
            old: old.map(str::to_owned),
            new: new.map(str::to_owned),
        };
        assert_eq!(
            changes.changed_cells().collect::<Vec<_>>(),
            [
                cell("changed", "1", Some("a"), [Some("x"), Some("y")]),
                cell("changed", "1", Some("b"), [Some("1.5"), Some("[1,2]")]),
                cell("added", "2", None, [None, Some(r#"{"id":"2"}"#)]),
            ]
        );
        assert_eq!(changes.cells().len(), 2);
    }
}
