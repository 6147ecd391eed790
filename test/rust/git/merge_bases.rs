//! Merge bases of random histories against `git merge-base --all`.
//!
//! `REDLINE_HISTORIES` sets how many histories there are.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use redline_git::{Repositories, Repository, merge_bases};
use redline_sandbox::Access;

/// How many histories are compared unless the environment says otherwise.
const HISTORIES: usize = 400;

/// A sequence of numbers that is the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("a small number")
    }
}

fn git(repo: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(repo)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// Writes histories of 6 to 16 commits with branches `h<history>-<commit>`; returns how many
/// commits each has.
fn write(repo: &Path, histories: usize) -> Vec<usize> {
    let made = git(repo).args(["init", "--quiet", "--bare", "."]).status().expect("git runs");
    assert!(made.success());
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut stream = String::new();
    let mut sizes = Vec::new();
    for history in 0..histories {
        let size = 6 + dice.below(11);
        // All of one second, a few ties, clocks that run backwards, or in order.
        let clock = dice.below(4);
        for commit in 0..size {
            let date = 1_700_000_000
                + match clock {
                    0 => 0,
                    1 => commit / 3,
                    2 => dice.below(20),
                    _ => commit,
                };
            let mark = history * 100 + commit + 1;
            stream += &format!("commit refs/heads/h{history}-{commit}\nmark :{mark}\n");
            stream += &format!(
                "committer A <a@b> {date} +0000\ndata {}\n{mark}\n",
                mark.to_string().len()
            );
            // Some are roots, some have up to four parents.
            let parents = if commit == 0 || dice.below(12) == 0 {
                0
            } else {
                1 + [0, 1, 1, 1, 1, 2, 3][dice.below(7)]
            };
            let mut named: Vec<usize> = Vec::new();
            for _ in 0..parents {
                let near = commit.min(6);
                let parent = commit - 1 - dice.below(near);
                if !named.contains(&parent) {
                    let word = if named.is_empty() { "from" } else { "merge" };
                    stream += &format!("{word} :{}\n", history * 100 + parent + 1);
                    named.push(parent);
                }
            }
            if named.is_empty() {
                // Without it a commit goes on from what its branch is.
                stream += "deleteall\n";
            }
            stream += "\n";
        }
        sizes.push(size);
    }
    let mut import =
        git(repo).args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git runs");
    import.stdin.take().expect("a pipe").write_all(stream.as_bytes()).expect("git reads");
    assert!(import.wait().expect("git ends").success());
    sizes
}

#[test]
fn merge_bases_are_those_of_git_in_its_order() {
    let histories = std::env::var("REDLINE_HISTORIES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(HISTORIES);
    let temp = tempfile::tempdir().expect("a directory");
    let sizes = write(temp.path(), histories);
    let packed = git(temp.path()).args(["pack-refs", "--all"]).status().expect("git runs");
    assert!(packed.success());
    let access = Arc::new(Access::new(true, &[]));
    let path = temp.path().to_str().expect("UTF-8");
    let repository = Repository::open(path, &access, &Arc::new(Repositories::default()), 1 << 20)
        .expect("it opens");
    let listed =
        git(temp.path()).args(["for-each-ref", "--format=%(refname:short) %(objectname)"]).output();
    let listed = String::from_utf8(listed.expect("git runs").stdout).expect("UTF-8");
    let ids: std::collections::HashMap<&str, &str> =
        listed.lines().filter_map(|line| line.split_once(' ')).collect();
    let mut dice = Dice(7);
    let (mut several, mut wrong) = (0, Vec::new());
    // Two pairs of each.
    for (history, size) in sizes.into_iter().enumerate().flat_map(|history| [history, history]) {
        // The last commits have the most in common.
        let [one, two] = [dice.below(4), 1 + dice.below(5)]
            .map(|back| ids[format!("h{history}-{}", size - 1 - back).as_str()]);
        let output =
            git(temp.path()).args(["merge-base", "--all", one, two]).output().expect("git runs");
        let wanted: Vec<String> =
            String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect();
        let found = merge_bases(&repository, one, two).expect("merge bases");
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        several += usize::from(wanted.len() > 1);
        if found != wanted {
            wrong
                .push(format!("history {history}: {one} {two}: git {wanted:?}, redline {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(several * 20 > histories, "only {several} pairs have several merge bases");
}
