//! Two texts and options out of the fuzzer's bytes.

use redline_text::{Algorithm, Whitespace};

/// The algorithms and the modes of white space.
pub const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::Myers, Algorithm::Minimal, Algorithm::Patience, Algorithm::Histogram];
pub const WHITESPACE: [Whitespace; 5] =
    [Whitespace::Exact, Whitespace::All, Whitespace::Change, Whitespace::Eol, Whitespace::CrAtEol];

/// Bytes of both texts together for which the algorithms without shortcuts end soon enough.
const SHORT: usize = 4096;

/// Lines that a byte can stand for, so that the two texts share many; some look like parts of a patch.
const WORDS: [&str; 32] = [
    "a\n",
    "b\n",
    "c\n",
    "\n",
    "}\n",
    "{\n",
    "\t}\n",
    "    x\n",
    "  x\n",
    "x \n",
    "x\r\n",
    "\r\n",
    " \n",
    "--- a\n",
    "+++ b\n",
    "-- \n",
    "@@ -1 +1 @@\n",
    "\\ No newline at end of file\n",
    "diff --git a/x b/x\n",
    "fn f() {\n",
    "int main()\n",
    "[section]\n",
    "# heading\n",
    "é\n",
    "\u{2028}\n",
    "\0\n",
    "a",
    "b\r",
    " ",
    "\t",
    "GIT binary patch\n",
    "index 1..2\n",
];

/// Options as bytes, two texts, and what is left of the options for a name.
pub struct Input<'a> {
    options: &'a [u8],
    pub old: Vec<u8>,
    pub new: Vec<u8>,
}

impl<'a> Input<'a> {
    /// Takes 16 bytes of options and two texts: what stands before and behind the first `0xff`, else two halves.
    pub fn new(data: &'a [u8]) -> Option<Self> {
        let (options, texts) = data.split_at_checked(16)?;
        let (old, new) = match texts.iter().position(|&byte| byte == 0xff) {
            Some(at) => (&texts[..at], &texts[at + 1..]),
            None => texts.split_at(texts.len() / 2),
        };
        let in_words = |text: &[u8]| -> Vec<u8> {
            text.iter()
                .flat_map(|&byte| WORDS[usize::from(byte) % WORDS.len()].as_bytes())
                .copied()
                .collect()
        };
        let (old, new) = if options[0] & 1 == 0 {
            (old.to_vec(), new.to_vec())
        } else {
            (in_words(old), in_words(new))
        };
        Some(Self { options, old, new })
    }

    pub fn option(&self, index: usize) -> u8 {
        self.options[index]
    }

    /// Returns bytes that can be a part of a path: one at least, none of them NUL.
    pub fn name(&self) -> Vec<u8> {
        let name = self.options[8..].iter().copied().filter(|&byte| byte != 0);
        std::iter::once(b'f').chain(name).collect()
    }

    /// Tells whether the texts are short enough for every algorithm.
    pub fn is_short(&self) -> bool {
        self.old.len() + self.new.len() <= SHORT
    }
}
