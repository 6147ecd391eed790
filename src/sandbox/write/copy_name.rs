//! Names of files that DuckDB's readers take as they are written.

/// Bytes of a name, below what file systems take.
const MOST: usize = 200;
/// Bytes at the end of a name that are kept: its ending says the format.
const ENDING: usize = 40;
/// Names that mean devices on some systems, whatever their ending is.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns the last part of a path as the name of a copy: one that no reader takes for a pattern,
/// a directory, a device or a hidden file, with the same ending. Other characters than letters,
/// digits and `. - + = @ , ~` and spaces become `_`; a long name loses its middle.
pub fn copy_name(path: &[u8]) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let name: String = String::from_utf8_lossy(name)
        .chars()
        .map(|c| if c.is_alphanumeric() || ".-+=@,~ _".contains(c) { c } else { '_' })
        .collect();
    let mut name = name.trim_matches(' ').to_owned();
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let letters = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_device = DEVICES.contains(&letters) && stem.len() <= letters.len() + 1;
    if name.is_empty() || name.starts_with(['.', '~', '-']) || is_device {
        name.insert(0, '_');
    }
    if name.len() > MOST {
        let (start, end) =
            (name.floor_char_boundary(MOST - ENDING), name.ceil_char_boundary(name.len() - ENDING));
        name.replace_range(start..end, "_");
    }
    name
}

/// Tells whether DuckDB opens exactly the file of a path: its readers take some characters for
/// patterns.
pub fn is_read_as_written(path: &str) -> bool {
    !path.contains(['*', '?', '[', ']', '{', '}', '\\']) && !path.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_ending_and_cannot_mean_anything_else() {
        for (path, name) in [
            ("data/prices.csv", "prices.csv"),
            ("a.tsv.gz", "a.tsv.gz"),
            ("größe 日本.json", "größe 日本.json"),
            ("a*b?[c]{d}\\e.csv", "a_b__c__d__e.csv"),
            (".hidden.csv", "_.hidden.csv"),
            ("~/x/~.csv", "_~.csv"),
            ("-rf.csv", "_-rf.csv"),
            ("..", "_.."),
            (".", "_."),
            ("a/", "_"),
            ("nul", "_nul"),
            ("CON.csv", "_CON.csv"),
            ("com1.json", "_com1.json"),
            ("com12.json", "com12.json"),
            ("console.csv", "console.csv"),
            ("a\nb\u{202e}c\u{7f}:d|e.csv", "a_b_c__d_e.csv"),
            ("s3:x'y\"z;.csv", "s3_x_y_z_.csv"),
        ] {
            assert_eq!(copy_name(path.as_bytes()), name, "{path:?}");
        }
        assert_eq!(copy_name(b"a\xff.csv"), "a_.csv");
        let long = format!("{}.csv.gz", "日".repeat(1000));
        let name = copy_name(long.as_bytes());
        assert!(name.len() <= MOST + 8 && name.ends_with("日.csv.gz"), "{name}");
    }
}
