//! The readers of files of data, and the calls that give them files at a revision.

use super::literal;

/// The readers, by the endings that they read. For one whose extension is not loaded, DuckDB says
/// what to install.
const READERS: &[(Reader, &[&str])] = &[
    (Reader { name: "read_csv", is_built_in: true }, &[".csv", ".tsv"]),
    (Reader { name: "read_json", is_built_in: true }, &[".json", ".jsonl", ".ndjson"]),
    (Reader { name: "read_parquet", is_built_in: true }, &[".parquet"]),
    (Reader { name: "read_xlsx", is_built_in: false }, &[".xlsx"]),
    (Reader { name: "read_avro", is_built_in: false }, &[".avro"]),
    (Reader { name: "ST_Read", is_built_in: false }, &[".geojson", ".gpkg", ".fgb", ".kml"]),
];

/// The endings of compression, which two readers know.
const COMPRESSED: [&str; 3] = ["", ".gz", ".zst"];
/// The readers of compressed files.
const DECOMPRESSING: [&str; 2] = ["read_csv", "read_json"];

/// A table function of DuckDB that reads files of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    /// The name of the function.
    pub name: &'static str,
    /// Whether DuckDB has it without an extension.
    pub is_built_in: bool,
}

impl Reader {
    /// Returns the reader of a file by the ending of its name, in any case.
    pub fn of(file: &str) -> Option<Self> {
        let file = file.to_ascii_lowercase();
        READERS.iter().find_map(|(reader, endings)| {
            let is_decompressing = DECOMPRESSING.contains(&reader.name);
            let compressed = if is_decompressing { &COMPRESSED[..] } else { &COMPRESSED[..1] };
            let is_read = compressed.iter().any(|end| {
                let stem = file.strip_suffix(end).unwrap_or_default();
                endings.iter().any(|ending| stem.ends_with(ending))
            });
            is_read.then_some(*reader)
        })
    }
}

/// Tells whether a name of files is a glob.
pub fn is_glob(files: &str) -> bool {
    files.contains(['*', '?', '['])
}

/// Returns the call that gives the paths of files at a revision of a repository: of one, or of all
/// of a glob.
pub fn paths_at(files: &str, revision: &str, repo: &str) -> String {
    let function = if is_glob(files) { "files_at" } else { "file_at" };
    let [files, revision, repo] = [files, revision, repo].map(literal);
    format!("system.main.{function}({files}, {revision}, {repo})")
}
