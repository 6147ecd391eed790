//! Hostile indexes: each gives the right entries or an error, quickly and with little memory.

use std::fs;
use std::sync::Arc;

use super::*;
use crate::Oid;
use crate::store::Gate;
use redline_sandbox::Access;

const HASH: Kind = Kind::Sha1;

/// Appends the checksum.
fn whole(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut hasher = gix::hash::hasher(HASH);
    hasher.update(&bytes);
    bytes.extend_from_slice(hasher.try_finalize().unwrap().as_slice());
    bytes
}

fn header(version: u32, count: u32) -> Vec<u8> {
    [&b"DIRC"[..], &version.to_be_bytes(), &count.to_be_bytes()].concat()
}

/// Returns an entry of version 2 with a mode, or of version 4 with the number of bytes removed from
/// the path before it.
fn entry(path: &[u8], mode: u32, gone: Option<&[u8]>, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; 24];
    bytes.extend(mode.to_be_bytes());
    bytes.extend([0; 12]);
    bytes.extend([7; 20]);
    bytes.extend(u16::try_from(length.min(0xFFF)).unwrap().to_be_bytes());
    bytes.extend(gone.unwrap_or_default());
    bytes.extend(path);
    let fill = if gone.is_some() { 1 } else { 8 - bytes.len() % 8 };
    bytes.extend(vec![0; fill]);
    bytes
}

fn file(path: &str) -> Vec<u8> {
    entry(path.as_bytes(), 0o100_644, None, path.len())
}

fn extension(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&name[..], &u32::try_from(content.len()).unwrap().to_be_bytes(), content].concat()
}

/// Returns an index of one file with an extension.
fn with(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    whole([header(2, 1), file("a"), extension(name, content)].concat())
}

fn read_index(git_dir: &GitDirectory) -> Result<IndexFile> {
    read(git_dir, &open(git_dir)?.unwrap(), HASH, 1)
}

type Paths = std::result::Result<Vec<Vec<u8>>, Fault>;

/// Returns the paths, which are the same on one thread and on two.
fn paths(bytes: &[u8]) -> Paths {
    let [one, two] = [1, 2].map(|threads| {
        let parsed = parse(bytes, HASH, threads)?;
        Ok(parsed.entries.into_iter().map(|entry| entry.path.to_vec()).collect())
    });
    assert_eq!(one, two);
    two
}

#[test]
fn a_large_index_is_read_and_its_damage_told_on_one_thread_and_on_two() {
    let files: Vec<u8> = (0..20_000).flat_map(|n| file(&format!("file-{n:06}"))).collect();
    let good = whole([header(2, 20_000), files].concat());
    assert_eq!(paths(&good).unwrap().len(), 20_000);
    let wrong = || Err(Fault::Damaged("has a wrong checksum"));
    // In a time, in a path, so that the rest is no index, and in the checksum.
    for at in [15, 80, good.len() / 2, good.len() - 30, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert_eq!(paths(&bad), wrong(), "{at}");
    }
    let cut = whole(good[..good.len() / 2].to_vec());
    assert!(paths(&cut).is_err_and(|fault| Err(fault) != wrong()));
}

#[test]
fn a_hostile_index_ends_in_its_entries_or_an_error() {
    let nested = |one: &[u8]| one.repeat(400_000);
    let bomb = {
        let long = vec![b'x'; 4000];
        let mut bytes = [header(4, 45_000), entry(&long, 0o100_644, Some(&[0]), 4000)].concat();
        for _ in 1..45_000 {
            bytes.extend(entry(b"y", 0o100_644, Some(&[1]), 4000));
        }
        whole(bytes)
    };
    let link = |rest: &[u8]| with(b"link", &[&[9; 20], rest].concat());
    let one = || Ok(vec![b"a".to_vec()]);
    let cut = || Err(Fault::Damaged("is cut short"));
    let rows: Vec<(&str, Vec<u8>, Paths)> = vec![
        ("trees nested 400,000 deep", with(b"TREE", &nested(b"a\x000 1\n")), one()),
        (
            "untracked directories nested 400,000 deep",
            with(b"UNTR", &nested(b"\x00\x01a\0")),
            one(),
        ),
        (
            "one block 4,000 times",
            with(b"IEOT", &[&[0, 0, 0, 1][..], &[0, 0, 0, 12, 0, 0, 0, 1].repeat(4000)].concat()),
            one(),
        ),
        ("an offset of the extensions that lies", with(b"EOIE", &[0xFF; 24]), one()),
        (
            "paths that unfold",
            bomb,
            Err(Fault::TooLarge("whose paths unfold to far more than its own size")),
        ),
        (
            "an extension that is needed and not known",
            with(b"abcd", b""),
            Err(Fault::Damaged("needs an extension that redline does not know")),
        ),
        (
            "an extension longer than the file",
            whole([header(2, 0), b"TREE".to_vec(), vec![0xFF; 4]].concat()),
            cut(),
        ),
        (
            "more entries than fit",
            whole(header(2, u32::MAX)),
            Err(Fault::Damaged("states more entries than it can hold")),
        ),
        (
            "a version to come",
            whole(header(5, 0)),
            Err(Fault::Damaged("has a version other than 2, 3 and 4")),
        ),
        (
            "a directory where none may be",
            whole([header(2, 1), entry(b"a/", 0o040_000, None, 2)].concat()),
            Err(Fault::Damaged("has a directory among its files")),
        ),
        (
            "a path that shortens nothing",
            whole([header(4, 1), entry(b"a", 0o100_644, Some(&[5]), 1)].concat()),
            Err(Fault::Damaged("shortens a path by more than it has")),
        ),
        (
            "a number without an end",
            whole([header(4, 1), entry(&[b'a'; 80], 0o100_644, Some(&[0xFF; 12]), 80)].concat()),
            Err(Fault::Damaged("shortens a path by more than it has")),
        ),
        (
            "a path of another length",
            whole([header(2, 1), entry(b"a", 0o100_644, None, 2)].concat()),
            Err(Fault::Damaged("has a path of a wrong length")),
        ),
        (
            "a path of 5,000 bytes",
            whole([header(2, 1), entry(&[b'a'; 5000], 0o100_644, None, 5000)].concat()),
            Err(Fault::TooLarge("with a path longer than any system opens")),
        ),
        (
            "another checksum",
            [&with(b"TREE", b"")[..], b""].concat().iter().map(|byte| byte ^ 1).collect(),
            Err(Fault::Damaged("has a wrong checksum")),
        ),
        (
            "a link that is cut",
            with(b"link", &[1; 19]),
            Err(Fault::Damaged("has a torn link to its shared index")),
        ),
        (
            "a bitmap that is cut",
            link(&[0, 0, 0, 64, 0xFF, 0xFF, 0xFF, 0xFF]),
            Err(Fault::Damaged("has a torn link to its shared index")),
        ),
        ("nothing", Vec::new(), cut()),
    ];
    for (what, bytes, wanted) in rows {
        assert_eq!(paths(&bytes), wanted, "{what}");
    }
}

#[test]
fn refuses_an_index_that_is_cut_anywhere_or_has_a_bit_flipped() {
    for version in [2, 4] {
        let gone = (version == 4).then_some(&[0][..]);
        let mut sound = header(version, 2);
        sound.extend(entry(b"dir/a", 0o100_644, gone, 5));
        sound.extend(entry(
            if gone.is_some() { b"b" } else { b"dir/b" },
            0o100_644,
            gone.map(|_| &[1][..]),
            5,
        ));
        sound.extend(extension(b"TREE", b"anything"));
        let sound = whole(sound);
        assert_eq!(paths(&sound), Ok(vec![b"dir/a".to_vec(), b"dir/b".to_vec()]));
        for end in 0..sound.len() {
            assert!(paths(&sound[..end]).is_err(), "{end}");
            // With a checksum of its own, or none, the format reveals what is cut.
            let content = end.min(sound.len() - 21);
            let ends = [whole(sound[..content].to_vec()), [&sound[..content], &[0; 20]].concat()];
            for bytes in ends {
                let is_extension =
                    content >= sound.len() - 20 - 16 && content < sound.len() - 20 - 8;
                assert!(paths(&bytes).is_err() || is_extension, "{end}");
            }
        }
        for bit in 0..sound.len() * 8 {
            let mut bytes = sound.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(paths(&bytes).is_err(), "{bit}");
            // Without a checksum it is read or refused, and never gives more than the file has.
            let end = bytes.len() - 20;
            bytes[end..].fill(0);
            if let Ok(found) = paths(&bytes) {
                assert!(found.len() <= 2, "{bit}");
            }
        }
    }
}

/// Writes a split index and the shared one that it names, and reads them.
fn split(
    shared: Vec<u8>,
    changes: &[Vec<u8>],
    bitmaps: &[u8],
    name: Option<Oid>,
) -> Result<Vec<Vec<u8>>> {
    let temp = tempfile::tempdir().unwrap();
    let shared = whole(shared);
    let base = Oid::try_from(&shared[shared.len() - 20..]).unwrap();
    let named = name.unwrap_or(base);
    fs::write(temp.path().join(format!("sharedindex.{named}")), shared).unwrap();
    let count = u32::try_from(changes.len()).unwrap();
    let link = extension(b"link", &[named.as_slice(), bitmaps].concat());
    let index = whole([header(2, count), changes.concat(), link].concat());
    fs::write(temp.path().join("index"), &index).unwrap();
    let git_dir =
        Gate::new(&Arc::new(Access::new(true, &[])), "repo").open(temp.path()).unwrap().unwrap();
    Ok(read_index(&git_dir)?.entries.into_iter().map(|entry| entry.path.to_vec()).collect())
}

/// Returns a bitmap of one word.
fn bitmap(bits: u64) -> Vec<u8> {
    let words = [1_u64 << 33, bits].map(u64::to_be_bytes).concat();
    [&64_u32.to_be_bytes()[..], &2_u32.to_be_bytes(), &words, &[0; 4]].concat()
}

#[test]
fn a_split_index_that_does_not_fit_its_shared_one_is_damage() {
    let shared = || [header(2, 2), file("a"), file("c")].concat();
    let maps = |deleted, replaced| [bitmap(deleted), bitmap(replaced)].concat();
    let names =
        |paths: &[&str]| paths.iter().map(|path| path.as_bytes().to_vec()).collect::<Vec<_>>();
    for (changes, bitmaps, wanted) in [
        (vec![], vec![], Some(names(&["a", "c"]))),
        (vec![file("b")], maps(0, 0), Some(names(&["a", "b", "c"]))),
        (vec![file("b")], maps(1, 0), Some(names(&["b", "c"]))),
        (vec![file("")], maps(0, 2), Some(names(&["a", "c"]))),
        (vec![file("a")], maps(0, 0), Some(names(&["a", "c"]))),
        (vec![file("d"), file("b")], maps(0, 0), None),
        (vec![file("b")], maps(0, 2), None),
        (vec![], maps(0, 1), None),
        (vec![file("")], maps(0, 0), None),
        (vec![], maps(4, 0), None),
        (vec![], bitmap(0), None),
    ] {
        let found = split(shared(), &changes, &bitmaps, None);
        assert_eq!(found.ok(), wanted);
    }
    let other = Oid::from_hex(&[b'1'; 40]).unwrap();
    let message = |found: Result<Vec<Vec<u8>>>| found.unwrap_err().to_string();
    assert!(message(split(shared(), &[], &[], Some(other))).contains("another checksum"));
    let nested = [header(2, 0), extension(b"link", &[3; 20])].concat();
    assert!(message(split(nested, &[], &[], None)).contains("split itself"));
}

#[test]
fn refuses_a_split_index_that_names_itself() {
    let temp = tempfile::tempdir().unwrap();
    // Without a checksum a file can name itself.
    let name = Oid::from_hex(&[b'2'; 40]).unwrap();
    let index = [header(2, 0), extension(b"link", name.as_slice()), vec![0; 20]].concat();
    for file in ["index".to_owned(), format!("sharedindex.{name}")] {
        fs::write(temp.path().join(file), &index).unwrap();
    }
    let git_dir =
        Gate::new(&Arc::new(Access::new(true, &[])), "repo").open(temp.path()).unwrap().unwrap();
    assert!(read_index(&git_dir).unwrap_err().to_string().contains("another checksum"));
    fs::remove_file(temp.path().join(format!("sharedindex.{name}"))).unwrap();
    assert!(read_index(&git_dir).unwrap_err().to_string().contains("missing"));
}
