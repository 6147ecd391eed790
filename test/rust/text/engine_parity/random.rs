//! Makes pairs of texts that are hard to diff the same way twice.

/// A small deterministic generator (xorshift64*, Vigna 2016): a seed names a failing pair for good.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 0
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

type Text = Vec<Vec<u8>>;

/// Returns the pair that `seed` names.
pub fn pair(seed: u64) -> (Vec<u8>, Vec<u8>) {
    let r = &mut Random::new(seed + 1);
    let (old, new) = match seed % 10 {
        0 => small_alphabet(r),
        1 | 2 => code(r),
        3 => frequent_among_missing(r),
        4 => unrelated_with_shared_blocks(r, 900),
        5 => unrelated(r),
        6 => blank_lines(r),
        7 => moved_blocks(r),
        8 => long_common_tail(r),
        _ => edited_numbers(r),
    };
    let (mut old, mut new) = (old, new);
    if r.one_in(3) {
        disturb_space(r, &mut new);
        if r.one_in(2) {
            disturb_space(r, &mut old);
        }
    }
    (join(r, &old), join(r, &new))
}

fn join(r: &mut Random, lines: &Text) -> Vec<u8> {
    let mut bytes = lines.concat();
    if r.one_in(5) {
        bytes.pop();
    }
    bytes
}

fn line(text: impl AsRef<str>) -> Vec<u8> {
    format!("{}\n", text.as_ref()).into_bytes()
}

fn symbols(r: &mut Random, most: usize, kinds: usize) -> Text {
    (0..r.below(most)).map(|_| line(format!("{}", r.below(kinds)))).collect()
}

/// Inserts, deletes, replaces, repeats and moves lines and blocks.
fn edit(
    r: &mut Random,
    lines: &Text,
    edits: usize,
    fresh: &mut dyn FnMut(&mut Random) -> Vec<u8>,
) -> Text {
    let mut new = lines.clone();
    for _ in 0..edits {
        let at = r.below(new.len() + 1);
        let to = (at + r.below(8)).min(new.len());
        match r.below(6) {
            0 => drop(new.drain(at..to)),
            1 => {
                let line = fresh(r);
                new.insert(at, line);
            }
            2 if at < new.len() => new[at] = fresh(r),
            3 => {
                let block = new[at..to].to_vec();
                new.splice(at..at, block);
            }
            4 => {
                let block: Text = new.drain(at..to).collect();
                let there = r.below(new.len() + 1);
                new.splice(there..there, block);
            }
            _ => {
                let block: Text = (0..r.below(4)).map(|_| fresh(r)).collect();
                new.splice(at..to, block);
            }
        }
    }
    new
}

fn small_alphabet(r: &mut Random) -> (Text, Text) {
    let kinds = 1 + r.below(6);
    let old = symbols(r, 60, kinds);
    let edits = r.below(12);
    let new = edit(r, &old, edits, &mut |r| line(format!("{}", r.below(kinds))));
    (old, new)
}

fn unrelated(r: &mut Random) -> (Text, Text) {
    let (most, kinds) = (20 + r.below(400), 1 + r.below(40));
    (symbols(r, most, kinds), symbols(r, most, kinds))
}

fn edited_numbers(r: &mut Random) -> (Text, Text) {
    let old: Text = (0..r.below(300)).map(|i| line(format!("line {i}"))).collect();
    let edits = r.below(30);
    let new = edit(r, &old, edits, &mut |r| line(format!("line {}", r.below(400))));
    (old, new)
}

fn code_line(r: &mut Random) -> Vec<u8> {
    let indent =
        *r.pick(&["", "    ", "    ", "        ", "        ", "\t", "\t\t", "  ", "            "]);
    let word = *r.pick(&[
        "}",
        "}",
        "{",
        "return x;",
        "if (a) {",
        "end",
        "",
        "",
        "",
        "fn f() {",
        "} else {",
        "/*",
        " */",
        "x = y;",
        "call();",
        "#endif",
        "let a = 1;",
        "let b = 2;",
        ");",
        "\x0c",
        "  ",
    ]);
    line(format!("{indent}{word}"))
}

fn code(r: &mut Random) -> (Text, Text) {
    let old: Text = (0..r.below(150)).map(|_| code_line(r)).collect();
    let edits = r.below(15);
    let new = edit(r, &old, edits, &mut code_line);
    (old, new)
}

fn blank_lines(r: &mut Random) -> (Text, Text) {
    let kinds = 2 + r.below(50);
    let mut fresh = move |r: &mut Random| {
        if r.one_in(2) {
            line(*r.pick(&["", "", "", " ", "\t", "\r"]))
        } else {
            line(format!("{}", r.below(kinds)))
        }
    };
    let old: Text = (0..r.below(90)).map(|_| fresh(r)).collect();
    let edits = r.below(25);
    let new = edit(r, &old, edits, &mut fresh);
    (old, new)
}

fn moved_blocks(r: &mut Random) -> (Text, Text) {
    let block = |r: &mut Random| -> Text {
        let kind = r.below(9);
        (0..3 + r.below(12))
            .map(|i| line(format!("    block {kind} line {i}")))
            .chain([line("}"), line("")])
            .collect()
    };
    let blocks: Vec<Text> = (0..r.below(12)).map(|_| block(r)).collect();
    let mut shuffled = blocks.clone();
    for _ in 0..r.below(6) {
        let (a, b) = (r.below(shuffled.len()), r.below(shuffled.len()));
        if !shuffled.is_empty() {
            shuffled.swap(a, b);
        }
    }
    let edits = r.below(6);
    (blocks.concat(), edit(r, &shuffled.concat(), edits, &mut code_line))
}

/// Lines that are frequent on the other side among lines it does not have.
fn frequent_among_missing(r: &mut Random) -> (Text, Text) {
    let (missing, kinds, length) = (2 + r.below(9), 1 + r.below(3), 30 + r.below(600));
    let mut side = |tag: &str| -> Text {
        (0..length)
            .map(|i| {
                if r.below(10) < missing {
                    line(format!("{tag}{i}"))
                } else if r.one_in(25) {
                    line(format!("rare {}", r.below(40)))
                } else {
                    line(format!("{}", r.below(kinds)))
                }
            })
            .collect()
    };
    (side("a"), side("b"))
}

/// So many edits that the search takes shortcuts, with equal blocks that are worth one.
fn unrelated_with_shared_blocks(r: &mut Random, length: usize) -> (Text, Text) {
    let kinds = 2 + r.below(200);
    let blocks: Vec<Text> = (0..6)
        .map(|_| (0..15 + r.below(60)).map(|_| line(format!("{}", r.below(kinds)))).collect())
        .collect();
    let side = |r: &mut Random| -> Text {
        let mut text = Text::new();
        let whole = 300 + r.below(length);
        while text.len() < whole {
            if r.one_in(3) {
                text.extend(r.pick(&blocks).iter().cloned());
            } else {
                let count = r.below(120);
                text.extend((0..count).map(|_| line(format!("{}", r.below(kinds)))));
            }
        }
        text
    };
    (side(r), side(r))
}

fn long_common_tail(r: &mut Random) -> (Text, Text) {
    let (mut old, mut new) = if r.one_in(2) { small_alphabet(r) } else { code(r) };
    let kinds = 1 + r.below(20);
    let width = r.below(12);
    let tail: Text =
        (0..100 + r.below(500)).map(|_| line(format!("{:0width$}", r.below(kinds)))).collect();
    old.extend(tail.iter().cloned());
    new.extend(tail);
    (old, new)
}

fn disturb_space(r: &mut Random, text: &mut Text) {
    let chance = 1 + r.below(6);
    for line in text {
        if !r.one_in(chance) {
            continue;
        }
        match r.below(7) {
            0 => line.insert(0, b' '),
            1 => line.insert(0, b'\t'),
            2 => line.insert(line.len() - 1, b' '),
            3 => line.insert(line.len() - 1, b'\r'),
            4 => line.insert(r.below(line.len()), b' '),
            5 => line.retain(|&byte| byte != b' '),
            _ => line.insert(r.below(line.len()), *r.pick(b"\r\x0b\t")),
        }
    }
}
