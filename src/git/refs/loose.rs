//! Loose references: one reference per file.

use gix::bstr::ByteSlice;

use super::name;
use crate::Oid;
use crate::model::space::{is_space, trim_end, trim_start, up_to_nul};
use crate::store::{Found, GitDirectory};
use redline_base::error::Result;
use redline_base::limits;

/// The content of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// An object.
    Id(Oid),
    /// Another reference, which may be absent and whose name may be invalid.
    Symbolic(Vec<u8>),
    /// Invalid content.
    Broken,
}

/// Reads the reference at `path` in a directory; `None` if there is no file.
///
/// # Errors
/// `too_large` for a file below `refs`, or HEAD and the like, of more than
/// [`limits::REFERENCE_BYTES`] that does not begin with an id.
pub fn read(directory: &GitDirectory, path: &[u8], hash: gix::hash::Kind) -> Result<Option<Value>> {
    // git reads a symbolic link as a symbolic reference if its target is the name of a reference.
    if let Some(target) = directory.link(path)?
        && target.starts_with(b"refs/")
        && name::is_valid(&target)
    {
        return Ok(Some(Value::Symbolic(target)));
    }
    let Found::File(file) = directory.look(path)? else { return Ok(None) };
    // FETCH_HEAD may be long; its first id counts.
    let mut front = vec![0; limits::REFERENCE_BYTES as usize];
    let read = file.read_at(0, &mut front).map_err(|error| directory.failed(error.into(), path))?;
    let value = parse(&front[..read], hash);
    let is_whole = file.stamp().size() <= limits::REFERENCE_BYTES && read < front.len();
    if is_whole || matches!(value, Value::Id(_)) {
        return Ok(Some(value));
    }
    // Outside of `refs` there are also other files, such as the index.
    if path.contains_str("refs/") || path.ends_with(b"HEAD") {
        directory.contents(&file, path, limits::REFERENCE_BYTES)?;
    }
    Ok(Some(Value::Broken))
}

/// Parses a loose reference.
fn parse(bytes: &[u8], hash: gix::hash::Kind) -> Value {
    let text = trim_end(bytes);
    // In git the text ends at a NUL.
    let text = up_to_nul(text);
    if let Some(target) = text.strip_prefix(b"ref:") {
        return Value::Symbolic(trim_start(target).to_vec());
    }
    let digits = hash.len_in_hex();
    match text.get(..digits).map(Oid::from_hex) {
        Some(Ok(id)) if text.get(digits).is_none_or(|&byte| is_space(byte)) => Value::Id(id),
        _ => Value::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_git_reads() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let is_id = Value::Id(Oid::from_hex(id.as_bytes()).unwrap());
        let symbolic = |name: &str| Value::Symbolic(name.as_bytes().to_vec());
        for (text, value) in [
            (format!("{id}\n"), is_id.clone()),
            (id.to_owned(), is_id.clone()),
            (id.to_uppercase(), is_id.clone()),
            (format!("{id}\tbranch 'main' of x\n{id}\t\n"), is_id.clone()),
            (format!("{id}\0garbage"), is_id.clone()),
            (format!("{id}0"), Value::Broken),
            (format!(" {id}"), Value::Broken),
            (id[1..].to_owned(), Value::Broken),
            (String::new(), Value::Broken),
            ("ref: refs/heads/main\n".to_owned(), symbolic("refs/heads/main")),
            ("ref:refs/heads/main \r\n".to_owned(), symbolic("refs/heads/main")),
            ("ref: ../../secret".to_owned(), symbolic("../../secret")),
            ("Ref: refs/heads/main".to_owned(), Value::Broken),
        ] {
            assert_eq!(parse(text.as_bytes(), gix::hash::Kind::Sha1), value, "{text:?}");
        }
    }
}
