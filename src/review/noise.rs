//! Files that nobody reads line by line: they come last.

use crate::limits;

/// Why a file comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Noise {
    /// The repository's attributes, or its name, say that a program wrote it.
    Generated,
    /// It records the versions of dependencies.
    LockFile,
    /// Its lines are too long for a person.
    Minified,
    /// The attribute `-diff` asks that it be not shown.
    NotShown,
}

/// What tells that a file is noise.
#[derive(Debug, Clone, Copy, Default)]
pub struct Marks {
    /// The attribute `linguist-generated`, where it is given: it goes before the name.
    pub generated: Option<bool>,
    /// Whether the attribute `diff` is unset.
    pub not_shown: bool,
    /// The bytes of a line of the patch on average.
    pub mean_line: usize,
}

const LOCK_FILES: &[&str] = &[
    "bun.lock",
    "bun.lockb",
    "cargo.lock",
    "composer.lock",
    "conan.lock",
    "deno.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "go.work.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.resolved",
    "packages.lock.json",
    "pdm.lock",
    "pipfile.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

const GENERATED_ENDINGS: &[&str] = &[
    ".bundle.js",
    ".css.map",
    ".designer.cs",
    ".g.cs",
    ".g.dart",
    ".js.map",
    ".min.css",
    ".min.js",
    ".min.mjs",
    ".pb.cc",
    ".pb.go",
    ".pb.h",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
];

impl Noise {
    /// Returns why a file comes last; its attributes go before its name, and that before its text.
    pub fn of(path: &[u8], marks: Marks) -> Option<Self> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path).to_ascii_lowercase();
        match marks {
            Marks { generated: Some(true), .. } => Some(Self::Generated),
            Marks { not_shown: true, .. } => Some(Self::NotShown),
            Marks { generated: Some(false), .. } => None,
            _ if LOCK_FILES.iter().any(|lock| lock.as_bytes() == name) => Some(Self::LockFile),
            _ if GENERATED_ENDINGS.iter().any(|ending| name.ends_with(ending.as_bytes())) => {
                Some(Self::Generated)
            }
            Marks { mean_line, .. } if mean_line > limits::MINIFIED_LINE_BYTES => {
                Some(Self::Minified)
            }
            _ => None,
        }
    }

    /// Returns the words that mark the file in the list.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::LockFile => "lock file",
            Self::Minified => "minified",
            Self::NotShown => "-diff",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_and_generated_files_are_known_by_their_names() {
        for (path, noise) in [
            ("Cargo.lock", Some(Noise::LockFile)),
            ("web/package-lock.json", Some(Noise::LockFile)),
            ("go.sum", Some(Noise::LockFile)),
            ("dist/app.min.js", Some(Noise::Generated)),
            ("api/v1_pb2.py", Some(Noise::Generated)),
            ("Cargo.toml", None),
            ("cargo.lock/main.rs", None),
            ("src/min.js", None),
            ("lock", None),
        ] {
            assert_eq!(Noise::of(path.as_bytes(), Marks::default()), noise, "{path}");
        }
    }

    #[test]
    fn the_attributes_are_believed_before_a_name() {
        let marks = |generated, not_shown, mean_line| Marks { generated, not_shown, mean_line };
        let long = limits::MINIFIED_LINE_BYTES + 1;
        for (path, marks, noise) in [
            ("Cargo.lock", marks(Some(false), false, long), None),
            ("main.rs", marks(Some(true), false, 0), Some(Noise::Generated)),
            ("main.rs", marks(None, true, 0), Some(Noise::NotShown)),
            ("main.rs", marks(None, false, long), Some(Noise::Minified)),
            ("main.rs", marks(None, false, long - 1), None),
        ] {
            assert_eq!(Noise::of(path.as_bytes(), marks), noise, "{path} {marks:?}");
        }
    }
}
