//! The one type in which a column of two tables is compared, as SQL.
//!
//! The query knows no column by its name, so the type comes from expressions that DuckDB evaluates
//! when it binds them. `UNION ALL BY NAME` names the type to which both sides would be cast,
//! `can_cast_implicitly` tells whether every value of a side can be, and `struct_extract_at` with
//! `typeof` in its index chooses one of several types. Equal types stay, ENUMs too. Any two that
//! DuckDB casts to their union keep that type, in each field and element. All others, such as an
//! INTEGER and a DATE, become VARCHAR: DuckDB's union would fail for the first value that cannot be
//! cast. JSON is a text where the other side is none: DuckDB gives this type to a column of a JSON
//! file in which all values are null.
//!
//! `can_cast_implicitly` is false of two STRUCTs whose fields differ by name and blind to MAPs,
//! and a union of a LIST and an INTEGER is the LIST. So it is asked of shapes, which have the
//! fields of both sides, and ranks tell whether one side has a value where the other has fields.
//! Both are made of the text of a whole row's type, since DuckDB takes most of a millisecond to
//! bind one for a column.

use super::literal;
use redline_base::budget::Joined;

/// The type of any two that have none in common.
const TEXT: &str = "NULL::VARCHAR";
/// The type of a side that lacks the column.
const NO_VALUE: &str = "STRUCT(w BIT)";
/// What has no union with another type that holds both: an ARRAY, UNION, VARIANT, GEOMETRY or
/// BIGNUM,
/// and a MAP with a key of parts.
const ALONE: &str =
    r"\[\d+\]|\b(?:UNION\(|VARIANT\b|GEOMETRY\b|BIGNUM\b|MAP\((?:[^,]*[\[(]|TIME WITH))";
/// An ENUM with its values, in which anything may stand.
const ENUM: &str = r"\bENUM\((?:'(?:[^']|'')*'(?:, )?)*\)";
/// The text of a type as that of its shape: of the types that are cast to each other, one stands
/// for
/// all, and a MAP is a STRUCT of its key and value. What ends a type does not end a field's name.
const SHAPES: [(&str, &str); 3] = [
    (r"\bBOOLEAN([,)\[]|$)", r"TINYINT\1"),
    (r"\b(?:DATE|TIMESTAMP(?:_S|_MS|_NS)?(?: WITH TIME ZONE)?)([,)\[]|$)", r"TIMESTAMP\1"),
    (r"\bMAP\(([^ ]+), ", r"STRUCT(k \1, v "),
];
/// A type without parts, in the text of a shape.
const PLAIN: &str = r"\b(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)|VARCHAR|BLOB|BIT|UUID|INTERVAL|TIME(?:STAMP|_NS| WITH TIME ZONE)?)([,)\[]|$)";
/// What a text may come from: each plain type of a shape is cast to one of its members.
const ANY: &str = "NULL::UNION(a VARCHAR, b DOUBLE, c TIMESTAMP, d TIME, e TIMETZ, f INTERVAL, \
                   g BLOB, h BIT, i UUID, j TIME_NS)";

/// Returns the expressions of `sides.sql`, by their places.
pub fn places() -> [(&'static str, String); 14] {
    let [old, new, plain_old, plain_new, both, shape_old, shape_new, shape, ranked, ranks_of_both] =
        ["o", "n", "po", "pn", "m", "so", "sn", "s", "r", "rs"].map(|name| part("COLUMNS(*)", name));
    let is_absent = |side: &str| format!("{} = '{NO_VALUE}'", type_of(side));
    let are_same = |a: &str, b: &str| format!("{} = {}", type_of(a), type_of(b));
    let is_cast = |side: &str| format!("system.main.can_cast_implicitly({side}, {shape})");
    let is_of_both = format!(
        "{} AND {} AND {}",
        is_cast(&shape_old),
        is_cast(&shape_new),
        are_same(&ranked, &ranks_of_both)
    );
    // DuckDB 1.5.6 takes two equal VARIANTs for distinct.
    let is_kept = format!("{} AND {} NOT LIKE '%VARIANT%'", are_same(&old, &new), type_of(&old));
    let of_two = one_of(&is_of_both, &both, TEXT);
    [
        ("known_old", one_of(&is_absent(&old), &new, &old)),
        ("known_new", one_of(&is_absent(&new), &old, &new)),
        ("no_value", format!("NULL::{NO_VALUE}")),
        ("old_plain", plain(&old)),
        ("new_plain", plain(&new)),
        ("plain_old_type", plain_old),
        ("plain_new_type", plain_new),
        ("shape", shape_of(r#""redline row""#)),
        ("fields", fields_of("s")),
        ("ranks", ranks_of("s")),
        ("or_any", format!("system.main.replace_type(COLUMNS(*), {TEXT}, {ANY})")),
        ("unified", one_of(&is_kept, &old, &of_two)),
        ("old_type", old),
        ("new_type", new),
    ]
}

/// Returns the value of a column of both sides, and NULL for any other. `columns` are STRUCTs of
/// the value and of the types of both sides.
pub fn shared(columns: &str) -> String {
    let lacks = |side| format!("{} = '{NO_VALUE}'", type_of(&part(columns, side)));
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

fn type_of(value: &str) -> String {
    format!("system.main.typeof({value})")
}

/// Returns one of two values, and its type: the condition is known when the query is bound.
fn one_of(condition: &str, yes: &str, no: &str) -> String {
    [
        "system.main.struct_extract_at(system.main.row(",
        yes,
        ", ",
        no,
        "), CASE WHEN ",
        condition,
        " THEN 1 ELSE 2 END)",
    ]
    .joined("")
}

/// Returns NULL of the type that a text names; `value` is any that is no constant.
fn of_type(value: &str, text: &str) -> String {
    ["system.main.from_json(", value, "::VARCHAR, system.main.to_json(", text, "))"].joined("")
}

fn substituted(text: &str, pattern: &str, with: &str) -> String {
    let [pattern, with] = [pattern, with].map(literal);
    ["system.main.regexp_replace(", text, ", ", &pattern, ", ", &with, ", 'g')"].joined("")
}

/// Returns the text of a type, each part outside of quotes, which hold names, as `change` makes it.
fn outside_names(text: &str, change: impl Fn(&str) -> String) -> String {
    let changed = change("part");
    [
        "system.main.array_to_string(system.main.list_transform(system.main.string_split(",
        text,
        ", '\"'), lambda part, place: CASE WHEN system.main.mod(place, 2) = 1 THEN ",
        &changed,
        " ELSE part END), '\"')",
    ]
    .joined("")
}

/// Returns the value without JSON, or a text for what has no union.
fn plain(value: &str) -> String {
    let is_alone = format!("system.main.regexp_matches({}, {})", type_of(value), literal(ALONE));
    one_of(&is_alone, TEXT, &format!("system.main.replace_type({value}, NULL::JSON, {TEXT})"))
}

/// Returns NULL of the shape of a row.
fn shape_of(row: &str) -> String {
    let text = substituted(&type_of(row), ENUM, "VARCHAR");
    let shaped = |part: &str| {
        SHAPES.iter().fold(part.to_owned(), |text, (from, to)| substituted(&text, from, to))
    };
    of_type(row, &outside_names(&text, shaped))
}

/// Returns NULL of a shape without its plain types: what a union with it adds is fields.
fn fields_of(shape: &str) -> String {
    let text = outside_names(&type_of(shape), |part| substituted(part, PLAIN, r#""NULL"\1"#));
    of_type(shape, &text)
}

/// Returns NULL of a type of which a union prefers a plain value to a STRUCT and that to a LIST;
/// the
/// union of the shapes themselves prefers them the other way round. The row stays a STRUCT.
fn ranks_of(shape: &str) -> String {
    let kind = type_of(shape);
    let columns = format!(
        "system.main.substring({kind}, 8, system.main.subtract(system.main.length({kind}), 8))"
    );
    let ranked = |part: &str| {
        let plain = substituted(part, PLAIN, r"VARIANT\1");
        format!(
            "system.main.replace(system.main.replace({plain}, 'STRUCT(', 'MAP(VARCHAR, STRUCT('), \
             ')', '))')"
        )
    };
    let columns = outside_names(&columns, ranked);
    of_type(shape, &format!("system.main.concat('STRUCT(', {columns}, ')')"))
}
