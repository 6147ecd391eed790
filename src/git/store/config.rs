//! A repository's own configuration, and the check of its format.

use gix::bstr::ByteSlice;
use gix::config::File;
use gix::config::file::Metadata;

use super::gate::{Gate, GitDirectory};
use crate::model::settings::{boolean, integer_of, value};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

/// The value of `extensions.refStorage` for references in tables.
const TABLES: &[u8] = b"reftable";

/// Tells whether the references are stored in tables.
pub fn stores_tables(config: &File) -> bool {
    config.string("extensions.refStorage").is_some_and(|value| value.eq_ignore_ascii_case(TABLES))
}

/// Reads the configuration, without includes: the common file, then the work tree's if the common
/// one enables it.
pub fn read(git_dir: &GitDirectory, common_dir: &GitDirectory) -> Result<File> {
    let gate = git_dir.gate();
    let mut config = read_file(common_dir, b"config")?;
    if boolean(&config, "extensions", "worktreeConfig").unwrap_or(false) {
        let own = read_file(git_dir, b"config.worktree")?;
        config.append(own).map_err(|error| unreadable(gate).with_source(error))?;
    }
    check_format(&config, gate)?;
    Ok(config)
}

fn read_file(directory: &GitDirectory, name: &[u8]) -> Result<File> {
    let bytes = directory.read(name, limits::CONFIG_BYTES)?.unwrap_or_default();
    File::from_bytes_no_includes(&bytes, Metadata::api(), Default::default())
        .map_err(|_| unreadable(directory.gate()))
}

fn unreadable(gate: &Gate) -> Error {
    Error::tool_failed(format!(
        "the configuration of the repository at {} cannot be read",
        quoted(gate.given())
    ))
    .with_hint("Run 'git config --list' there to see what is wrong")
}

/// Rejects repositories in an unsupported format.
fn check_format(config: &File, gate: &Gate) -> Result<()> {
    /// Extensions that are allowed in every version.
    const ALWAYS: [&str; 4] = ["noop", "preciousobjects", "partialclone", "worktreeconfig"];
    /// Extensions that git accepts from version 1 on.
    const FROM_VERSION_1: [&str; 5] =
        ["noop-v1", "objectformat", "compatobjectformat", "refstorage", "relativeworktrees"];
    let refused = |what: String| {
        Error::tool_failed(format!("the repository at {} {what}", quoted(gate.given()))).with_hint(
            "redline refuses formats it does not know; docs/limitations.md lists those it reads",
        )
    };
    let not_a_number = "has a core.repositoryformatversion that is not a number";
    let version = match value(config, "core", "repositoryformatversion") {
        None => 0,
        Some(value) => value
            .and_then(|value| integer_of(&value))
            .ok_or_else(|| refused(not_a_number.to_owned()))?,
    };
    if !(0..=1).contains(&version) {
        return Err(refused(format!("has format version {version}, and git knows 0 and 1")));
    }
    // A lookup by name would scan all sections for each extension.
    let sections = config
        .sections()
        .filter(|section| section.header().name().eq_ignore_ascii_case(b"extensions"));
    for section in sections {
        let mut seen = std::collections::HashSet::new();
        for name in section.value_names() {
            let name = name.to_ascii_lowercase();
            // Looked up for only two names: each lookup scans the whole section.
            let value = || section.value(&name).unwrap_or_default();
            let shown = quoted(&name);
            if FROM_VERSION_1.contains(&name.as_str()) && version == 0 {
                return Err(refused(format!(
                    "has format version 0 and the extension {shown}, which needs version 1"
                )));
            }
            match name.as_str() {
                "refstorage"
                    if seen.insert("refstorage")
                        && !value().eq_ignore_ascii_case(b"files")
                        && !value().eq_ignore_ascii_case(TABLES) =>
                {
                    return Err(refused(format!(
                        "stores its references as {}",
                        quoted(&value().to_str_lossy())
                    )));
                }
                "objectformat"
                    if seen.insert("objectformat")
                        && !matches!(value().as_slice(), b"sha1" | b"sha256") =>
                {
                    return Err(refused(format!(
                        "has objects of format {}",
                        quoted(&value().to_str_lossy())
                    )));
                }
                known if ALWAYS.contains(&known) || FROM_VERSION_1.contains(&known) => {}
                // git itself rejects unknown extensions only from version 1 on.
                _ if version == 0 => {}
                _ => return Err(refused(format!("uses the unknown extension {shown}"))),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::drivers::drivers;
    use redline_base::growth::assert_linear;
    use redline_sandbox::Access;

    #[test]
    fn a_configuration_of_many_sections_is_read_in_linear_time() {
        let gate = Gate::new(&std::sync::Arc::new(Access::new(true, &[])), "repo");
        for (once, line) in [
            ("", "[diff \"x@\"]\n\tbinary = true\n"),
            ("", "[diff \"x\"]\n"),
            ("[diff \"x\"]\n", "\tbinary = true\n"),
            ("", "[extensions]\n\tnoop = @\n"),
            ("[extensions]\n", "\tk@ = 1\n"),
            ("[extensions]\n", "\tobjectFormat = sha1\n"),
        ] {
            let numbered = |count: usize| {
                let lines = (0..count).map(|at| line.replace('@', &at.to_string()));
                std::iter::once(once.to_owned()).chain(lines).collect::<String>()
            };
            assert_linear(line, 600, numbered, |text| {
                let (bytes, metadata) = (text.as_bytes(), Metadata::api());
                let config =
                    File::from_bytes_no_includes(bytes, metadata, Default::default()).unwrap();
                let _ = check_format(&config, &gate);
                let _ = drivers(&config);
            });
        }
    }
}
