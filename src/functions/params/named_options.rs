//! The named parameters of one call, read by name and checked.

use super::context_lines::CONTEXT;
use super::given::Given;
use crate::error::{Error, Result, quoted};
use crate::ffi::{Constant, Field, Value};
use crate::git::{Pathspec, RenameOptions};
use crate::text::{Algorithm, DiffOptions, Whitespace};

/// The named arguments of one call.
pub struct NamedOptions<'a> {
    fields: &'a [Field],
    values: &'a [Value],
}

impl<'a> NamedOptions<'a> {
    /// Joins a function's named parameters with their values.
    pub fn new(fields: &'a [Field], values: &'a [Value]) -> Self {
        Self { fields, values }
    }

    /// Returns an argument, NULL where it was omitted.
    pub fn get(&self, name: &str) -> &Value {
        let index = self.fields.iter().position(|field| field.name == name);
        index.and_then(|index| self.values.get(index)).unwrap_or(&Value::Null)
    }

    /// Returns a number; NULL is none.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name).as_integer()
    }

    /// Returns a text; NULL is none.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).as_text()
    }

    /// Returns the truth of a BOOLEAN; NULL is false.
    pub fn boolean(&self, name: &str) -> bool {
        self.get(name).as_boolean().unwrap_or(false)
    }

    /// Returns one of named choices; NULL is the first.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T> {
        let Some(given) = self.get(name).as_text() else { return Ok(choices[0].1) };
        let found = choices.iter().find(|(word, _)| word.eq_ignore_ascii_case(given));
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            Error::invalid_args(format!("{name} is {}", quoted(given)))
                .with_hint(format!("Give {}", words.join(", ")))
        })
    }

    /// Returns the pathspecs, of a list or of one text; NULL and an empty list are none.
    pub fn paths(&self) -> Result<Vec<Pathspec>> {
        let refused = |what: &str| {
            Error::invalid_args(format!("paths {what}"))
                .with_hint("Give a pathspec, or a list of pathspecs, each a text")
        };
        let parse = |path: &Value| match path {
            Value::Text(path) => Pathspec::parse(path),
            Value::Null => Err(refused("contains a NULL")),
            _ => Err(refused("contains what is no text")),
        };
        match self.get("paths") {
            Value::Null => Ok(Vec::new()),
            Value::List(paths) => paths.iter().map(parse).collect(),
            path @ Value::Text(_) => Ok(vec![parse(path)?]),
            _ => Err(refused("is no text and no list of texts")),
        }
    }

    /// Returns how renames are looked for, if they are: copies mean renames too, as in git.
    pub fn rename_options(&self) -> Result<Option<RenameOptions>> {
        let copies = self.boolean("copies");
        let limit =
            self.get("rename_limit").as_integer().and_then(|limit| u32::try_from(limit).ok());
        let similarity =
            self.get("similarity").as_integer().unwrap_or(RenameOptions::SIMILARITY.into());
        let Some(similarity) = u8::try_from(similarity).ok().filter(|percent| *percent <= 100)
        else {
            return Err(Error::invalid_args(format!("similarity is {similarity}"))
                .with_hint("Give 0 to 100 percent"));
        };
        Ok((copies || self.boolean("renames")).then_some(RenameOptions {
            copies,
            similarity,
            limit: limit.unwrap_or(RenameOptions::LIMIT),
        }))
    }

    /// Returns which whitespace does not count.
    pub fn whitespace(&self) -> Result<Whitespace> {
        self.choice(
            "ignore_whitespace",
            &[
                ("none", Whitespace::Exact),
                ("all", Whitespace::All),
                ("change", Whitespace::Change),
                ("eol", Whitespace::Eol),
                ("cr_at_eol", Whitespace::CrAtEol),
            ],
        )
    }

    /// Returns the options of a diff.
    pub fn diff_options(&self) -> Result<DiffOptions> {
        let joined = self.get("inter_hunk_context").as_integer().unwrap_or(0);
        if joined < 0 {
            return Err(Error::invalid_args(format!("inter_hunk_context is {joined}"))
                .with_hint("Give 0 or more lines"));
        }
        Ok(DiffOptions {
            context: context(self.get("context").as_integer())?,
            inter_hunk_context: u32::try_from(joined).unwrap_or(u32::MAX),
            algorithm: self.choice(
                "algorithm",
                &[
                    ("myers", Algorithm::Myers),
                    ("minimal", Algorithm::Minimal),
                    ("patience", Algorithm::Patience),
                    ("histogram", Algorithm::Histogram),
                ],
            )?,
            whitespace: self.whitespace()?,
            ignore_blank_lines: self.boolean("ignore_blank_lines"),
        })
    }
}

/// Returns the lines of context that were asked for: NULL is git's default, -1 the whole file.
pub fn context(given: Option<i64>) -> Result<Option<u32>> {
    CONTEXT.read(given.map(|lines| Given::Default(Constant::Integer(lines))), "redline")
}
