//! Parses the arguments of a call from JSON text to a checked Rust value.

use serde_json::{Map, Value};

use super::aliases::BY_ARGUMENT;
use super::readings::whole;
use super::schema;
use super::tool::{Alias, Tool};
use redline_base::budget::CopiedText;
use redline_base::error::{Error, Result, escaped, quoted, visible};
use redline_base::limits;
use redline_base::{strict_json, suggest};

/// What agents say beside any call: to the person, or about the client.
const BESIDE: &[Alias] = &[
    Alias::Beside("explanation"),
    Alias::Beside("description"),
    Alias::Beside("instruction"),
    Alias::Beside("instructions"),
    Alias::Beside("reason"),
    Alias::Beside("justification"),
    Alias::Beside("workdir"),
    Alias::Beside("timeout"),
    Alias::Beside("timeout_ms"),
    Alias::Beside("toolCallId"),
];

/// Arguments that count from 1: 0 is none.
const FROM_ONE: &[&str] = &["first_line", "last_line", "limit", "depth", "max_bytes"];

/// The arguments of a call.
#[derive(Debug)]
pub struct Given<A> {
    /// Those of the tool.
    pub arguments: A,
    /// The most bytes of the answer, if it says so.
    pub max_bytes: Option<usize>,
    /// Whether the answer is values.
    pub is_data: bool,
}

/// Reads the arguments of a tool from a JSON object. Clients that make every argument required,
/// and models that fill in all, send null or an empty value for those that they leave out.
///
/// # Errors
/// `invalid_args:` for a text that is not a JSON object, and, by its name, for an argument that is
/// unknown, of another type, or missing.
pub fn parse<T: Tool>(text: &str) -> Result<Given<T::Arguments>> {
    let mut arguments = object(T::NAME, text)?;
    arguments.retain(|_, value| !value.is_null());
    rename::<T>(&mut arguments)?;
    check_names::<T>(&arguments)?;
    coerce::<T>(&mut arguments);
    omit::<T>(&mut arguments);
    let (max_bytes, is_data) = reply(T::NAME, &mut arguments)?;
    let goes_on = arguments.contains_key("cursor");
    let arguments =
        serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
            let error = wrong::<T>(&error.path().to_string(), &error.inner().to_string());
            let again = "This cursor comes from elsewhere, or long ago: give it with all arguments of its call, or start again without it";
            if goes_on { error.and_hint(again) } else { error }
        })?;
    Ok(Given { arguments, max_bytes, is_data })
}

/// Returns the most bytes of an answer, which are given by this name.
///
/// # Errors
/// `invalid_args` for a number outside of the range.
pub fn max_bytes(name: &str, given: Option<i64>) -> Result<Option<usize>> {
    let range = limits::REVIEW_BYTES_RANGE;
    let Some(bytes) = given else { return Ok(None) };
    match usize::try_from(bytes) {
        Ok(found) if range.contains(&bytes) => Ok(Some(found)),
        _ => Err(Error::invalid_args(format!("{name} is {bytes}")).with_hint(format!(
            "Give {} to {} bytes",
            range.start(),
            range.end()
        ))),
    }
}

fn object(tool: &str, text: &str) -> Result<Map<String, Value>> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let value: Value = strict_json::parse(text).map_err(|error| {
        Error::invalid_args(format!(
            "the arguments of {tool} are not JSON: {}",
            escaped(&error.to_string())
        ))
        .with_hint("Give one JSON object whose keys are the arguments' names, each once")
    })?;
    match value {
        Value::Object(arguments) => Ok(arguments),
        other => Err(Error::invalid_args(format!(
            "the arguments of {tool} are {}, not an object",
            kind(&other)
        ))
        .with_hint("Give one JSON object whose keys are the arguments' names")),
    }
}

/// Replaces the names that agents try by the right ones.
fn rename<T: Tool>(arguments: &mut Map<String, Value>) -> Result<()> {
    let own = schema::arguments::<T>();
    let is_own = |name: &str| own.iter().any(|own| own == name);
    let shared = BY_ARGUMENT.iter().filter(|(name, _)| is_own(name)).flat_map(|(_, all)| *all);
    let shared = shared.filter(|alias| !is_own(alias.given()));
    for alias in T::ALIASES.iter().chain(shared).chain(BESIDE) {
        let given = alias.given();
        // Its own name may be read in another way, too.
        if arguments.get(given).is_some_and(|value| is_empty(given, value)) && !is_own(given) {
            arguments.remove(given);
        }
        match *alias {
            Alias::Means(given, meant) if arguments.contains_key(given) => {
                if arguments.contains_key(meant) {
                    return Err(Error::invalid_args(format!(
                        "{} was given both {meant} and {given}, which mean the same",
                        T::NAME
                    ))
                    .with_hint(format!("Give {meant} alone")));
                }
                let value = arguments.remove(given).unwrap_or_default();
                arguments.insert(meant.to_owned(), value);
            }
            Alias::Say(given, instead) if arguments.contains_key(given) => {
                return Err(Error::invalid_args(format!("{} has no argument '{given}'", T::NAME))
                    .with_hint(instead));
            }
            Alias::Read(given, read, instead) => {
                let Some(value) = arguments.remove(given) else { continue };
                if !read(&value, arguments) {
                    return Err(Error::invalid_args(format!(
                        "{} cannot take '{given}' as it is given",
                        T::NAME
                    ))
                    .with_hint(instead));
                }
            }
            Alias::Beside(given) if arguments.contains_key(given) && !is_own(given) => {
                arguments.remove(given);
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_names<T: Tool>(arguments: &Map<String, Value>) -> Result<()> {
    let known = schema::arguments::<T>();
    let Some(unknown) = arguments.keys().find(|name| !known.contains(name)) else { return Ok(()) };
    let near = suggest::best(unknown, known.iter().map(String::as_str));
    Err(Error::invalid_args(format!("{} has no argument {}", T::NAME, quoted(unknown)))
        .near(&near)
        .and_hint(format!("It takes {}", known.join(", "))))
}

/// Converts texts to numbers, booleans and lists, for servers that bind only texts; one value
/// becomes a list of it, and a number with a point a whole one.
fn coerce<T: Tool>(arguments: &mut Map<String, Value>) {
    let schema = schema::input::<T>();
    for (name, property) in schema::properties(&schema) {
        let Some(value) = arguments.get_mut(name) else { continue };
        let read = match (schema::kind(property), &*value) {
            ("integer", value) => whole(value).map(Value::from),
            ("boolean", Value::String(text)) => text.parse::<bool>().ok().map(Value::from),
            ("array", Value::String(text)) => match strict_json::parse(text) {
                Ok(list @ Value::Array(_)) => Some(list),
                _ if text.starts_with(['[', '{']) => None,
                _ => Some(Value::Array(vec![Value::String(text.copied_text())])),
            },
            ("array", object @ Value::Object(_))
                if schema::kind(&property["items"]) == "object" =>
            {
                Some(Value::Array(vec![object.clone()]))
            }
            _ => None,
        };
        if let Some(read) = read {
            *value = read;
        }
    }
}

/// Removes optional arguments that are empty, unless the tool has a use for an empty one.
fn omit<T: Tool>(arguments: &mut Map<String, Value>) {
    let is_empty = |arguments: &Map<String, Value>, name: &str| {
        arguments.get(name).is_none_or(|value| is_empty(name, value))
    };
    let schema = schema::input::<T>();
    let kept: Vec<&str> = schema::required(&schema)
        .chain(
            T::TEXTS
                .iter()
                .flat_map(|texts| {
                    let is_none = texts.names.iter().all(|name| is_empty(arguments, name));
                    let is_other_given = texts.unless.iter().any(|name| !is_empty(arguments, name));
                    if is_none && is_other_given { &[] } else { texts.names }
                })
                .copied(),
        )
        .collect();
    arguments.retain(|name, value| kept.contains(&name.as_str()) || !self::is_empty(name, value));
}

/// Tells whether a value of an argument has nothing in it.
pub fn is_empty(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) => false,
        Value::Number(number) => FROM_ONE.contains(&name) && number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.iter().all(|value| is_empty(name, value)),
        Value::Object(values) => values.is_empty(),
    }
}

/// Takes the arguments that all tools have.
fn reply(tool: &str, arguments: &mut Map<String, Value>) -> Result<(Option<usize>, bool)> {
    let given = match arguments.remove("max_bytes") {
        None => None,
        Some(value) => Some(value.as_i64().ok_or_else(|| {
            Error::invalid_args(format!("the argument 'max_bytes' of {tool} is {}", kind(&value)))
                .with_hint("Give a whole number of bytes")
        })?),
    };
    let is_data = match arguments.remove("format") {
        None => false,
        Some(Value::String(format)) if format == "text" => false,
        Some(Value::String(format)) if format == "json" => true,
        Some(other) => {
            let shown = other.as_str().map_or_else(|| kind(&other).to_owned(), quoted);
            return Err(Error::invalid_args(format!("the argument 'format' of {tool} is {shown}"))
                .with_hint("Give text or json"));
        }
    };
    Ok((max_bytes("max_bytes", given)?, is_data))
}

/// Returns the error for an argument that is missing or of another type, in the terms of its
/// schema.
fn wrong<T: Tool>(path: &str, words: &str) -> Error {
    let tool = T::NAME;
    if let Some(name) =
        words.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'))
    {
        let place = if path == "." { String::new() } else { format!(" in {}", escaped(path)) };
        return Error::invalid_args(format!("{tool} needs the argument '{name}'{place}"))
            .with_hint(description::<T>(name).unwrap_or_else(|| format!("Give {name}")));
    }
    let name = path.split(['.', '[']).next().unwrap_or_default();
    let error = Error::invalid_args(format!(
        "the argument '{}' of {tool} cannot be used: {}",
        escaped(path),
        visible(&plain(words))
    ));
    error.with_hint(description::<T>(name).unwrap_or_else(|| "See its schema".to_owned()))
}

/// Returns a deserializer's error without the names of Rust's types.
fn plain(words: &str) -> String {
    let wrong = words.strip_prefix("invalid type: ").or(words.strip_prefix("invalid value: "));
    if let Some((unknown, known)) = words
        .strip_prefix("unknown variant ")
        .or(words.strip_prefix("unknown field "))
        .and_then(|rest| rest.split_once(", expected "))
    {
        let known = known.trim_start_matches("one of ");
        return format!("{unknown} is unknown, and {known} are known");
    }
    let Some((given, wanted)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return words.to_owned();
    };
    let given = match given.split_once(' ') {
        Some(("integer" | "floating", rest)) => {
            format!("the number {}", rest.trim_start_matches("point ").trim_matches('`'))
        }
        Some(("boolean", rest)) => rest.trim_matches('`').to_owned(),
        Some(("string", rest)) => format!("the text {rest}"),
        _ if given == "sequence" => "a list".to_owned(),
        _ if given == "map" => "an object".to_owned(),
        _ => given.to_owned(),
    };
    let wanted = match wanted {
        "u64" | "usize" | "u32" => "a whole number of 0 or more",
        "i64" => "a whole number",
        "a string" | "string" | "string or map" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        other if other.starts_with("struct ") || other == "map" => "an object",
        other => other,
    };
    format!("it is {given}, and must be {wanted}")
}

/// Returns the description of an argument in the schema.
fn description<T: Tool>(name: &str) -> Option<String> {
    let schema = schema::input::<T>();
    let (_, property) = schema::properties(&schema).find(|(given, _)| *given == name)?;
    let text = property.get("description").and_then(Value::as_str)?;
    Some(format!("{name}: {}", text.trim_end_matches('.')))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
