//! Parses commits as git does: leniently, and in the encoding that they name.

use std::borrow::Cow;

use gix::bstr::ByteSlice;

use crate::Oid;
use crate::encoding::to_utf8;
use crate::model::mailmap::Mailmap;
use crate::model::signature::{Signature, kind_of, signature};
use crate::model::space::{trim_end, trim_start, up_to_nul};
use crate::model::trailers::{Trailer, trailers};
use redline_base::budget::{Charge, Stopped, append, check_every, copied};
use redline_base::limits;
use redline_text::CancelToken;

/// Lines between two checks of the budget.
const LINES_PER_CHECK: usize = 1 << 14;

/// Bytes of the name of an encoding; a longer one is unknown.
const LABEL_BYTES: usize = 64;

/// The fields of a commit that the walk over a history needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// The id of its tree.
    pub tree: Oid,
    /// Its parents in order.
    pub parents: Vec<Oid>,
    /// The committer's time in seconds since 1970, 0 if it is unreadable.
    pub date: u64,
}

/// The fields of a commit for a row.
#[derive(Debug)]
pub struct CommitInfo {
    /// The author, after `.mailmap` if that is requested; `None` if the commit has none.
    pub author: Option<Person>,
    /// Microseconds since 1970; `None` if the commit has no time that SQL can represent.
    pub author_date: Option<i64>,
    /// By how many minutes the author's clock was ahead of UTC; absent where the date is.
    pub author_offset: Option<i32>,
    /// As for the author.
    pub committer: Option<Person>,
    /// As for the author.
    pub committer_date: Option<i64>,
    /// The first paragraph of the message in one line; in UTF-8 as far as git can convert it.
    pub subject: Vec<u8>,
    /// The message after its first paragraph, if requested.
    pub body: Vec<u8>,
    /// The trailers of the message, if requested.
    pub trailers: Vec<Trailer>,
    /// The signature, if requested; `None` for a commit without one.
    pub signature: Option<Signature>,
    _charge: Charge,
}

/// The requested parts of a commit besides its people, dates and subject.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommitParts {
    /// The body of its message.
    pub body: bool,
    /// The trailers of its message.
    pub trailers: bool,
    /// Its signature, and the hash of the repository.
    pub signature: Option<gix::hash::Kind>,
}

/// A name and an address, any bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: Vec<u8>,
    /// The address without its brackets.
    pub email: Vec<u8>,
}

/// Parses the tree, the parents and the date of a commit; the error tells the defect.
pub fn links(bytes: &[u8]) -> Result<Links, &'static str> {
    let id = |hex: &[u8]| Oid::from_hex(hex).map_err(|_| "has an invalid id");
    let (line, mut rest) = split_line(bytes);
    let tree = id(line.strip_prefix(b"tree ").ok_or("names no tree")?)?;
    let mut parents = Vec::new();
    loop {
        let (line, after) = split_line(rest);
        let Some(hex) = line.strip_prefix(b"parent ") else { break };
        if parents.len() == limits::PARENTS {
            return Err("has more parents than redline reads");
        }
        parents.push(id(hex)?);
        rest = after;
    }
    Ok(Links { tree, parents, date: date(rest).unwrap_or(0) })
}

/// Returns the committer's time as git orders commits by it: the author's line must precede it.
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
    /// Parses the fields of a commit for a row.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn read(
        bytes: &[u8],
        mailmap: Option<&Mailmap>,
        cancel: &CancelToken<'_>,
    ) -> Result<Self, Stopped> {
        Self::read_parts(bytes, mailmap, CommitParts::default(), cancel)
    }

    /// Parses the same, and the requested parts.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn read_parts(
        commit: &[u8],
        mailmap: Option<&Mailmap>,
        parts: CommitParts,
        cancel: &CancelToken<'_>,
    ) -> Result<Self, Stopped> {
        let bytes = &*in_utf8(commit)?;
        let mut charge = cancel.charge(bytes.len())?;
        let (mut author, mut committer) = (None, None);
        // The message begins with the first empty line; the last of several equal headers counts.
        let message = pass(bytes, |line| {
            author = line.strip_prefix(b"author ").or(author);
            committer = line.strip_prefix(b"committer ").or(committer);
            Ok(!line.is_empty())
        })?;
        let known = |ident: Option<&[u8]>| {
            let Some(named) = ident.and_then(person) else { return Ok(None) };
            let (name, email) = mailmap.map_or(named, |mailmap| mailmap.resolve(named.0, named.1));
            Person::new(name, email).map(Some)
        };
        Ok(Self {
            author: known(author)?,
            author_date: author.and_then(micros),
            author_offset: author.and_then(moment).map(|(_, offset)| offset),
            committer: known(committer)?,
            committer_date: committer.and_then(micros),
            subject: subject(message)?,
            body: if parts.body { copied(body(message)?)? } else { Vec::new() },
            trailers: if parts.trailers {
                trailers(message.strip_prefix(b"\n").unwrap_or(message), &mut charge, cancel)?
            } else {
                Vec::new()
            },
            signature: match parts.signature {
                Some(hash) => signature(commit, hash)?,
                None => None,
            },
            _charge: charge,
        })
    }

    /// Returns its approximate size in memory.
    pub fn bytes(&self) -> usize {
        let people = [&self.author, &self.committer].into_iter().flatten();
        let trailers = self.trailers.iter().map(Trailer::bytes).sum::<usize>();
        let signature = self.signature.as_ref().map_or(0, |signature| signature.text.len());
        people.map(Person::bytes).sum::<usize>()
            + self.subject.len()
            + self.body.len()
            + trailers
            + signature
    }
}

impl Person {
    fn new(name: &[u8], email: &[u8]) -> Result<Self, Stopped> {
        Ok(Self { name: copied(name)?, email: copied(email)? })
    }

    /// Parses `Name <address>`; both are empty if the text has another form.
    pub fn of(ident: &[u8]) -> Self {
        let (name, email) = person(ident).unwrap_or_default();
        Self { name: trim_start(name).to_vec(), email: email.to_vec() }
    }

    /// Returns its approximate size in memory.
    pub fn bytes(&self) -> usize {
        self.name.len() + self.email.len()
    }
}

/// The fields of an annotated tag for a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagInfo {
    /// The tagger; old tags have none.
    pub tagger: Option<Person>,
    /// Microseconds since 1970.
    pub date: Option<i64>,
    /// The first paragraph of the message in one line.
    pub subject: Vec<u8>,
}

impl TagInfo {
    /// Parses the fields of a tag for a row.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn read(bytes: &[u8]) -> Result<Self, Stopped> {
        let mut tagger = None;
        let message = pass(bytes, |line| {
            tagger = line.strip_prefix(b"tagger ").or(tagger);
            Ok(!line.is_empty())
        })?;
        let signature = pass(message, |line| Ok(kind_of(line).is_none()))?;
        let named = tagger.and_then(person);
        Ok(Self {
            tagger: named.map(|(name, email)| Person::new(name, email)).transpose()?,
            date: tagger.and_then(micros),
            subject: subject(&message[..message.len() - signature.len()])?,
        })
    }
}

/// Returns the commit in UTF-8 if its `encoding` header names another known encoding.
fn in_utf8(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Stopped> {
    let mut label = None;
    pass(bytes, |line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        label = line.strip_prefix(b"encoding ");
        Ok(label.is_none() && !line.is_empty())
    })?;
    let Some(label) = label.filter(|label| label.len() <= LABEL_BYTES) else {
        return Ok(Cow::Borrowed(bytes));
    };
    if [&b"utf-8"[..], b"utf8"].iter().any(|name| label.eq_ignore_ascii_case(name)) {
        return Ok(Cow::Borrowed(bytes));
    }
    Ok(to_utf8(bytes, label)?.map_or(Cow::Borrowed(bytes), Cow::Owned))
}

/// Tells whether a commit's message has a line that `is_wanted` accepts.
pub fn has_message_line(
    commit: &[u8],
    mut is_wanted: impl FnMut(&[u8]) -> Result<bool, Stopped>,
) -> Result<bool, Stopped> {
    let bytes = in_utf8(commit)?;
    let headers = pass(&bytes, |line| Ok(!line.is_empty()))?;
    let message = headers.strip_prefix(b"\n").unwrap_or(headers);
    let mut is_found = false;
    pass(message, |line| {
        is_found = is_wanted(line)?;
        Ok(!is_found)
    })?;
    Ok(is_found)
}

/// Splits `Name <address> …` into name and address.
fn person(ident: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = ident.find_byte(b'<')?;
    let email = &ident[open + 1..];
    let name = trim_end(&ident[..open]);
    Some((name, &email[..email.find_byte(b'>')?]))
}

/// Returns the time of an ident in microseconds.
fn micros(ident: &[u8]) -> Option<i64> {
    moment(ident).map(|(micros, _)| micros)
}

/// Returns the time of an ident in microseconds, and its time zone in minutes; like git, requires
/// one.
fn moment(ident: &[u8]) -> Option<(i64, i32)> {
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
    (micros < i64::MAX).then_some((micros, minutes(zone)))
}

/// Returns the minutes of a time zone such as `-0330`; git takes one that is too large for UTC.
fn minutes(zone: &[u8]) -> i32 {
    let zone_number = i32::try_from(number(&zone[1..])).unwrap_or(i32::MAX);
    let known = if zone_number == i32::MAX { 0 } else { zone_number };
    let minutes = known / 100 * 60 + known % 100;
    if zone[0] == b'-' { -minutes } else { minutes }
}

/// Returns the number at the front, saturated.
fn number(digits: &[u8]) -> u64 {
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0u64, |number, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    })
}

/// Joins the lines of the first paragraph with spaces.
fn subject(message: &[u8]) -> Result<Vec<u8>, Stopped> {
    let mut subject = Vec::new();
    pass(paragraph(message)?, |line| {
        let line = trim_end(line);
        if !subject.is_empty() && !line.is_empty() {
            append(&mut subject, b" ")?;
        }
        append(&mut subject, line)?;
        Ok(!line.is_empty())
    })?;
    Ok(subject)
}

/// Returns the message after its first paragraph and the empty lines after that, as git's %b.
fn body(message: &[u8]) -> Result<&[u8], Stopped> {
    let after = pass(paragraph(message)?, |line| Ok(!trim_end(line).is_empty()))?;
    pass(after, |line| Ok(trim_end(line).is_empty()))
}

/// Returns a message from its first paragraph on. In git it ends at a NUL.
fn paragraph(message: &[u8]) -> Result<&[u8], Stopped> {
    let message = up_to_nul(message);
    pass(message, |line| Ok(trim_end(line).is_empty()))
}

/// Skips the lines at the front while `is_passed`; returns the rest.
fn pass<'b>(
    bytes: &'b [u8],
    mut is_passed: impl FnMut(&'b [u8]) -> Result<bool, Stopped>,
) -> Result<&'b [u8], Stopped> {
    let (mut rest, mut passed) = (bytes, 0usize);
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        if !is_passed(line)? {
            break;
        }
        rest = after;
        passed += 1;
        check_every(LINES_PER_CHECK, passed)?;
    }
    Ok(rest)
}

/// Returns the first line without its newline, and the rest.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.find_byte(b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use redline_base::budget::{Budget, Current};

    const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn commit(rest: &[u8]) -> Vec<u8> {
        [format!("tree {TREE}\n").as_bytes(), rest].concat()
    }

    fn info(rest: &[u8]) -> CommitInfo {
        CommitInfo::read(&commit(rest), None, &CancelToken::never()).unwrap()
    }

    // Promise (survival): A commit has at most 65,536 parents, over all stores at most 16,384
    // lines name one to borrow from, and a file that is no commit-graph is read no further than
    // its first 8 bytes; 1,300 commits of 65,536 parents are `too_large:` at 2 GiB.
    #[test]
    fn a_commit_has_no_more_parents_than_the_limit() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let commit = |parents: usize| {
            let parents = format!("parent {id}\n").repeat(parents);
            format!("tree {id}\n{parents}author A <a> 1 +0000\ncommitter C <c> 2 +0000\n\ns\n")
        };
        let read =
            |parents: usize| links(commit(parents).as_bytes()).map(|links| links.parents.len());
        assert_eq!(read(limits::PARENTS), Ok(limits::PARENTS));
        assert!(read(limits::PARENTS + 1).is_err());
    }

    #[test]
    fn a_torn_commit_is_an_error_and_never_a_panic() {
        let whole = commit(
            format!("parent {TREE}\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\n\ns\n")
                .as_bytes(),
        );
        for end in 0..whole.len() {
            let _ = CommitInfo::read(&whole[..end], None, &CancelToken::never()).unwrap();
            // The tree's line is complete, and the parent's too if it has begun.
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
    fn a_time_zone_is_hours_and_minutes_as_git_reads_them() {
        for (zone, minutes) in [
            ("+0000", Some(0)),
            ("-0330", Some(-210)),
            ("+0545", Some(345)),
            ("+5", Some(5)),
            ("+051800", Some(518 * 60)),
            ("-99999999999", Some(0)),
            ("0100", None),
        ] {
            let info = info(format!("author A <a@b> 10 {zone}\n\n").as_bytes());
            assert_eq!(info.author_offset, minutes, "{zone}");
        }
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
    fn a_body_starts_after_the_first_paragraph() {
        for (message, wanted) in [
            ("one\ntwo\n\nthree\n\nfour\n", "three\n\nfour\n"),
            ("\n\none\n \n\n  three", "  three"),
            ("one", ""),
            ("one\n\n", ""),
            ("", ""),
            ("one\n\nb\0c", "b"),
        ] {
            let bytes = commit(format!("\n{message}").as_bytes());
            let info = CommitInfo::read_parts(
                &bytes,
                None,
                CommitParts { body: true, ..CommitParts::default() },
                &CancelToken::never(),
            )
            .unwrap();
            assert_eq!(info.body.as_bstr(), wanted, "{message:?}");
        }
    }

    #[test]
    fn a_tag_has_a_tagger_and_its_signature_is_not_its_subject() {
        let read = |rest: &str| {
            TagInfo::read(format!("object {TREE}\ntype commit\ntag v1\n{rest}").as_bytes()).unwrap()
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

    #[test]
    fn a_long_message_is_charged_and_can_be_left() {
        let bytes = commit(&[&b"\n"[..], &b"a\n".repeat(1 << 20)].concat());
        let budget = Arc::new(Budget::of(None, 3 << 20));
        let cancel = CancelToken::of(&budget);
        let info = CommitInfo::read(&bytes, None, &cancel).unwrap();
        assert_eq!((info.subject.len(), budget.bytes()), ((2 << 20) - 1, bytes.len()));
        let more = CommitInfo::read(&bytes, None, &cancel).unwrap_err();
        assert_eq!(more, Stopped::Memory { limit: 3 << 20 });
        drop(info);
        assert_eq!(budget.bytes(), 0);
        budget.cancel();
        let _current = Current::enter(&budget);
        assert_eq!(CommitInfo::read(&bytes, None, &cancel).unwrap_err(), Stopped::Cancelled);
        assert_eq!(TagInfo::read(&bytes).unwrap_err(), Stopped::Cancelled);
    }
}
