//! The one type in which a column of two tables is compared, as SQL.
//!
//! The query knows no column by its name, so the type comes from expressions that DuckDB evaluates
//! on types alone: `replace_type(value, a, b)` has the type `b` if the value is of type `a`, and
//! `UNION ALL BY NAME` names the type to which both sides would be cast. Two equal types stay. Of
//! two numbers, two times, two STRUCTs and two lists it is that of the union. Any other pair, such
//! as an INTEGER and a DATE, becomes VARCHAR: DuckDB's union would fail for the first value that
//! cannot be cast. JSON is a text where the other side is none: DuckDB gives this type to a column
//! of a JSON file in which all values are null.

/// A type that no column has.
const MARK: &str = "NULL::ENUM('redline')";
/// The type of any two that have none in common.
const TEXT: &str = "NULL::VARCHAR";
/// The type of a side that lacks the column.
const NO_VALUE: &str = "NULL::STRUCT(w BIT)";
/// The types of a moment or a day; the union of any two is one of them.
const TIMES: [&str; 5] = ["DATE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"];

/// Returns the expressions of `sides.sql`, by their places.
pub fn places() -> [(&'static str, String); 10] {
    let [old, new, both] = ["o", "n", "m"].map(|name| part("COLUMNS(*)", name));
    let text = |value: &str| replaced(value, "NULL::JSON", TEXT);
    let time = |value: &str| {
        TIMES.iter().fold(text(value), |value, time| {
            replaced(&value, &format!("NULL::{time}"), "NULL::TIMESTAMP")
        })
    };
    let [old_number, new_number, old_struct, new_struct, old_plain, new_plain] =
        ["fo", "fn", "so", "sn", "po", "pn"].map(|name| part("COLUMNS(*)", name));
    // A union of a plain type and a STRUCT is that STRUCT, and one of a LIST and a STRUCT the LIST.
    let or_text = |value: &str, no: &str| if_same(value, NO_VALUE, TEXT, no);
    let is_new_list = |yes: &str, no: &str| if_same(&new_struct, &new_plain, yes, no);
    let nested =
        if_same(&old_struct, &old_plain, &is_new_list(&both, TEXT), &is_new_list(TEXT, &both));
    let nested = or_text(&old_struct, &or_text(&new_struct, &nested));
    let of_one_kind = if_same(&old_number, &new_number, &both, &nested);
    [
        ("known_old", if_same(&old, NO_VALUE, &new, &old)),
        ("known_new", if_same(&new, NO_VALUE, &old, &new)),
        ("old_text", text(&old)),
        ("new_text", text(&new)),
        ("old_time", time(&old)),
        ("new_time", time(&new)),
        ("unified", if_same(&old, &new, &old, &of_one_kind)),
        ("no_value", NO_VALUE.to_owned()),
        ("old_type", old),
        ("new_type", new),
    ]
}

/// Returns the value of a column of both sides, and NULL for any other. `columns` are STRUCTs of
/// the value and of the types of both sides.
pub fn shared(columns: &str) -> String {
    let lacks = |side| format!("system.main.typeof({}) = 'STRUCT(w BIT)'", part(columns, side));
    let value = part(columns, "v");
    format!("CASE WHEN {} OR {} THEN NULL ELSE {value} END", lacks("o"), lacks("n"))
}

/// Returns a text of JSON without the quotes of a string.
pub fn text_of_json(value: &str) -> String {
    format!("coalesce(system.main.json_extract_string({value}, '$'), {value})")
}

fn part(value: &str, name: &str) -> String {
    format!("system.main.struct_extract({value}, '{name}')")
}

fn replaced(value: &str, from: &str, to: &str) -> String {
    format!("system.main.replace_type({value}, {from}, {to})")
}

/// Returns a NULL of the type of `yes` if `a` and `b` are of one type, else of that of `no`.
fn if_same(a: &str, b: &str, yes: &str, no: &str) -> String {
    replaced(&replaced(MARK, &replaced(a, b, MARK), yes), MARK, no)
}
