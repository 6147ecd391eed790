//! Paths as other tools spell them, for suggestions: only text, no file is accessed.

/// Returns a path without what other tools write into one: `file://`, the home directory as `~`,
/// backslashes, and names that are empty or `.`.
pub fn plain(given: &str) -> String {
    let path = given.strip_prefix("file://").unwrap_or(given);
    let path = path.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    let home = path.strip_prefix("~/").and_then(|rest| {
        let home = std::env::var("HOME").ok().filter(|home| home.starts_with('/'))?;
        Some(format!("{}/{rest}", home.trim_end_matches('/')))
    });
    let path = home.unwrap_or_else(|| path.trim_start_matches("~/").to_owned()).replace('\\', "/");
    let start = if path.starts_with('/') { "/" } else { "" };
    let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    format!("{start}{}", names.join("/"))
}

/// Returns a path without `a/` or `b/`, which git's diffs write before it.
pub fn without_side(path: &str) -> Option<&str> {
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_other_tools_spell_it() {
        for (given, wanted) in [
            ("w/a.txt", "w/a.txt"),
            ("./w//a.txt", "w/a.txt"),
            ("/w/./a.txt", "/w/a.txt"),
            ("w\\b\\a.txt", "w/b/a.txt"),
            ("file:///w/a.txt", "/w/a.txt"),
            ("file://localhost/w/a.txt", "/w/a.txt"),
            ("w/../a.txt", "w/../a.txt"),
            ("", ""),
        ] {
            assert_eq!(plain(given), wanted, "{given}");
        }
        if let Ok(home) = std::env::var("HOME") {
            assert_eq!(plain("~/a.txt"), plain(&format!("{home}/a.txt")));
        }
        assert_eq!(without_side("b/a/x"), Some("a/x"));
        assert_eq!((without_side("a/"), without_side("c/x")), (None, None));
    }
}
