"""Files of other encodings against git, which reads them with iconv: every character of those that its users name."""

import ctypes

import pytest
import repositories

# One name of each character set, and how many bytes its longest characters have.
NAMES = {
    "SHIFT_JIS": 2, "CP932": 2, "EUC-JP": 3, "EUC-KR": 2, "CP949": 2, "GB2312": 2, "GBK": 2, "GB18030": 4, "BIG5": 2, "KOI8-R": 1, "KOI8-U": 1,
    "MACINTOSH": 1, "CP437": 1, "CP850": 1, "CP852": 1, "CP866": 1, "TIS-620": 1, "CP874": 1,
    **{f"ISO-8859-{number}": 1 for number in range(1, 17) if number != 12}, **{f"windows-{number}": 1 for number in range(1250, 1259)},
}  # fmt: skip


class Iconv:
    """The iconv of the C library, as git uses it."""

    def __init__(self, name: str):
        self.library = ctypes.CDLL(None)
        self.library.iconv_open.restype = ctypes.c_void_p
        self.library.iconv.restype = ctypes.c_size_t
        self.handle = ctypes.c_void_p(self.library.iconv_open(b"UTF-8", name.encode()))

    def is_text(self, data: bytes) -> bool:
        self.library.iconv(self.handle, None, None, None, None)
        source, target = (
            ctypes.create_string_buffer(data, len(data)),
            ctypes.create_string_buffer(64),
        )
        at, left = ctypes.c_char_p(ctypes.addressof(source)), ctypes.c_size_t(len(data))
        to, room = ctypes.c_char_p(ctypes.addressof(target)), ctypes.c_size_t(len(target))
        made = self.library.iconv(
            self.handle, ctypes.byref(at), ctypes.byref(left), ctypes.byref(to), ctypes.byref(room)
        )
        return made != ctypes.c_size_t(-1).value and left.value == 0


def characters(name: str) -> tuple[list[bytes], list[bytes]]:
    """Returns the characters of a set, and the first of each run of byte sequences that are not characters."""
    iconv, size = Iconv(name), NAMES[name]
    candidates = [bytes([one]) for one in range(256)]
    if size > 1:
        candidates += [bytes([one, two]) for one in range(0x80, 256) for two in range(0x30, 256)]
    if size == 3:
        candidates += [
            bytes([0x8F, two, three]) for two in range(0xA0, 256) for three in range(0xA0, 256)
        ]
    if size == 4:  # every first, second and third byte, with a fourth that goes with them
        candidates += [bytes([one, two, three, 0x30 + (one + two + three) % 10]) for one in (*range(0x81, 0x86), 0x90, 0xE3, 0xFE) for two in range(0x30, 0x3A) for three in range(0x81, 0xFF)]  # fmt: skip
    wanted, none, was_text = [], [], True
    for data in candidates:
        is_text = iconv.is_text(data)
        if is_text and not data.startswith((b"\n", b"\r")):
            # Two characters of one byte each are known already.
            wanted += [data] if len(data) == 1 or not iconv.is_text(data[:1]) else []
        elif was_text and not is_text:
            none.append(data)
        was_text = is_text
    return wanted, none


@pytest.mark.parametrize("name", NAMES)
def test_every_character_of_a_set_is_the_one_that_git_stores(con, tmp_path, name):
    wanted, none = characters(name)
    assert len(wanted) > 95
    repositories.git(tmp_path, "init", "--quiet", "-b", "main", ".")
    # A file is converted whole or not at all, so each invalid sequence has a file of its own.
    files = {
        "all": b"\n".join(wanted) + b"\n",
        **{f"none/{number:03}": data + b"\n" for number, data in enumerate(none)},
    }
    for file in files:
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text("before\n")
    repositories.git(tmp_path, "add", ".")
    (tmp_path / ".gitattributes").write_text(f"* diff working-tree-encoding={name}\n")
    for file, data in files.items():
        (tmp_path / file).write_bytes(data)
    patches = con.execute(
        "SELECT file_path, patch_bytes FROM file_patches('INDEX', 'WORKTREE', ?)", [str(tmp_path)]
    ).fetchall()
    assert len(patches) == len(files)
    theirs = repositories.git(tmp_path, "diff", "--no-color")
    if b"".join(patch for _, patch in patches) != theirs:
        wrong = [file for file, patch in patches if patch not in theirs]
        ours = dict(patches)["all"].split(b"\n")
        lines = [line for line in ours if line not in theirs][:20]
        pytest.fail(f"{[files[file] for file in wrong if file != 'all'][:20]}, {lines}")


@pytest.mark.parametrize(
    "name", ["x-sjis", "no-such", "unicode-1-1-utf-8", "hz-gb-2312", "visual", "x-mac-roman"]
)
def test_a_name_that_iconv_does_not_know_leaves_the_file_as_it_is(con, tmp_path, name):
    assert Iconv(name).handle.value == ctypes.c_void_p(-1).value
    repositories.git(tmp_path, "init", "--quiet", "-b", "main", ".")
    (tmp_path / "f").write_text("before\n")
    repositories.git(tmp_path, "add", ".")
    (tmp_path / ".gitattributes").write_text(f"* working-tree-encoding={name}\n")
    (tmp_path / "f").write_bytes(b"\x82\xa0\xe9\n")
    ((patch,),) = con.execute(
        "SELECT patch_bytes FROM file_patches('INDEX', 'WORKTREE', ?)", [str(tmp_path)]
    ).fetchall()
    assert patch == repositories.git(tmp_path, "diff", "--no-color")
