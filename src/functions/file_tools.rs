//! `read_file` and `write_file`: the files of a sandbox as agents read and write them.

use super::arguments::row_text;
use super::host::{self, Host};
use super::reading;
use crate::error::{Error, Result, quoted};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::sandbox::{Expected, Place};
use crate::text::is_binary;
use crate::text::lines::line_count;

/// `read_file(path [, offset, max_chars])`: the text of a file, or a part of it.
pub struct ReadFile;

impl ScalarFunction for ReadFile {
    const NAME: &'static str = "read_file";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar], &[Type::Varchar, Type::BigInt, Type::BigInt]];
    const RETURNS: Type = Type::Struct(&[
        Field::new("path", Type::Varchar),
        Field::new("content", Type::Varchar),
        Field::new("lines", Type::BigInt),
        Field::new("bytes", Type::BigInt),
        Field::new("truncated", Type::Boolean),
    ]);
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Host;

    fn open(settings: Settings) -> Result<Host> {
        Host::open(Self::NAME, settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let path = row_text(arguments, 0, "path")?;
        let count = |index, name: &str| match arguments.bigint(index) {
            None => Ok(None),
            Some(given) => usize::try_from(given).map(Some).map_err(|_| {
                Error::invalid_args(format!("{name} is {given}")).with_hint("Give a number of characters, 0 or more")
            }),
        };
        let (offset, most) = (count(1, "offset")?.unwrap_or(0), count(2, "max_chars")?.unwrap_or(usize::MAX));
        let bytes = reading::read_file_for(&path, host)?;
        if is_binary(&bytes) {
            return Err(Error::invalid_args(format!("{} is a binary file of {} bytes", quoted(&path), bytes.len()))
                .with_hint("read_file reads texts"));
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut rest = text.chars().skip(offset);
        let content: String = rest.by_ref().take(most).collect();
        let fields = out.fields_mut();
        fields[0].push_text(Some(&path));
        fields[1].push_text(Some(&content));
        fields[2].push_bigint(i64::try_from(line_count(&bytes)).ok());
        fields[3].push_bigint(i64::try_from(bytes.len()).ok());
        fields[4].push_boolean(Some(rest.next().is_some()));
        Ok(())
    }
}

/// `write_file(path, content)`: a file made or replaced as a whole.
pub struct WriteFile;

impl ScalarFunction for WriteFile {
    const NAME: &'static str = "write_file";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar]];
    const RETURNS: Type = Type::Struct(&[
        Field::new("path", Type::Varchar),
        Field::new("bytes_written", Type::BigInt),
        Field::new("lines_written", Type::BigInt),
        Field::new("created", Type::Boolean),
        Field::new("message", Type::Varchar),
    ]);
    const VOLATILE: bool = true;
    // A NULL must not be a write that silently did not happen.
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Host;

    fn open(settings: Settings) -> Result<Host> {
        Host::open(Self::NAME, settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        for (index, name) in ["path", "content"].into_iter().enumerate() {
            if arguments.text(index).is_none() {
                return Err(Error::invalid_args(format!("the argument '{name}' of write_file is NULL"))
                    .with_hint("Give a text; '' makes an empty file"));
            }
        }
        let path = row_text(arguments, 0, "path")?;
        let content = arguments.text(1).unwrap_or_default();
        let place = writable(&path, host)?;
        if place.sandbox().approvals().write {
            return Err(approval_required("writing", &path));
        }
        let old = place.read_for_writing()?;
        let was = match &old {
            Expected::Absent => None,
            Expected::Present { bytes, .. } => Some(bytes),
        };
        let is_same = was.is_some_and(|was| was == content);
        if !is_same {
            place.write(content, &old)?;
        }
        let lines = |bytes: &[u8]| match line_count(bytes) {
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        let message = match was {
            None => format!("Created {path} ({})", lines(content)),
            Some(_) if is_same => format!("{path} holds this content already ({})", lines(content)),
            Some(was) => format!("Overwrote {path} (was {}, now {})", lines(was), lines(content)),
        };
        let fields = out.fields_mut();
        fields[0].push_text(Some(&path));
        fields[1].push_bigint(i64::try_from(content.len()).ok());
        fields[2].push_bigint(i64::try_from(line_count(content)).ok());
        fields[3].push_boolean(Some(was.is_none()));
        fields[4].push_text(Some(&message));
        Ok(())
    }
}

/// Returns the place that a path names, if anything may be written at all.
pub fn writable<'a>(path: &str, host: &'a Host) -> Result<Place<'a>> {
    let Some(sandboxes) = host.access.sandboxes() else {
        return Err(Error::fs_denied(format!("{} cannot be written: no sandbox is configured", quoted(path)))
            .with_hint("Ask the host to name a folder with mode 'rw' in redline_sandboxes"));
    };
    let place = sandboxes.resolve(path)?;
    place.check_writable()?;
    Ok(place)
}

/// Returns the refusal of an operation that a person must see first.
pub fn approval_required(what: &str, path: &str) -> Error {
    Error::approval_required(format!("{what} {} must be approved", quoted(path)))
        .with_hint("Ask the person who runs the host to do it, or to configure the sandbox otherwise")
}
