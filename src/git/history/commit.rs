//! The bytes of a commit, read as git reads them: leniently, and in the encoding it names.

use std::borrow::Cow;

use gix::bstr::ByteSlice;

use crate::budget::Stopped;
use crate::git::Oid;
use crate::git::bytes::is_space;
use crate::git::history::mailmap::Mailmap;
use crate::git::worktree::encoding::to_utf8;

/// What the walk over a history needs of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// The tree of its files.
    pub tree: Oid,
    /// Its parents in order.
    pub parents: Vec<Oid>,
    /// The committer's time in seconds since 1970, 0 where none can be read.
    pub date: u64,
}

/// What a row tells of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// The author, after `.mailmap` where that is asked for; absent where the commit names none.
    pub author: Option<Person>,
    /// Microseconds since 1970; absent where the commit has no time that SQL can hold.
    pub author_date: Option<i64>,
    /// As for the author.
    pub committer: Option<Person>,
    /// As for the author.
    pub committer_date: Option<i64>,
    /// The first paragraph of the message in one line; UTF-8 as far as git can make it so.
    pub subject: Vec<u8>,
    /// What follows the first paragraph, where it was asked for.
    pub body: Vec<u8>,
}

/// A name and an address, any bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: Vec<u8>,
    /// The address without its brackets.
    pub email: Vec<u8>,
}

/// Reads the tree, the parents and the date of a commit; the error says what is wrong with it.
pub fn links(bytes: &[u8]) -> Result<Links, &'static str> {
    let id = |hex: &[u8]| Oid::from_hex(hex).map_err(|_| "names an id that is none");
    let (line, mut rest) = split_line(bytes);
    let tree = id(line.strip_prefix(b"tree ").ok_or("names no tree")?)?;
    let mut parents = Vec::new();
    loop {
        let (line, after) = split_line(rest);
        let Some(hex) = line.strip_prefix(b"parent ") else { break };
        parents.push(id(hex)?);
        rest = after;
    }
    Ok(Links { tree, parents, date: date(rest).unwrap_or(0) })
}

/// Returns the committer's time as git orders commits by it: the author's line must stand right before.
fn date(headers: &[u8]) -> Option<u64> {
    let (author, rest) = split_line(headers);
    let (committer, _) = split_line(rest);
    if !author.starts_with(b"author") || !committer.starts_with(b"committer") {
        return None;
    }
    let after = &committer[committer.rfind_byte(b'>')? + 1..];
    match trim_start(after) {
        // A negative time wraps around to the far future, as in git.
        [b'-', digits @ ..] => Some(number(digits).wrapping_neg()),
        digits => Some(number(digits)),
    }
}

impl CommitInfo {
    /// Reads what a row tells of a commit.
    ///
    /// # Errors
    /// Why the query ended.
    pub fn read(bytes: &[u8], mailmap: Option<&Mailmap>) -> Result<Self, Stopped> {
        Self::read_as(bytes, mailmap, false)
    }

    /// Reads the same with the body of the message.
    ///
    /// # Errors
    /// Why the query ended.
    pub fn read_whole(bytes: &[u8], mailmap: Option<&Mailmap>) -> Result<Self, Stopped> {
        Self::read_as(bytes, mailmap, true)
    }

    fn read_as(bytes: &[u8], mailmap: Option<&Mailmap>, with_body: bool) -> Result<Self, Stopped> {
        let bytes = &*in_utf8(bytes)?;
        let mut rest = bytes;
        let (mut author, mut committer) = (None, None);
        // The message begins with the first empty line; of a header that is there twice, the last counts.
        loop {
            let (line, after) = split_line(rest);
            if line.is_empty() {
                break;
            }
            if let Some(ident) = line.strip_prefix(b"author ") {
                author = Some(ident);
            } else if let Some(ident) = line.strip_prefix(b"committer ") {
                committer = Some(ident);
            }
            rest = after;
        }
        let known = |ident: Option<&[u8]>| {
            let (name, email) = ident.and_then(person)?;
            let (name, email) =
                mailmap.map_or((name, email), |mailmap| mailmap.resolve(name, email));
            Some(Person { name: name.to_vec(), email: email.to_vec() })
        };
        Ok(Self {
            author: known(author),
            author_date: author.and_then(micros),
            committer: known(committer),
            committer_date: committer.and_then(micros),
            subject: subject(rest),
            body: if with_body { body(rest).to_vec() } else { Vec::new() },
        })
    }
}

/// What a row tells of an annotated tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagInfo {
    /// Who made it; old tags do not say.
    pub tagger: Option<Person>,
    /// Microseconds since 1970.
    pub date: Option<i64>,
    /// The first paragraph of the message in one line.
    pub subject: Vec<u8>,
}

impl TagInfo {
    /// Reads what a row tells of a tag.
    pub fn read(bytes: &[u8]) -> Self {
        let mut rest = bytes;
        let mut tagger = None;
        loop {
            let (line, after) = split_line(rest);
            if line.is_empty() {
                break;
            }
            tagger = line.strip_prefix(b"tagger ").or(tagger);
            rest = after;
        }
        let signature = rest.lines_with_terminator().scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        });
        let is_signature = |line: &[u8]| {
            line.strip_prefix(b"-----BEGIN ").is_some_and(|rest| {
                [
                    &b"PGP SIGNATURE-----"[..],
                    b"PGP MESSAGE-----",
                    b"SSH SIGNATURE-----",
                    b"SIGNED MESSAGE-----",
                ]
                .iter()
                .any(|kind| rest.starts_with(kind))
            })
        };
        let end = signature.filter(|(_, line)| is_signature(line)).map(|(at, _)| at).next();
        Self {
            tagger: tagger
                .and_then(person)
                .map(|(name, email)| Person { name: name.to_vec(), email: email.to_vec() }),
            date: tagger.and_then(micros),
            subject: subject(&rest[..end.unwrap_or(rest.len())]),
        }
    }
}

/// Returns the commit as UTF-8 where its `encoding` header names another encoding that can be read.
fn in_utf8(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Stopped> {
    let mut headers = bytes.lines().take_while(|line| !line.is_empty());
    let Some(label) = headers.find_map(|line| line.strip_prefix(b"encoding ")) else {
        return Ok(Cow::Borrowed(bytes));
    };
    if matches!(label.to_ascii_lowercase().as_slice(), b"utf-8" | b"utf8") {
        return Ok(Cow::Borrowed(bytes));
    }
    Ok(to_utf8(bytes, label)?.map_or(Cow::Borrowed(bytes), Cow::Owned))
}

/// Splits `Name <address> …` into name and address.
fn person(ident: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = ident.find_byte(b'<')?;
    let email = &ident[open + 1..];
    let name = trim_end(&ident[..open]);
    Some((name, &email[..email.find_byte(b'>')?]))
}

/// Returns the time of an ident in microseconds; git wants a time zone behind it.
fn micros(ident: &[u8]) -> Option<i64> {
    person(ident)?;
    let rest = trim_start(&ident[ident.rfind_byte(b'>')? + 1..]);
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let zone = trim_start(&rest[digits..]);
    let has_zone = matches!(zone, [b'+' | b'-', digit, ..] if digit.is_ascii_digit());
    if digits == 0 || !has_zone {
        return None;
    }
    let micros = i64::try_from(number(rest)).ok()?.checked_mul(1_000_000)?;
    // The largest number is SQL's infinity.
    (micros < i64::MAX).then_some(micros)
}

/// Returns the number at the front, the largest one where it is larger.
fn number(digits: &[u8]) -> u64 {
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0u64, |number, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    })
}

/// Joins the lines of the first paragraph by spaces.
fn subject(message: &[u8]) -> Vec<u8> {
    // For git a message ends at a NUL.
    let message = &message[..message.find_byte(0).unwrap_or(message.len())];
    let lines = message.split(|&byte| byte == b'\n').map(trim_end);
    let paragraph = lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    paragraph.collect::<Vec<_>>().join(&b' ')
}

/// Returns what follows the first paragraph and the empty lines behind it, as git's %b.
fn body(message: &[u8]) -> &[u8] {
    let message = &message[..message.find_byte(0).unwrap_or(message.len())];
    let skip = |mut rest: &'_ [u8], are_empty: bool| {
        while !rest.is_empty() {
            let (line, after) = split_line(rest);
            if trim_end(line).is_empty() != are_empty {
                break;
            }
            rest = after;
        }
        message.len() - rest.len()
    };
    let start = skip(message, true);
    let end = skip(&message[start..], false);
    &message[skip(&message[end..], true)..]
}

/// Returns the first line without its newline, and what follows it.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.find_byte(b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

fn trim_start(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(bytes.len());
    &bytes[start..]
}

fn trim_end(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn commit(rest: &[u8]) -> Vec<u8> {
        [format!("tree {TREE}\n").as_bytes(), rest].concat()
    }

    fn info(rest: &[u8]) -> CommitInfo {
        CommitInfo::read(&commit(rest), None).unwrap()
    }

    #[test]
    fn a_torn_commit_is_an_error_and_never_a_panic() {
        let whole = commit(
            format!("parent {TREE}\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\n\ns\n")
                .as_bytes(),
        );
        for end in 0..whole.len() {
            let _ = CommitInfo::read(&whole[..end], None).unwrap();
            // The tree's line is whole, and the parent's too where it has begun.
            assert_eq!(
                links(&whole[..end]).is_ok(),
                end >= 45 && !(53..93).contains(&end),
                "{end}"
            );
        }
        let found = links(&whole).unwrap();
        assert_eq!((found.parents.len(), found.date), (1, 2));
    }

    #[test]
    fn an_odd_ident_is_split_where_git_splits_it() {
        for (ident, name, email, date) in [
            ("A U Thor <a@b> 10 +0100", "A U Thor", "a@b", Some(10)),
            ("<a@b> 10 +0100", "", "a@b", Some(10)),
            ("A   <> 10 -0100", "A", "", Some(10)),
            ("A <a>b> 10 +0000", "A", "a", Some(10)),
            ("A <a@b> 10", "A", "a@b", None),
            ("A <a@b> x +0000", "A", "a@b", None),
            ("A <a@b> 99999999999999999999 +0000", "A", "a@b", None),
            ("A <a@b>", "A", "a@b", None),
        ] {
            let info = info(format!("author {ident}\ncommitter {ident}\n\n").as_bytes());
            let person = info.author.unwrap();
            assert_eq!(
                (person.name.as_bytes(), person.email.as_bytes()),
                (name.as_bytes(), email.as_bytes()),
                "{ident}"
            );
            assert_eq!(info.author_date, date.map(|seconds: i64| seconds * 1_000_000), "{ident}");
        }
        assert_eq!(info(b"author nobody\n\n").author, None);
    }

    #[test]
    fn a_subject_is_the_first_paragraph_on_one_line() {
        for (message, wanted) in [
            ("one\ntwo\n\nthree\n", "one two"),
            ("\n \n  one  \n two\t\n\t\nx", "  one  two"),
            ("one\r\n\r\ntwo", "one"),
            ("", ""),
            ("a\0b\nc", "a"),
        ] {
            assert_eq!(
                info(format!("\n{message}").as_bytes()).subject.as_bstr(),
                wanted,
                "{message:?}"
            );
        }
    }

    #[test]
    fn a_body_is_what_follows_the_first_paragraph() {
        for (message, wanted) in [
            ("one\ntwo\n\nthree\n\nfour\n", "three\n\nfour\n"),
            ("\n\none\n \n\n  three", "  three"),
            ("one", ""),
            ("one\n\n", ""),
            ("", ""),
            ("one\n\nb\0c", "b"),
        ] {
            let bytes = commit(format!("\n{message}").as_bytes());
            let info = CommitInfo::read_whole(&bytes, None).unwrap();
            assert_eq!(info.body.as_bstr(), wanted, "{message:?}");
        }
    }

    #[test]
    fn a_tag_says_who_made_it_and_its_signature_is_no_subject() {
        let read = |rest: &str| {
            TagInfo::read(format!("object {TREE}\ntype commit\ntag v1\n{rest}").as_bytes())
        };
        let tag =
            read("tagger T <t@x> 5 +0000\n\none\ntwo\n\nthree\n-----BEGIN PGP SIGNATURE-----\n");
        assert_eq!(tag.tagger.unwrap().email.as_bstr(), "t@x");
        assert_eq!((tag.date, tag.subject.as_bstr()), (Some(5_000_000), "one two".into()));
        let bare = read("\n-----BEGIN SSH SIGNATURE-----\nx\n");
        assert_eq!((bare.tagger, bare.date, bare.subject.as_bstr()), (None, None, "".into()));
    }

    #[test]
    fn another_encoding_is_decoded_or_left_as_it_is() {
        for (label, bytes, wanted) in [
            ("ISO-8859-1", &b"caf\xe9 \x80"[..], "caf\u{e9} \u{80}".as_bytes()),
            ("ISO-8859-15", b"\xa4", "\u{20ac}".as_bytes()),
            ("EUC-JP", b"\xc6\xfc\xcb\xdc", "\u{65e5}\u{672c}".as_bytes()),
            ("EUC-JP", b"\xc6", b"\xc6"),
            ("UTF-8", b"caf\xe9", b"caf\xe9"),
            ("no-such-encoding", b"caf\xe9", b"caf\xe9"),
        ] {
            let rest = [format!("encoding {label}\n\n").as_bytes(), bytes].concat();
            assert_eq!(info(&rest).subject.as_bstr(), wanted.as_bstr(), "{label}");
        }
    }
}
