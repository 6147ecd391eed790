//! The macros of `sql/`, read from the scripts that define and describe them.

use std::sync::LazyLock;

use super::redline_sql::script;

/// The scripts that define macros for people.
const SCRIPTS: [&str; 4] = ["macros", "git", "analytics", "data"];
const CREATE: &str = "CREATE OR REPLACE MACRO ";
const COMMENT: &str = "COMMENT ON MACRO TABLE ";

/// A table macro.
pub struct Macro {
    /// Its name.
    pub name: &'static str,
    /// The name of the script that defines it.
    pub script: &'static str,
    /// Its parameters.
    pub parameters: Vec<MacroParameter>,
    /// Its description, in one line.
    pub description: String,
}

/// A parameter of a macro, which takes any type.
#[derive(Debug, PartialEq, Eq)]
pub struct MacroParameter {
    /// Its name.
    pub name: &'static str,
    /// Its default, as SQL; `None` if it must be given.
    pub default: Option<&'static str>,
    /// What its script says of it, for all macros of the script.
    pub doc: Option<&'static str>,
}

static MACROS: LazyLock<Vec<Macro>> = LazyLock::new(|| {
    let found = SCRIPTS.into_iter().filter_map(|name| Some((name, script(name)?)));
    found.flat_map(|(name, text)| macros_of(name, text)).collect()
});

/// Returns all of them, in the order of their scripts.
pub fn macros() -> &'static [Macro] {
    &MACROS
}

fn macros_of(script: &'static str, text: &'static str) -> Vec<Macro> {
    let defined = text.split(CREATE).skip(1);
    let of = |rest: &'static str| {
        let (name, rest) = rest.split_once('(')?;
        let (parameters, _) = rest.split_once(')')?;
        let parameters = parameters.split(',').map(|one| parameter(one, text)).collect();
        let description = description(text, name).unwrap_or_default();
        Some(Macro { name, script, parameters, description })
    };
    defined.filter_map(of).collect()
}

fn parameter(text: &'static str, script: &'static str) -> MacroParameter {
    let (name, default) = match text.split_once(":=") {
        Some((name, default)) => (name.trim(), Some(default.trim())),
        None => (text.trim(), None),
    };
    MacroParameter { name, default, doc: meaning(script, name) }
}

/// Returns what a comment of a script says of a parameter: `--   name: meaning`.
fn meaning(script: &'static str, name: &str) -> Option<&'static str> {
    script.lines().find_map(|line| {
        line.strip_prefix("--   ")?.strip_prefix(name)?.strip_prefix(": ").map(str::trim_end)
    })
}

/// Returns the description of a macro in its script.
fn description(text: &str, name: &str) -> Option<String> {
    let said = text.lines().find_map(|line| {
        line.strip_prefix(COMMENT)?.strip_prefix(name)?.strip_prefix(" IS '")?.strip_suffix("';")
    });
    said.map(|said| said.replace("''", "'"))
}

impl Macro {
    /// Returns the form of a call, with defaults.
    pub fn call(&self) -> String {
        let said = self.parameters.iter().map(|parameter| match parameter.default {
            Some(default) => format!("{} := {default}", parameter.name),
            None => parameter.name.to_owned(),
        });
        format!("{}({})", self.name, said.collect::<Vec<_>>().join(", "))
    }

    /// Returns the form of a call without optional parameters, which are counted.
    pub fn short_call(&self) -> String {
        let required = self.parameters.iter().filter(|parameter| parameter.default.is_none());
        let mut all: Vec<String> = required.map(|parameter| parameter.name.to_owned()).collect();
        match self.parameters.len() - all.len() {
            0 => {}
            options => all.push(format!("{options} options")),
        }
        format!("{}({})", self.name, all.join(", "))
    }

    /// Returns the name of the function whose rows these are, if the description names one.
    pub fn function(&self) -> Option<&str> {
        let (before, _) = self.description.split_once("()")?;
        before.rsplit(' ').next()
    }

    /// Returns an example, if the macro needs no arguments.
    pub fn example(&self) -> Option<String> {
        let is_free = self.parameters.iter().all(|parameter| parameter.default.is_some());
        is_free.then(|| format!("FROM {}()", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_macro_of_the_scripts_is_described_and_named_once() {
        let all = macros();
        assert!(all.len() > 40, "{}", all.len());
        for one in all {
            assert!(!one.description.is_empty() && !one.description.ends_with('.'), "{}", one.name);
            assert_eq!(
                all.iter().filter(|other| other.name == one.name).count(),
                1,
                "{}",
                one.name
            );
        }
    }

    #[test]
    fn parameters_are_read_with_their_defaults() {
        let blame = macros().iter().find(|one| one.name == "git_blame").unwrap();
        assert_eq!(blame.script, "git");
        assert_eq!(blame.parameters[0], MacroParameter { name: "file", default: None, doc: None });
        assert_eq!(
            blame.parameters[1],
            MacroParameter { name: "rev", default: Some("'WORKTREE'"), doc: None }
        );
        assert!(blame.call().starts_with("git_blame(file, rev := 'WORKTREE', repo := '.', "));
        assert!(blame.short_call().starts_with("git_blame(file, ") && blame.example().is_none());
        let log = macros().iter().find(|one| one.name == "git_log").unwrap();
        assert_eq!(log.example().unwrap(), "FROM git_log()");
        assert_eq!(log.function(), Some("commits"));
    }

    #[test]
    fn comments_say_what_the_parameters_of_a_script_mean() {
        let churn = macros().iter().find(|one| one.name == "period_churn").unwrap();
        assert!(churn.parameters.iter().all(|one| one.doc.is_some_and(|doc| !doc.is_empty())));
        assert_eq!(churn.function(), None);
    }
}
