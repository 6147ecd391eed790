//! Paths below a sandbox's root that mean exactly what they show.

use thiserror::Error;

use redline_base::error::{Unseen, quoted, unseen};
use redline_base::limits::{PATH_BYTES, PATH_NAME_BYTES, RESERVED_PATTERN_BYTES};

/// Names that are never read or written on their own, at any depth and in any case.
const RESERVED: [&[&str]; 4] = [
    // The directories of version control, git's configuration and hooks.
    &[".git", ".gitconfig", ".gitmodules", ".githooks", ".husky", ".hg", ".jj"],
    // What tells an agent or an editor which programs to run.
    &[".mcp.json", ".claude", ".claude.json", ".codex", ".cursor", ".vscode"],
    // Keys and tokens.
    &[".ssh", ".gnupg", ".netrc"],
    // What redline itself writes with.
    &[".redline-new", ".redline-patch"],
];

/// A checked path of an agent: names joined by single `/`, none of them `.` or `..`, none with a
/// character or a form that systems or readers could interpret differently.
///
/// The rules are those of all systems at once: a path that is refused on one is refused on all.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RelPath(String);

/// Why a text is not a path below a root.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Flaw {
    /// Nothing follows the sandbox's name.
    #[error("names no file")]
    Empty,
    /// Over the limits of the system.
    #[error("is longer than {PATH_BYTES} bytes, or one of its names than {PATH_NAME_BYTES}")]
    TooLong,
    /// `//`, or a `/` at the start or the end.
    #[error("has a '/' at its start or end, or two in a row")]
    EmptyName,
    /// `.` or `..`.
    #[error("has the part {}", quoted(.0))]
    Dots(&'static str),
    /// A control, direction or invisible character.
    #[error("has the character U+{:04X}, which cannot be seen or told from a space", *.0 as u32)]
    HardToSee(char),
    /// A separator on Windows, or the mark of a drive or stream.
    #[error("has the character {}", quoted(&.0.to_string()))]
    Separator(char),
    /// A name such as `GIT~1`, by which FAT and NTFS know another name.
    #[error("has the part {}, the short form of another name", quoted(.0))]
    ShortName(String),
}

impl RelPath {
    /// Checks a path.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        if text.is_empty() {
            return Err(Flaw::Empty);
        }
        if text.len() > PATH_BYTES || text.split('/').any(|name| name.len() > PATH_NAME_BYTES) {
            return Err(Flaw::TooLong);
        }
        // Whitespace of another width looks like a space, and is hidden at the end of a name.
        if let Some(c) = text.chars().find(|&c| unseen(c).is_some_and(|why| why != Unseen::NoSign))
        {
            return Err(Flaw::HardToSee(c));
        }
        if let Some(c) = text.chars().find(|c| matches!(c, '\\' | ':')) {
            return Err(Flaw::Separator(c));
        }
        for name in text.split('/') {
            match name {
                "" => return Err(Flaw::EmptyName),
                "." => return Err(Flaw::Dots(".")),
                ".." => return Err(Flaw::Dots("..")),
                name if is_short_name(name) => return Err(Flaw::ShortName(name.to_owned())),
                _ => {}
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the given path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the last name.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the directories above the file, the root (`""`) first, the file's own last.
    pub fn directories(&self) -> impl DoubleEndedIterator<Item = &str> {
        let ends: Vec<usize> = self.0.match_indices('/').map(|(at, _)| at).collect();
        std::iter::once("").chain(ends.into_iter().map(|end| &self.0[..end]))
    }

    /// Returns the first reserved name in the path.
    pub fn reserved(&self) -> Option<&str> {
        self.0.split('/').find(|name| is_reserved(name))
    }

    /// Returns the first of `patterns` that the path matches.
    pub fn matched<'a>(&self, patterns: &'a [Pattern]) -> Option<&'a Pattern> {
        let names: Vec<String> = self.0.split('/').map(folded).collect();
        patterns.iter().find(|pattern| pattern.matches(&names))
    }

    /// Tells whether the file would be git's `HEAD`, without which no directory is a repository.
    pub fn is_head(&self) -> bool {
        folded(self.name()) == "head"
    }
}

/// Tells whether a name is reserved, in any case.
pub(crate) fn is_reserved(name: &str) -> bool {
    let name = folded(name);
    RESERVED.iter().any(|names| names.contains(&name.as_str()))
}

/// A pattern of names: matched in any case, at any depth; `*` stands for any characters of a name,
/// and a pattern of several names matches them one below the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    names: Vec<String>,
}

impl Pattern {
    /// Parses a pattern; `None` if it has an empty name or is too long.
    pub fn parse(text: &str) -> Option<Self> {
        let names: Vec<String> = text.split('/').map(folded).collect();
        let is_fine =
            text.len() <= RESERVED_PATTERN_BYTES && names.iter().all(|name| !name.is_empty());
        is_fine.then(|| Self { text: text.to_owned(), names })
    }

    /// Returns the given pattern.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn matches(&self, names: &[String]) -> bool {
        let is_like =
            |(pattern, name): (&String, &String)| is_like(pattern.as_bytes(), name.as_bytes());
        names.windows(self.names.len()).any(|window| self.names.iter().zip(window).all(is_like))
    }
}

/// Tells whether a name matches a pattern, in which `*` stands for any bytes and each other byte
/// for itself.
pub(crate) fn is_like(pattern: &[u8], name: &[u8]) -> bool {
    let mut parts = pattern.split(|&byte| byte == b'*');
    let Some(rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    let Some(mut rest) = rest.strip_suffix(last) else { return false };
    for part in parts {
        let Some(at) = memchr::memmem::find(rest, part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Files that tools obey, separated by spaces. They may be read, but are not written unless the
/// sandbox allows it.
const OBEYED: &[&str] = &[
    // Shells, when they start.
    ".bash* .profile .zsh* .zprofile .zlogin .zlogout .cshrc .tcshrc .kshrc .mkshrc .login .logout",
    ".xprofile .xinitrc .xsession* .inputrc config.fish .config/fish .config/nushell",
    // Tools that enter a directory.
    ".envrc .direnvrc .direnv .mise* mise*.toml .config/mise* .rtx* .autoenv* .devenv*",
    // Editors, debuggers and interpreters, when they start.
    ".vimrc .nvimrc .exrc .gvimrc .nvim.lua .emacs .emacs.d .dir-locals*.el .gdbinit .lldbinit",
    ".duckdbrc .psqlrc .sqliterc .rprofile .irbrc .pryrc .pythonstartup .idea .fleet .zed",
    ".devcontainer* *.code-workspace .vim .nvim .config/nvim .config/zed .config/helix .ghci .iex.exs",
    ".pdbrc .ipython .jupyter .config/git .config/gh .config/systemd .config/autostart",
    // Programs that are installed beside the work, this server's own too.
    ".venv venv pyvenv.cfg site-packages dist-packages *.pth sitecustomize.py usercustomize.py",
    "node_modules/.bin *.duckdb_extension",
    // Package managers and builders.
    ".npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnpmfile.mjs .cargo .bazelrc .mvn .condarc",
    ".pypirc .pydistutils.cfg .gemrc .bundle .lfsconfig",
    // Services that build and deploy.
    ".github/workflows .github/actions .gitlab-ci.yml .circleci .gitea/workflows",
    ".forgejo/workflows .woodpecker* .drone.yml .travis.yml .buildkite .azure-pipelines",
    "azure-pipelines*.yml jenkinsfile",
    // Hooks of commits.
    ".pre-commit-config.yaml lefthook.* lefthook-* .lefthook* .githooks .github/hooks .lintstagedrc*",
    // Agents.
    "agent.md warp.md .kilocode* .devin .openhands .qoder .rovodev .github/skills .github/copilot*",
    "claude.md claude.local.md agents.md agents.override.md gemini.md qwen.md crush.md",
    ".cursorrules .windsurf* .cline* .gemini .kiro .roo* .continue* .opencode opencode.json*",
    ".agents .agent .qwen .crush* crush.json .junie .augment* .trae .goosehints .goose .aider*",
    ".amazonq .amp .factory .rules .github/copilot-instructions.md .github/agents",
    ".github/instructions .github/prompts .github/chatmodes",
];

/// Returns the patterns of files that tools obey.
pub fn obeyed() -> Vec<Pattern> {
    OBEYED.iter().flat_map(|names| names.split(' ')).filter_map(Pattern::parse).collect()
}

/// Returns a name as any system may read it: case is folded by all of Unicode (APFS takes `.vſcode`
/// for `.vscode`), and trailing dots and spaces, which FAT and NTFS drop, are removed.
fn folded(name: &str) -> String {
    let upper: String =
        name.trim_end_matches(['.', ' ']).chars().flat_map(char::to_uppercase).collect();
    upper.to_lowercase()
}

/// Tells whether a name has the form of a short name on FAT and NTFS: up to eight characters that
/// end in `~` and a number, and up to three after a dot.
fn is_short_name(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let number = stem.split_once('~').map_or("", |(_, number)| number);
    stem.chars().count() <= 8
        && extension.chars().count() <= 3
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_text_is_not_a_path() {
        let long = "x".repeat(PATH_NAME_BYTES + 1);
        let deep = "a/".repeat(PATH_BYTES / 2) + "ab";
        let table: &[(&str, Flaw)] = &[
            ("", Flaw::Empty),
            ("/", Flaw::EmptyName),
            ("/etc/passwd", Flaw::EmptyName),
            ("//server/share", Flaw::EmptyName),
            ("a//b", Flaw::EmptyName),
            ("a/", Flaw::EmptyName),
            (".", Flaw::Dots(".")),
            ("./a", Flaw::Dots(".")),
            ("a/./b", Flaw::Dots(".")),
            ("a/.", Flaw::Dots(".")),
            ("..", Flaw::Dots("..")),
            ("../a", Flaw::Dots("..")),
            ("a/../b", Flaw::Dots("..")),
            ("a/..", Flaw::Dots("..")),
            ("a\0b", Flaw::HardToSee('\0')),
            ("a\nb", Flaw::HardToSee('\n')),
            ("a\u{85}b", Flaw::HardToSee('\u{85}')),
            ("a\u{202e}b", Flaw::HardToSee('\u{202e}')),
            (".g\u{200c}it/config", Flaw::HardToSee('\u{200c}')),
            ("a\u{feff}", Flaw::HardToSee('\u{feff}')),
            ("a\u{a0}b", Flaw::HardToSee('\u{a0}')),
            ("a\u{2003}", Flaw::HardToSee('\u{2003}')),
            ("a\u{3000}", Flaw::HardToSee('\u{3000}')),
            ("a\u{2800}", Flaw::HardToSee('\u{2800}')),
            ("a\u{ad}b", Flaw::HardToSee('\u{ad}')),
            ("a\u{e0041}", Flaw::HardToSee('\u{e0041}')),
            ("..\\a", Flaw::Separator('\\')),
            ("C:/a", Flaw::Separator(':')),
            ("a.txt::$DATA", Flaw::Separator(':')),
            (".git::$INDEX_ALLOCATION/config", Flaw::Separator(':')),
            ("git~1/config", Flaw::ShortName("git~1".into())),
            ("a/MCP~1.JSO", Flaw::ShortName("MCP~1.JSO".into())),
            ("GI7EBA~2", Flaw::ShortName("GI7EBA~2".into())),
            (&long, Flaw::TooLong),
            (&deep, Flaw::TooLong),
        ];
        for (text, flaw) in table {
            assert_eq!(RelPath::parse(text).as_ref(), Err(flaw), "{text:?}");
        }
    }

    #[test]
    fn an_ordinary_name_is_neither_refused_nor_reserved() {
        for text in [
            "a",
            "a/b.c",
            "...",
            "..a",
            "a..",
            ".env",
            "-rf",
            "~",
            "~root",
            "a b",
            "café/日本.md",
            "a~",
            "notes~draft",
            "file.~1~",
            "aux.c",
            "%2e%2e",
            "a~1b",
            "longer-than-8~1",
            ".gitignore",
            ".github/x.yml",
            "git",
            "header",
        ] {
            let path = RelPath::parse(text).unwrap_or_else(|flaw| panic!("{text}: {flaw}"));
            assert_eq!(path.reserved(), None, "{text}");
        }
    }

    #[test]
    fn a_reserved_name_is_reserved_in_other_letters_too() {
        for text in [
            ".git",
            ".GIT/config",
            "a/.Git/hooks/pre-commit",
            ".git./config",
            ".git /config",
            ".git . ./x",
            ".gıt",
            ".mcp.json",
            "deep/in/.MCP.JSON",
            ".claude/settings.json",
            ".Codex/config.toml",
            ".curſor/mcp.json",
            ".vſcode/tasks.json",
            ".cursor",
            ".gitmodules",
            ".husky/pre-push",
            ".ssh/authorized_keys",
            ".Claude.json",
            ".redline-new",
            "a/.redline-new/x",
            "a/.Redline-patch/0",
        ] {
            assert!(RelPath::parse(text).unwrap().reserved().is_some(), "{text}");
        }
        for (text, is_head) in
            [("a/HEAD", true), ("Head.", true), ("HEAD/a", false), ("a/HEAD.txt", false)]
        {
            assert_eq!(RelPath::parse(text).unwrap().is_head(), is_head, "{text}");
        }
    }

    #[test]
    fn files_that_tools_obey_are_recognised_by_pattern() {
        let patterns = obeyed();
        assert_eq!(patterns.len(), OBEYED.join(" ").split(' ').count());
        for text in [
            ".envrc",
            "a/.BASHRC",
            ".zshrc",
            "CLAUDE.md",
            "x/Agents.MD",
            ".github/workflows/ci.yml",
            "a/.github/Workflows/x",
            ".idea/a",
            ".devcontainer.json",
            ".roo/x",
            ".rooignore",
            ".windsurfrules",
            ".pre-commit-config.yaml",
            ".envrc. ",
            ".cshrc",
            ".kshrc",
            ".login",
            ".config/fish/config.fish",
            ".xprofile",
            ".vimrc",
            "a/.exrc",
            ".gdbinit",
            ".duckdbrc",
            ".Rprofile",
            ".cargo/config.toml",
            ".yarnrc.yml",
            ".pnpmfile.cjs",
            ".bazelrc",
            ".mvn/extensions.xml",
            ".circleci/config.yml",
            ".gitea/workflows/x.yml",
            ".forgejo/workflows/x.yml",
            ".github/hooks/x.json",
            ".github/agents/x.md",
            ".github/instructions/x.md",
            ".zed/settings.json",
            ".continue/config.yaml",
            ".opencode/agent/x.md",
            ".agents/x.md",
            "AGENTS.override.md",
            "QWEN.md",
            ".qwen/settings.json",
            ".crush.json",
            ".junie/guidelines.md",
            ".augment/rules/x.md",
            ".trae/rules/x.md",
            ".goosehints",
            ".lfsconfig",
            "lefthook.yml",
            ".mise.toml",
            ".direnvrc",
        ] {
            assert!(RelPath::parse(text).unwrap().matched(&patterns).is_some(), "{text}");
        }
        for text in [
            "envrc",
            "bashrc",
            ".env",
            "CLAUDE.md.txt",
            "my-agents.md",
            ".github/x.yml",
            "workflows/ci.yml",
            ".github/a/workflows",
            ".ideas",
            "fish/completions.fish",
            "cargo/config.toml",
            "src/rules.rs",
            ".github/ISSUE_TEMPLATE/x.md",
            "vimrc",
        ] {
            assert_eq!(RelPath::parse(text).unwrap().matched(&patterns), None, "{text}");
        }
        for (pattern, name, matches) in [
            ("*", "a", true),
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "abcd", false),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
            ("**", "", true),
        ] {
            assert_eq!(is_like(pattern.as_bytes(), name.as_bytes()), matches, "{pattern} {name}");
        }
        assert_eq!((Pattern::parse(""), Pattern::parse("a//b")), (None, None));
    }

    #[test]
    fn every_directory_on_the_way_is_listed() {
        let path = RelPath::parse("a/b/c").unwrap();
        assert_eq!(path.directories().collect::<Vec<_>>(), ["", "a", "a/b"]);
        assert_eq!(path.name(), "c");
    }
}
