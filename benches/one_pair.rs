//! Compares two files and prints what `git diff --numstat` counts, so that both can be timed as processes.
//!
//! `one_pair [--cancel] <algorithm> <old> <new>`; with `--cancel` it prints how long the comparison goes on after it
//! was asked to stop, at the worst of many moments.

use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use redline_base::budget::Budget;
use redline_text::{Algorithm, CancelToken, Diff, DiffOptions, Engine};

/// Moments at which a comparison is cancelled, spread over the time that it takes.
const MOMENTS: u32 = 40;

fn main() {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let is_cancel = arguments.first().is_some_and(|first| first == "--cancel");
    arguments.drain(..usize::from(is_cancel));
    let [algorithm, old, new] = &arguments[..] else {
        eprintln!("one_pair [--cancel] <algorithm> <old> <new>");
        process::exit(2);
    };
    let algorithm = match algorithm.as_str() {
        "minimal" => Algorithm::Minimal,
        "patience" => Algorithm::Patience,
        "histogram" => Algorithm::Histogram,
        _ => Algorithm::Myers,
    };
    let [old, new] =
        [old, new].map(|path| fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}")));
    let options = DiffOptions { algorithm, ..DiffOptions::default() };
    let start = Instant::now();
    let diff = Diff::new(&mut Engine::default(), &old, &new, &options, &CancelToken::never())
        .expect("texts that fit");
    let whole = start.elapsed();
    println!("{}\t{}", diff.additions(), diff.deletions());
    if is_cancel {
        let worst = (1..MOMENTS)
            .filter_map(|moment| cancelled(&old, &new, &options, whole * moment / MOMENTS))
            .max();
        println!("{:.1} ms of {whole:.1?}", worst.unwrap_or_default().as_secs_f64() * 1000.0);
    }
}

/// Returns how long a comparison goes on that is asked to stop after `delay`; nothing when it ends before.
fn cancelled(old: &[u8], new: &[u8], options: &DiffOptions, delay: Duration) -> Option<Duration> {
    let budget = Budget::default();
    thread::scope(|scope| {
        let asked = scope.spawn(|| {
            thread::sleep(delay);
            budget.cancel();
            Instant::now()
        });
        let is_stopped =
            Diff::new(&mut Engine::default(), old, new, options, &CancelToken::of(&budget))
                .is_err();
        let end = Instant::now();
        let asked = asked.join().expect("the thread that asks");
        is_stopped.then(|| end.duration_since(asked))
    })
}
