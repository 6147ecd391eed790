//! Asks git for the headers of hunks, and makes our own of the same texts.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use redline_text::engine::{CancelToken, Engine, Options};
use redline_text::hunk::hunks;
use redline_text::lines::Lines;
use redline_text::section::{Finder, Sections};

/// What git is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub context: u32,
    pub inter_hunk_context: u32,
    pub ignore_blank_lines: bool,
}

/// Which driver a file has.
pub enum Attributes<'a> {
    All(&'a str),
    ByLanguage,
}

/// The languages of the files that are compared by language.
const LANGUAGES: [(&str, &str); 44] = [
    ("adb", "ada"),
    ("ads", "ada"),
    ("sh", "bash"),
    ("bash", "bash"),
    ("bib", "bibtex"),
    ("c", "cpp"),
    ("h", "cpp"),
    ("cc", "cpp"),
    ("cpp", "cpp"),
    ("hpp", "cpp"),
    ("cs", "csharp"),
    ("css", "css"),
    ("scss", "css"),
    ("dts", "dts"),
    ("dtsi", "dts"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("f", "fortran"),
    ("f90", "fortran"),
    ("fountain", "fountain"),
    ("go", "golang"),
    ("html", "html"),
    ("htm", "html"),
    ("java", "java"),
    ("kt", "kotlin"),
    ("md", "markdown"),
    ("matlab", "matlab"),
    ("m", "objc"),
    ("mm", "objc"),
    ("pas", "pascal"),
    ("pl", "perl"),
    ("pm", "perl"),
    ("pod", "perl"),
    ("t", "perl"),
    ("php", "php"),
    ("py", "python"),
    ("pyi", "python"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("scm", "scheme"),
    ("rkt", "scheme"),
    ("tex", "tex"),
    ("sty", "tex"),
    ("ss", "scheme"),
];

impl Attributes<'_> {
    fn file(&self) -> String {
        match self {
            Self::All(driver) => format!("* diff={driver}\n"),
            Self::ByLanguage => LANGUAGES
                .map(|(extension, driver)| format!("*.{extension} diff={driver}\n"))
                .concat(),
        }
    }

    fn driver(&self, path: &str) -> Option<&str> {
        match self {
            Self::All(driver) => Some(driver),
            Self::ByLanguage => {
                let extension = path.rsplit_once('.')?.1;
                LANGUAGES.iter().find(|(of, _)| *of == extension).map(|(_, driver)| *driver)
            }
        }
    }
}

/// What was compared.
#[derive(Default)]
pub struct Tally {
    files: usize,
    hunks: usize,
    /// Hunks whose heading is not the one of the hunk before.
    found: usize,
    by_driver: BTreeMap<String, usize>,
    pub differing: Vec<String>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, hunks, found, by_driver, differing } = self;
        write!(f, "{files} files, {hunks} headers, {found} headings, {} differ", differing.len())?;
        if by_driver.len() > 1 { write!(f, "; {by_driver:?}") } else { Ok(()) }
    }
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.hunks += other.hunks;
        self.found += other.found;
        self.differing.extend(other.differing);
        for (driver, hunks) in other.by_driver {
            *self.by_driver.entry(driver).or_default() += hunks;
        }
    }

    /// Holds our headers of a file's hunks against git's.
    fn compare(
        &mut self,
        engine: &mut Engine,
        file: &File<'_>,
        sides: [&[u8]; 2],
        driver: Option<&str>,
        case: Case,
    ) {
        let ours = headers(engine, sides, driver, case);
        self.files += 1;
        self.hunks += file.headers.len();
        *self.by_driver.entry(driver.unwrap_or("none").to_owned()).or_default() +=
            file.headers.len();
        let behind = |header: &[u8]| {
            header.iter().skip(3).skip_while(|&&byte| byte != b'@').copied().collect::<Vec<_>>()
        };
        self.found += ours.windows(2).filter(|two| behind(&two[0]) != behind(&two[1])).count();
        if ours.len() != file.headers.len() {
            self.differing.push(format!(
                "{}: {} and not {} hunks",
                file.path,
                ours.len(),
                file.headers.len()
            ));
        }
        for (ours, theirs) in
            ours.iter().zip(&file.headers).filter(|(ours, theirs)| ours != *theirs)
        {
            let (ours, theirs, above) =
                (ours.escape_ascii(), theirs.escape_ascii(), line_above(theirs, sides[0]));
            let path = &file.path;
            self.differing.push(format!(
                "{path} {driver:?}\n  ours  {ours}\n  git   {theirs}\n  above {above}"
            ));
        }
    }
}

/// Returns the old side's line above a hunk, to be read.
fn line_above(header: &[u8], old: &[u8]) -> String {
    let digits = header[4..].iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
    let line = old.split(|&byte| byte == b'\n').nth(number.saturating_sub(2)).unwrap_or_default();
    line.escape_ascii().to_string()
}

/// Prints the headers of the hunks of two texts.
fn headers(
    engine: &mut Engine,
    sides: [&[u8]; 2],
    driver: Option<&str>,
    case: Case,
) -> Vec<Vec<u8>> {
    let cancel = CancelToken::never();
    let [old, new] = sides.map(|side| Lines::split(side, &cancel).unwrap());
    let options = Options {
        trim_tail: case.context == 0,
        is_lowest: false,
        ignore_blank_lines: case.ignore_blank_lines,
        ..Options::default()
    };
    let changes = engine.diff(&old, &new, &options, &cancel).unwrap();
    let default = Sections::default_rule();
    let sections = driver.and_then(|name| Sections::driver(name.as_bytes())).unwrap_or(&default);
    let mut finder = Finder::new(sections, &old, &cancel);
    let numbers = |range: &std::ops::Range<u32>| match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        lines => format!("{},{lines}", range.start + 1),
    };
    let (old_len, new_len) = (old.len() as u32, new.len() as u32);
    let hunks =
        hunks(&changes, old_len, new_len, Some(case.context), case.inter_hunk_context, &cancel)
            .unwrap();
    let header = |hunk| {
        let redline_text::hunk::Hunk { old, new, .. } = &hunk;
        let mut header = format!("@@ -{} +{} @@", numbers(old), numbers(new)).into_bytes();
        if let Some(heading) = finder.heading(&hunk).unwrap() {
            header.push(b' ');
            header.extend_from_slice(heading);
        }
        header
    };
    hunks.into_iter().map(header).collect()
}

/// A file of git's output.
struct File<'o> {
    path: String,
    blobs: Option<[String; 2]>,
    headers: Vec<&'o [u8]>,
}

fn files(output: &[u8]) -> Vec<File<'_>> {
    let mut files: Vec<File<'_>> = Vec::new();
    for line in output.split(|&byte| byte == b'\n') {
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            let path = String::from_utf8_lossy(names).rsplit(" b/").next().unwrap().to_owned();
            files.push(File { path, blobs: None, headers: Vec::new() });
        } else if let Some(file) = files.last_mut() {
            if line.starts_with(b"@@ ") {
                file.headers.push(line);
            } else if let Some(names) = line.strip_prefix(b"index ") {
                let names = String::from_utf8_lossy(names);
                let (old, new) = names.split(' ').next().unwrap().split_once("..").unwrap();
                file.blobs = Some([old.to_owned(), new.to_owned()]);
            }
        }
    }
    files
}

/// Returns a git that no configuration of the machine or the user reaches, in the locale that the
/// rules are of.
fn git(dir: &Path, attributes: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
        .env("LC_ALL", "C.UTF-8")
        .arg("-c")
        .arg(format!("core.attributesFile={}", attributes.display()));
    command
}

fn arguments(case: Case) -> Vec<String> {
    let fixed = ["--text", "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv"];
    let mut arguments: Vec<String> = fixed.map(str::to_owned).into();
    arguments.push(format!("-U{}", case.context));
    arguments.push(format!("--inter-hunk-context={}", case.inter_hunk_context));
    arguments.extend(case.ignore_blank_lines.then(|| "--ignore-blank-lines".to_owned()));
    arguments
}

/// Compares the files of the same name below `a` and `b`.
pub fn compare_trees(dir: &Path, attributes: &Attributes<'_>, case: Case) -> Tally {
    let file = dir.join("attributes");
    fs::write(&file, attributes.file()).unwrap();
    let output = git(dir, &file)
        .args(["diff", "--no-index"])
        .args(arguments(case))
        .args(["a", "b"])
        .output()
        .unwrap();
    assert!(output.status.code() < Some(2), "git: {}", String::from_utf8_lossy(&output.stderr));
    let (mut tally, mut engine) = (Tally::default(), Engine::default());
    for file in files(&output.stdout) {
        let name = file.path.rsplit('/').next().unwrap();
        let [old, new] = ["a", "b"].map(|side| fs::read(dir.join(side).join(name)).unwrap());
        tally.compare(&mut engine, &file, [&old, &new], attributes.driver(name), case);
    }
    tally
}

/// Compares the modified files of the last `commits` commits.
pub fn compare_commits(
    repository: &Path,
    commits: u64,
    attributes: &Attributes<'_>,
    case: Case,
) -> Tally {
    let file = repository.join("attributes");
    fs::write(&file, attributes.file()).unwrap();
    let log = git(repository, &file)
        .args([
            "log",
            "--no-merges",
            "--format=commit %H",
            "-p",
            "--full-index",
            "--diff-filter=M",
            &format!("-{commits}"),
        ])
        .args(arguments(case))
        .output()
        .unwrap();
    assert!(log.status.success());
    let mut child = git(repository, &file)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut asked, mut answers) =
        (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut known: HashMap<String, Vec<u8>> = HashMap::new();
    let (mut tally, mut engine) = (Tally::default(), Engine::default());
    for file in files(&log.stdout) {
        let Some(blobs) = file.blobs.as_ref().filter(|_| !file.headers.is_empty()) else {
            continue;
        };
        for name in blobs {
            known.entry(name.clone()).or_insert_with(|| read_blob(name, &mut asked, &mut answers));
        }
        let sides = blobs.each_ref().map(|name| &known[name][..]);
        tally.compare(&mut engine, &file, sides, attributes.driver(&file.path), case);
    }
    drop(asked);
    child.wait().unwrap();
    tally
}

fn read_blob(name: &str, asked: &mut impl Write, answers: &mut impl BufRead) -> Vec<u8> {
    writeln!(asked, "{name}").unwrap();
    let mut header = String::new();
    answers.read_line(&mut header).unwrap();
    let size: usize = header.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
    let mut bytes = vec![0; size + 1];
    answers.read_exact(&mut bytes).unwrap();
    bytes.pop();
    bytes
}
