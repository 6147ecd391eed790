//! Compares pairs of texts in a loop, without DuckDB, and prints the seconds it took and the bytes it wrote: what
//! `unified_diff` over a table is held against.
//!
//! `text_pairs (redline | similar | imara) <file>`; the file holds a JSON array of pairs.

use std::time::Instant;
use std::{env, fs, process};

use imara_diff::{Algorithm, BasicLineDiffPrinter, InternedInput, UnifiedDiffConfig};
use redline_text::unified::unified_diff;
use redline_text::{CancelToken, Diff, DiffOptions, Engine};
use similar::TextDiff;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [engine, path] = &arguments[..] else {
        eprintln!("text_pairs (redline | similar | imara) <file>");
        process::exit(2);
    };
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let pairs: Vec<[String; 2]> = serde_json::from_str(&text).expect("an array of pairs");
    let start = Instant::now();
    let bytes: usize = match engine.as_str() {
        "similar" => pairs.iter().map(|[a, b]| with_similar(a, b)).sum(),
        "imara" => pairs.iter().map(|[a, b]| with_imara(a, b)).sum(),
        _ => {
            let mut engine = Engine::default();
            pairs.iter().map(|[a, b]| with_redline(&mut engine, a, b)).sum()
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds} {bytes}");
}

fn with_redline(engine: &mut Engine, a: &str, b: &str) -> usize {
    let diff = Diff::new(
        engine,
        a.as_bytes(),
        b.as_bytes(),
        &DiffOptions::default(),
        &CancelToken::never(),
    );
    unified_diff(&diff.expect("texts that fit"), b"a", b"b", &CancelToken::never())
        .expect("no limit")
        .len()
}

fn with_similar(a: &str, b: &str) -> usize {
    TextDiff::from_lines(a, b).unified_diff().header("a", "b").to_string().len()
}

fn with_imara(a: &str, b: &str) -> usize {
    let input = InternedInput::new(a, b);
    let mut diff = imara_diff::Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let printer = BasicLineDiffPrinter(&input.interner);
    diff.unified_diff(&printer, UnifiedDiffConfig::default(), &input).to_string().len()
}
