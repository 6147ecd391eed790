//! Makes large repetitive files and edits them: where git's shortcuts decide what is shown.

use super::random::Random;

/// The kinds of files.
pub const KINDS: [&str; 6] = ["json", "csv", "log", "dictionary", "two_symbols", "sections"];

/// Returns a pair of files of 30,000 to 60,000 lines.
pub fn pair(kind: &str, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let r = &mut Random::new(seed * 31 + kind.len() as u64);
    let count = 30_000 + r.below(30_000);
    let mut old = Vec::new();
    while old.len() < count {
        record(kind, r, &mut old);
    }
    let mut new = old.clone();
    // Few large edits, then many small ones, so that the edit cost passes every threshold.
    for _ in 0..3 + r.below(6) {
        let (from, to, length) = (r.below(new.len()), r.below(new.len()), r.below(3000));
        let block: Vec<_> = new.drain(from..(from + length).min(new.len())).collect();
        let to = to.min(new.len());
        if r.one_in(3) {
            new.splice(to..to, block.iter().rev().cloned());
        } else {
            new.splice(to..to, block);
        }
    }
    let edits = new.len() / (4 + r.below(40));
    for _ in 0..edits {
        let at = r.below(new.len());
        match r.below(3) {
            0 => drop(new.remove(at)),
            1 => {
                let mut fresh = Vec::new();
                record(kind, r, &mut fresh);
                new.splice(at..at, fresh);
            }
            _ => {
                let mut fresh = Vec::new();
                record(kind, r, &mut fresh);
                new[at] = fresh.swap_remove(r.below(fresh.len()));
            }
        }
    }
    (join(&old), join(&new))
}

fn join(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}

fn record(kind: &str, r: &mut Random, to: &mut Vec<String>) {
    match kind {
        "json" => {
            to.extend([
                "  {".to_owned(),
                format!("    \"id\": {},", r.below(5000)),
                format!("    \"kind\": \"{}\",", r.below(12)),
            ]);
            to.extend([format!("    \"on\": {}", r.one_in(2)), "  },".to_owned()]);
        }
        "csv" => to.push(format!("{},{},{}", r.below(300), r.below(7), r.below(3))),
        "log" => to.push(format!(
            "{} {}",
            r.pick(&["INFO", "WARN", "ERROR"]),
            r.pick(&[
                "started",
                "stopped",
                "retry",
                "timeout",
                "connection reset",
                "accepted",
                "queue full"
            ])
        )),
        "dictionary" => to.push(format!(
            "{}{}{}",
            r.pick(&["ba", "de", "ki"]),
            r.pick(&["lo", "mu", "ra", "ti"]),
            r.below(90)
        )),
        "two_symbols" => to.push(format!("{}", r.below(2))),
        _ => {
            to.push(format!("[section {}]", r.below(400)));
            to.extend((0..r.below(30)).map(|i| format!("key{i} = {}", i % 4)));
            to.push(String::new());
        }
    }
}
