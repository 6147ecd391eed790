//! Pointers to content of Git LFS, which a repository has in place of the content.

use redline_base::limits;

/// The first line of a pointer.
const VERSION: &str = "version https://git-lfs.github.com/spec/v1";

/// A pointer: the SHA-256 of the content and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LfsPointer {
    /// The SHA-256 as 64 hexadecimal digits in lower case.
    pub oid: String,
    /// The bytes of the content.
    pub size: u64,
}

impl LfsPointer {
    /// Parses a pointer as git-lfs's specification describes it: lines `key value`, the version
    /// first and the others in the order of their keys, among them `oid` and `size`. `None` for any
    /// other content.
    pub fn parse(content: &[u8]) -> Option<Self> {
        if content.len() as u64 > limits::LFS_POINTER_BYTES {
            return None;
        }
        let text = std::str::from_utf8(content).ok()?.strip_suffix('\n')?;
        let (version, rest) = text.split_once('\n')?;
        if version != VERSION {
            return None;
        }
        let (mut oid, mut size, mut last) = (None, None, "");
        for line in rest.split('\n') {
            let (key, value) = line.split_once(' ')?;
            let is_key = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b".-".contains(&c);
            if key <= last || !key.bytes().all(is_key) {
                return None;
            }
            last = key;
            match key {
                "oid" => oid = Some(value.strip_prefix("sha256:").filter(|oid| is_sha256(oid))?),
                "size" if value.bytes().all(|digit| digit.is_ascii_digit()) => {
                    size = Some(value.parse().ok()?);
                }
                "size" => return None,
                _ => {}
            }
        }
        Some(Self { oid: oid?.to_owned(), size: size? })
    }

    /// Returns the path of the content below the directory of LFS.
    pub fn path(&self) -> String {
        let oid = &self.oid;
        format!("objects/{}/{}/{oid}", &oid[..2], &oid[2..4])
    }
}

fn is_sha256(oid: &str) -> bool {
    oid.len() == 64 && oid.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_has_a_version_an_id_and_a_size() {
        let oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
        let pointer = |lines: &str| {
            let lines = lines.replace("OID", oid).replace("V1", VERSION);
            LfsPointer::parse(lines.as_bytes())
        };
        let found = LfsPointer { oid: oid.to_owned(), size: 12345 };
        assert_eq!(found.path(), format!("objects/4d/7a/{oid}"));
        let found = Some(found);
        assert_eq!(pointer("V1\noid sha256:OID\nsize 12345\n"), found);
        assert_eq!(pointer("V1\next-0-foo sha256:OID\noid sha256:OID\nsize 12345\n"), found);
        for other in [
            "",
            "V1\n",
            "V1\noid sha256:OID\nsize 12345",
            "V1\noid sha256:OID\nsize -1\n",
            "V1\noid sha256:OID\nsize +1\n",
            "V1\noid sha256:OID\nsize 99999999999999999999\n",
            "V1\noid sha256:OID\n",
            "V1\nsize 12345\n",
            "V1\nsize 12345\noid sha256:OID\n",
            "V1\noid sha256:OID\noid sha256:OID\nsize 12345\n",
            "V1\noid sha1:OID\nsize 12345\n",
            "V1\noid sha256:../../x\nsize 12345\n",
            "V1\noid sha256:OID \nsize 12345\n",
            "V1\n\noid sha256:OID\nsize 12345\n",
            "version https://example.com\noid sha256:OID\nsize 12345\n",
            "id,price\n1,2\n",
        ] {
            assert_eq!(pointer(other), None, "{other:?}");
        }
        let upper = format!("{VERSION}\noid sha256:{}\nsize 1\n", oid.to_ascii_uppercase());
        assert_eq!(LfsPointer::parse(upper.as_bytes()), None);
        let long = format!("{VERSION}\nkey {}\noid sha256:{oid}\nsize 1\n", "x".repeat(1024));
        assert_eq!(LfsPointer::parse(long.as_bytes()), None);
    }
}
