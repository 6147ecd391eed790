//! Attributes of random paths by random `.gitattributes` files, against `git check-attr`.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use redline_git::{ContentSource, DiffAttribute, Reader, Repositories, Repository};
use redline_sandbox::Access;

use crate::index_git::git;

/// Numbers that are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).expect("64 bits") % end
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn joined(&mut self, of: &[&str], most: usize) -> String {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.pick(of)).collect()
    }

    fn pattern(&mut self) -> String {
        const PARTS: [&str; 24] = [
            "a", "a", "b", "A", "B", "c", "*", "*", "**", "**/", "/**", "/", "/", "?", "[ab]",
            "[!a]", "[A-C]", "\\a", "\\*", "\\", ".c", "*.c", "[", "a b",
        ];
        let pattern = self.joined(&PARTS, 5);
        match self.below(8) {
            0 => format!("\"{}\"", pattern.replace('\\', "\\\\")),
            1 => format!("\"{}\\101\"", pattern.replace('\\', "")),
            2 => format!("\"{pattern}"),
            3 => format!("!{pattern}"),
            _ => pattern.replace(' ', ""),
        }
    }

    fn line(&mut self) -> String {
        const ASSIGNMENTS: [&str; 20] = [
            "diff",
            "-diff",
            "!diff",
            "diff=x",
            "diff=",
            "diff=a=b",
            "binary",
            "-binary",
            "!binary",
            "m",
            "-m",
            "n",
            "text",
            "linguist-generated",
            "-linguist-generated",
            "!linguist-generated",
            "linguist-generated=false",
            "linguist-generated=yes",
            "-diff=x",
            "other",
        ];
        let count = 1 + self.below(3);
        let mut words: Vec<&str> = (0..count).map(|_| self.pick(&ASSIGNMENTS)).collect();
        if self.below(30) == 0 {
            words.push(self.pick(&["no/name", "--", "=x", "-", "builtin_objectmode", "\u{e9}"]));
        }
        let words = words.join(self.pick(&[" ", "\t", "  ", " \r "]));
        let start = match self.below(8) {
            0 => format!("[attr]{}", self.pick(&["m", "n", "binary", "diff", " m", "", "-"])),
            1 if self.below(4) == 0 => "# comment".to_owned(),
            _ => self.pattern(),
        };
        let end = self.pick(&["\n", "\n", "\n", "\r\n", " \n"]);
        format!("{}{start} {words}{end}", self.pick(&["", "", "", " ", "\t"]))
    }

    fn file(&mut self) -> String {
        let count = self.below(10);
        let mut text: String = (0..count).map(|_| self.line()).collect();
        if self.below(20) == 0 {
            writeln!(text, "* {}diff", "x ".repeat(1020)).unwrap();
        }
        if self.below(10) == 0 {
            text.insert(0, '\u{feff}');
        }
        text
    }

    fn path(&mut self) -> String {
        const NAMES: [&str; 12] =
            ["a", "b", "A", "B", "c", "ab", "aB", "a.c", "b.C", ".c", "abc", "a b"];
        let directories = ["", "", "a/", "b/", "a/b/", "A/", "a/a/", "b/a/b/"];
        format!("{}{}", self.pick(&directories), self.pick(&NAMES))
    }
}

/// Returns what redline and git say of each path, in one form.
fn both(repo: &Path, paths: &[String]) -> [Vec<String>; 2] {
    let access = Arc::new(Access::new(true, &[]));
    let repositories = Arc::new(Repositories::default());
    let given = repo.to_str().expect("UTF-8");
    let repository =
        Repository::open(given, &access, &repositories, 1 << 20).expect("a repository");
    let mut reader = Reader::new(&ContentSource::of_objects(&repository));
    let ours = paths.iter().map(|path| {
        let found = reader.attributes(path.as_bytes()).expect("attributes");
        let driver = found.driver.map(|name| String::from_utf8_lossy(&name).into_owned());
        let diff = match (found.diff, driver) {
            (_, Some(driver)) => driver,
            (DiffAttribute::Set, None) => "set".to_owned(),
            (DiffAttribute::Unset, None) => "unset".to_owned(),
            (DiffAttribute::Unspecified, None) => "unspecified".to_owned(),
        };
        format!("{path} {diff} {:?}", found.generated)
    });
    let out = git(
        repo,
        &["check-attr", "--stdin", "-z", "diff", "linguist-generated"],
        &paths.join("\0"),
    );
    let out = String::from_utf8(out).expect("UTF-8");
    let words: Vec<&str> = out.split('\0').collect();
    let theirs = words.chunks_exact(6).map(|six| {
        let generated = match six[5] {
            "unspecified" => None,
            "unset" | "false" => Some(false),
            _ => Some(true),
        };
        format!("{} {} {generated:?}", six[0], six[2])
    });
    [ours.collect(), theirs.collect()]
}

#[test]
fn attributes_of_random_patterns_are_those_of_git() {
    let temp = tempfile::tempdir().expect("a directory");
    let repo = temp.path();
    git(repo, &["init", "--quiet"], "");
    for directory in ["a/b", "A", "a/a", "b/a/b"] {
        fs::create_dir_all(repo.join(directory)).expect("a directory");
    }
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut specified = 0;
    for round in 0..240 {
        if round % 120 == 0 {
            git(
                repo,
                &["config", "core.ignoreCase", if round == 0 { "false" } else { "true" }],
                "",
            );
        }
        let mut shown = String::new();
        for file in [
            ".gitattributes",
            "a/.gitattributes",
            "a/b/.gitattributes",
            "b/.gitattributes",
            ".git/info/attributes",
        ] {
            let text = random.file();
            write!(shown, "== {file}\n{text}").unwrap();
            fs::write(repo.join(file), text).expect("a file");
        }
        let paths: Vec<String> = (0..60).map(|_| random.path()).collect();
        let [ours, theirs] = both(repo, &paths);
        specified += theirs.iter().filter(|line| !line.ends_with("unspecified None")).count();
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours, theirs, "round {round}, ours left\n{shown}");
        }
    }
    assert!(specified > 5_000, "{specified}: too few patterns matched");
}
