//! The purpose of a file, by its path: sources come first, then tests, documents and vendored code.

use redline_base::budget::text_of;

/// The purpose of a file, in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Rank {
    /// The project's own code.
    #[default]
    Source,
    /// Tests.
    Test,
    /// Documentation.
    Document,
    /// Code of another project.
    Vendored,
}

const VENDORED: &[&str] = &[
    "bower_components",
    "deps",
    "external",
    "godeps",
    "node_modules",
    "pods",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
];

const TESTS: &[&str] = &[
    "__snapshots__",
    "__tests__",
    "e2e",
    "fixtures",
    "spec",
    "specs",
    "test",
    "testdata",
    "testing",
    "tests",
];

const DOCUMENTS: &[&str] = &["doc", "docs"];

const DOCUMENT_ENDINGS: &[&str] = &[".adoc", ".markdown", ".md", ".rst", ".txt"];

const DOCUMENT_NAMES: &[&str] =
    &["authors", "changelog", "changes", "contributing", "license", "news", "notice", "readme"];

impl Rank {
    /// Returns the purpose of the file at a path.
    pub fn of(path: &[u8]) -> Self {
        let path = text_of(path).to_ascii_lowercase();
        let (directories, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let lies_in = |names: &[&str]| directories.split('/').any(|one| names.contains(&one));
        let (stem, _) = name.split_once('.').unwrap_or((name, ""));
        let is_test = stem.starts_with("test_")
            || stem.ends_with("_test")
            || stem.ends_with("_spec")
            || name.contains(".test.")
            || name.contains(".spec.");
        let is_document = DOCUMENT_ENDINGS.iter().any(|ending| name.ends_with(ending))
            || DOCUMENT_NAMES.contains(&stem);
        if lies_in(VENDORED) {
            Self::Vendored
        } else if lies_in(TESTS) || is_test {
            Self::Test
        } else if lies_in(DOCUMENTS) || is_document {
            Self::Document
        } else {
            Self::Source
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_its_file_is_for() {
        for (path, rank) in [
            ("src/main.rs", Rank::Source),
            ("latest.rs", Rank::Source),
            ("src/contest/spec.rs", Rank::Source),
            ("deps/jemalloc/test/unit/a.c", Rank::Vendored),
            ("vendor/x/README.md", Rank::Vendored),
            ("tests/unit/cluster.tcl", Rank::Test),
            ("src/parser_test.go", Rank::Test),
            ("src/app.test.ts", Rank::Test),
            ("src/test_app.py", Rank::Test),
            ("README", Rank::Document),
            ("docs/guide/index.html", Rank::Document),
            ("CHANGELOG.md", Rank::Document),
            ("deps.rs", Rank::Source),
        ] {
            assert_eq!(Rank::of(path.as_bytes()), rank, "{path}");
        }
    }
}
