//! What the git functions have in common: two sides of a repository, and the options of a
//! diff as named parameters.

use std::sync::Arc;

use super::arguments::required_text;
use super::context_lines::CONTEXT;
use super::given::Given;
use crate::budget::{Budget, Current, Permits};
use crate::error::{Error, Result, quoted};
use crate::ffi::{Batch, Constant, Field, Type, Value};
use crate::functions::context::execution_context::ExecutionContext;
use crate::git::{
    Change, Changes, Comparison, PathChange, Pathspec, RenameOptions, Untracked, nearest_paths,
};
use crate::limits;
use crate::pipeline::{Batches, Ordered, Source, Weigh, Window};
use crate::text::{Algorithm, CancelToken, DiffOptions, Whitespace};

/// The positional parameters of the functions over all files.
pub const PARAMETERS: [Field; 3] = [FROM, TO, REPO];

/// The old side.
pub const FROM: Field = Field::new(
    "from",
    Type::Varchar,
    "The old side: a revision, INDEX, WORKTREE or EMPTY; a range where `to` is NULL",
);
/// The new side.
pub const TO: Field = Field::new(
    "to",
    Type::Varchar,
    "The new side, likewise; NULL where `from` is a range or is compared with the work tree",
);
/// The repository.
pub const REPO: Field = Field::new("repo", Type::Varchar, "The repository, or a directory in it");

/// The named parameters of all git functions; [`NamedOptions`] reads them by name.
pub const NAMED: [Field; 12] = [
    Field::optional(
        "merge_base",
        Type::Boolean,
        "false",
        "Compare from the merge base of both sides, as git's `a...b`",
    ),
    Field::optional(
        "untracked",
        Type::Boolean,
        "false",
        "Include files of the work tree that are neither tracked nor ignored",
    ),
    Field::optional(
        "algorithm",
        Type::Varchar,
        "'myers'",
        "Line diff: myers, minimal, patience or histogram",
    ),
    IGNORE_WHITESPACE,
    Field::optional(
        "ignore_blank_lines",
        Type::Boolean,
        "false",
        "Leave out changes whose lines are all blank",
    ),
    CONTEXT.field,
    Field::optional(
        "inter_hunk_context",
        Type::Integer,
        "0",
        "Join hunks that have at most this many unchanged lines between their contexts",
    ),
    Field::optional("renames", Type::Boolean, "false", "Detect renames, as git's -M"),
    Field::optional("copies", Type::Boolean, "false", "Detect renames and copies, as git's -C"),
    Field::optional(
        "similarity",
        Type::UTinyInt,
        "50",
        "How similar a rename or copy must be, 0 to 100 percent",
    ),
    Field::optional(
        "rename_limit",
        Type::UInteger,
        "1000",
        "Most files on one side whose contents are compared; 0 is no limit",
    ),
    PATHS,
];

/// Which whitespace does not count.
pub const IGNORE_WHITESPACE: Field = Field::optional(
    "ignore_whitespace",
    Type::Varchar,
    "'none'",
    "Whitespace that does not count: none, all, change, eol or cr_at_eol",
);

/// Which files are asked for.
pub const PATHS: Field = Field::optional(
    "paths",
    Type::TextOrTexts,
    "NULL",
    "A git pathspec, or a list of them, that limits the files; NULL for all",
);

/// Those of them that make sense without a work tree and with one revision.
pub const HISTORY_OPTIONS: &[Field] = NAMED.split_at(2).1;

/// Those of them that make sense for one file.
pub const OPTIONS: &[Field] = NAMED.split_at(7).0;

/// Joins two lists of parameters; `N` is how many there are.
pub const fn joined<const N: usize>(first: &[Field], second: &[Field]) -> [Field; N] {
    assert!(N == first.len() + second.len());
    let mut all = [first[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < first.len() { first[at] } else { second[at - first.len()] };
        at += 1;
    }
    all
}

/// Two revisions of a repository, as given.
#[derive(Debug, Clone)]
pub struct Revisions {
    from: String,
    /// NULL where `from` is a range.
    to: Option<String>,
    repo: String,
    merge_base: bool,
    untracked: Untracked,
    paths: Vec<Pathspec>,
    renames: Option<RenameOptions>,
}

impl Revisions {
    /// Takes the last three positional arguments of a table function and its named ones.
    pub fn bind(arguments: &[Value], named: &NamedOptions<'_>, function: &str) -> Result<Self> {
        let [from, to, repo] = arguments else { unreachable!("three arguments") };
        Ok(Self {
            from: required_text(from, function, "from")?,
            to: to.as_text().map(str::to_owned),
            repo: required_text(repo, function, "repo")?,
            merge_base: named.boolean("merge_base"),
            untracked: if named.boolean("untracked") {
                Untracked::Identified
            } else {
                Untracked::Ignored
            },
            paths: named.paths()?,
            renames: named.rename_options()?,
        })
    }

    /// Compares nothing with one side, of which all files are asked for.
    pub fn files_of(rev: String, repo: String, paths: Vec<Pathspec>) -> Self {
        Self {
            from: "EMPTY".to_owned(),
            to: Some(rev),
            repo,
            merge_base: false,
            untracked: Untracked::Ignored,
            paths,
            renames: None,
        }
    }

    /// Takes what a tool was given.
    pub fn of_tool(
        from: String,
        to: Option<String>,
        repo: String,
        paths: &[String],
        renames: Option<RenameOptions>,
    ) -> Result<Self> {
        let paths = paths.iter().map(|path| Pathspec::parse(path)).collect::<Result<_>>()?;
        Ok(Self {
            from,
            to,
            repo,
            merge_base: false,
            untracked: Untracked::Ignored,
            paths,
            renames,
        })
    }

    /// Returns the same for who asks for names and statuses alone: files that are not tracked are not looked at.
    #[must_use]
    pub fn names_only(&self) -> Self {
        // Renames are found by content.
        let is_read = self.renames.is_some() || self.untracked == Untracked::Ignored;
        Self { untracked: if is_read { self.untracked } else { Untracked::Named }, ..self.clone() }
    }

    /// Returns the same for all paths.
    #[must_use]
    pub fn of_all_paths(&self) -> Self {
        Self { paths: Vec::new(), ..self.clone() }
    }

    /// Opens the repository and resolves the revisions.
    pub fn open(&self, execution: &ExecutionContext) -> Result<Comparison> {
        let repository = execution.repository(&self.repo)?;
        let comparison =
            Comparison::of(&repository, &self.from, self.to.as_deref(), self.merge_base)?;
        let comparison = comparison.with_threads(execution.threads());
        comparison.with_untracked(self.untracked).with_paths(&self.paths)
    }

    /// Starts the walk alone, to be read on the caller's thread; `None` where access is limited, as that thread
    /// can open anything.
    pub fn walk(&self, execution: &ExecutionContext) -> Result<Option<CallersWalk>> {
        if !execution.access.is_unlimited() {
            return Ok(None);
        }
        let budget = execution.budget.part();
        let _current = Current::enter(&budget);
        let changes =
            Changes::new(&self.open(execution)?.with_budget(Arc::clone(&budget)), self.renames)?;
        Ok(Some(CallersWalk { changes, budget }))
    }

    /// Starts the walk with workers: `make` returns the work of one of them.
    pub fn work<R, W>(
        &self,
        execution: &ExecutionContext,
        make: impl Fn(&Comparison) -> Result<W> + Send,
    ) -> Result<Ordered<R>>
    where
        R: Weigh + Send + 'static,
        W: FnMut(Change, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        // The workers are started there, and so are restricted as well.
        execution.read(|| self.work_on(&self.open(execution)?, execution, make))
    }

    /// Does the same as [`Self::work`] for work that is small beside handing it over: each worker takes some changes at
    /// a time.
    pub fn work_in_batches<R, W>(
        &self,
        execution: &ExecutionContext,
        make: impl Fn(&Comparison) -> Result<W> + Send,
    ) -> Result<Ordered<R>>
    where
        R: Weigh + Send + 'static,
        W: FnMut(Vec<Change>, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        execution.read(|| {
            let comparison = self.open(execution)?;
            self.start(&comparison, execution, |changes| Source::new(Batches::new(changes)), make)
        })
    }

    /// Starts the walk of what was opened.
    pub fn work_on<R, W>(
        &self,
        comparison: &Comparison,
        execution: &ExecutionContext,
        make: impl Fn(&Comparison) -> Result<W>,
    ) -> Result<Ordered<R>>
    where
        R: Weigh + Send + 'static,
        W: FnMut(Change, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        self.start(comparison, execution, Source::new, make)
    }

    /// Starts the walk, of whose changes `jobs` makes what a worker takes at once.
    fn start<R, J, I, W>(
        &self,
        comparison: &Comparison,
        execution: &ExecutionContext,
        jobs: impl FnOnce(Changes) -> Source<I>,
        make: impl Fn(&Comparison) -> Result<W>,
    ) -> Result<Ordered<R>>
    where
        R: Weigh + Send + 'static,
        J: Send + 'static,
        I: Iterator<Item = Result<J>> + Send + 'static,
        W: FnMut(J, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        let budget = execution.budget.part();
        let comparison = &comparison.clone().with_budget(Arc::clone(&budget));
        let changes = Changes::new(comparison, self.renames)?;
        let permits = Permits::take(execution.threads());
        let workers = (0..permits.count())
            .map(|_| {
                let budget = Arc::clone(&budget);
                let mut work = make(comparison)?;
                Ok(move |job| work(job, &CancelToken::of(&budget)))
            })
            .collect::<Result<_>>()?;
        let window = Window { jobs: limits::WINDOW_JOBS, bytes: limits::WINDOW_BYTES };
        Ordered::start(jobs(changes), workers, window, budget, permits)
    }

    /// Returns how renames are looked for, if they are.
    pub fn renames(&self) -> Option<RenameOptions> {
        self.renames
    }

    /// Returns what is asked for beside the sides, as a text that tells it from others.
    pub fn options(&self) -> String {
        format!("{:?} {:?} {}", self.paths, self.renames, self.untracked != Untracked::Ignored)
    }

    /// Returns what became of one file; `asker` and `lister` are what messages call the function that
    /// asks for a file and the one that lists them.
    pub fn file(
        &self,
        sides: &Comparison,
        file: &str,
        [asker, lister]: [&str; 2],
    ) -> Result<Vec<Change>> {
        let file = &sides.repository().file_from_root(file)?;
        let is_directory = match PathChange::of(sides, file.as_bytes())? {
            PathChange::File(changes) => return Ok(changes),
            found => found == PathChange::Directory,
        };
        let shown = quoted(file);
        if is_directory {
            return Err(Error::not_found(format!(
                "{shown} is a directory, and {asker} wants a file"
            ))
            .with_hint(format!("{lister} lists the changed files below it")));
        }
        let error = Error::not_found(format!("no file {shown} in {}", self.shown()));
        Err(match nearest_paths(sides, file)?.as_slice() {
            [] => error.with_hint(format!(
                "Paths start at the root of the repository; {lister} lists them"
            )),
            near => error.with_hint(format!("Did you mean {}?", near.join(" or "))),
        })
    }

    /// Returns both ends for a message.
    fn shown(&self) -> String {
        match &self.to {
            Some(to) => format!("{} or {}", quoted(&self.from), quoted(to)),
            None => quoted(&self.from),
        }
    }
}

/// The changes of a walk that the caller's thread does itself, under the budget of the query.
pub struct CallersWalk {
    changes: Changes,
    budget: Arc<Budget>,
}

impl CallersWalk {
    /// Hands changes to `write`, which appends a row for each, until the batch is full or the walk ends.
    pub fn fill(
        &mut self,
        batch: &mut Batch,
        mut write: impl FnMut(Change, &mut Batch),
    ) -> Result<()> {
        let _current = Current::enter(&self.budget);
        while !batch.is_full()
            && let Some(change) = self.changes.next()
        {
            write(change?, batch);
        }
        Ok(())
    }
}

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
