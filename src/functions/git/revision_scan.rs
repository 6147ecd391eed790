//! `FROM 'data/prices.csv@HEAD~1'`: files of a revision as a table, by the reader of their ending,
//! from the repository of the current directory.
//!
//! git's own notation, `HEAD~1:data/map.geojson`, is taken where DuckDB asks: it gives a name that
//! ends in `.csv`, `.json` or `.parquet` to its own readers before it asks an extension.

use crate::ffi::ReplacementScan;
use redline_sandbox::is_free_name;
use redline_text::data_sql::literal;
use redline_text::data_sql::reader::{Reader, is_glob, paths_at};

/// The replacement of table names that are files at a revision.
pub struct RevisionScan;

impl ReplacementScan for RevisionScan {
    /// Its argument is bound as a query, so that the paths are computed then, with all checks.
    const FUNCTION: &'static str = "query";

    fn arguments(table: &str) -> Option<Vec<Option<String>>> {
        let (reader, file, rev) = parts(table)?;
        is_free_name(table).then(|| vec![Some(query(reader, file, rev))])
    }
}

/// Returns the reader, the file and the revision of a name; `None` for other names.
fn parts(name: &str) -> Option<(&'static str, &str, &str)> {
    let reader = |file| Some(Reader::of(file)?.name);
    let at = |(at, _)| Some((reader(&name[..at])?, &name[..at], &name[at + 1..]));
    let after_colon = || {
        let (rev, file) = name.split_once(':')?;
        Some((reader(file)?, file, rev))
    };
    let (reader, file, rev) = name.match_indices('@').find_map(at).or_else(after_colon)?;
    // A range names changes, a scheme another file system, and a path from the root no repository.
    let is_meant = !rev.is_empty()
        && !rev.contains("..")
        && !name.contains("://")
        && !name.contains(char::is_control)
        && !file.starts_with('/');
    is_meant.then_some((reader, file, rev))
}

/// Returns the query that reads the files.
fn query(reader: &str, file: &str, rev: &str) -> String {
    let missing = literal(&format!(
        "not_found: there is no file {} at {}. Paths start at the root of the repository of the current directory.",
        literal(file),
        literal(rev)
    ));
    let paths = paths_at(file, rev, ".");
    let paths = if is_glob(file) { format!("nullif({paths}, [])") } else { paths };
    format!("FROM {reader}(coalesce({paths}, system.main.error({missing})))")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_at_a_revision_is_recognised_by_its_ending() {
        for (name, wanted) in [
            ("a.csv@HEAD~1", ("read_csv", "a.csv", "HEAD~1")),
            ("data/a.CSV@v1.0", ("read_csv", "data/a.CSV", "v1.0")),
            ("a.tsv.gz@main", ("read_csv", "a.tsv.gz", "main")),
            ("a.ndjson.zst@main", ("read_json", "a.ndjson.zst", "main")),
            ("data/*.parquet@v1.0", ("read_parquet", "data/*.parquet", "v1.0")),
            ("./a.json@INDEX", ("read_json", "./a.json", "INDEX")),
            ("a.xlsx@@", ("read_xlsx", "a.xlsx", "@")),
            ("a@b.csv@main@{1}", ("read_csv", "a@b.csv", "main@{1}")),
            ("a.geojson@:/fix", ("ST_Read", "a.geojson", ":/fix")),
            ("a b's.csv@{1 day ago}", ("read_csv", "a b's.csv", "{1 day ago}")),
            ("HEAD~1:a.geojson", ("ST_Read", "a.geojson", "HEAD~1")),
            ("HEAD@{1}:data/*.xlsx", ("read_xlsx", "data/*.xlsx", "HEAD@{1}")),
        ] {
            assert_eq!(parts(name), Some(wanted), "{name}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            "",
            "a.csv",
            "a.csv@",
            ":a.csv",
            "HEAD~1:a.txt",
            "HEAD~1:/a.csv",
            "main..feature:a.csv",
            "s3://bucket/a.csv",
            "a.txt@HEAD",
            "a.parquet.gz@HEAD",
            "a.csv@main..feature",
            "s3://bucket/a.csv@HEAD",
            "https://me@host/a.csv@1",
            "/tmp/a.csv@HEAD",
            "user@host",
            "csv@HEAD",
            "a.csv\n@HEAD",
        ] {
            assert_eq!(parts(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_stays_within_its_quotes() {
        let text = query("read_csv", "a'); DROP TABLE t; --.csv", "x'y");
        assert!(text.starts_with(
            "FROM read_csv(coalesce(system.main.file_at('a''); DROP TABLE t; --.csv', 'x''y', '.'), system.main.error('not_found: there is no file ''a''''); DROP"
        ), "{text}");
    }
}
