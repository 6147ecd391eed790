"""What documents and comments name is there: files, modules and what is defined in them."""

import re

import pytest
import repositories

ROOT = repositories.ROOT
# By module; that of a crate is its directory.
SOURCES = {
    re.sub(
        "/(mod|lib)$", "", path.relative_to(ROOT / "src").with_suffix("").as_posix()
    ): path.read_text()
    for path in sorted((ROOT / "src").rglob("*.rs"))
}
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "test/README.md",
    ROOT / "benches/README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FOLDERS = ["benches", "docs", "examples", "python", "scripts", "sql", "src", "test"]
FILE = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)`")
# `store::pack`; a cast of SQL, whose type is in capital letters, is none.
MODULE = re.compile(r"`((?:\w+::)+\w*[a-z]\w*)")
# A test of Python or Rust: five words at least, where settings and options have fewer.
TEST = re.compile(r"`(test_\w+|[a-z]+(?:_[a-z0-9]+){4,})`")
COMMENT = re.compile(r"//.*")
# Crates whose items the documents name.
CRATES = ("std::", "core::", "gix::", "serde_json::", "vtab::")


def defines(text: str, name: str) -> bool:
    if name not in text:
        return False
    kinds = "fn|struct|enum|trait|mod|const|static|type|macro_rules!"
    # A method or a variant of a type that is named before it is a word of its file.
    return re.search(rf"\b(?:{kinds})\s+{name}\b|^\s+{name}[,({{ ]", text, re.MULTILINE) is not None


def is_there(name: str) -> bool:
    """Tells whether some module's path ends as the name begins, and has or holds the rest of it."""
    names = [part for part in name.split("::") if part not in ("crate", "super", "self")]
    names[0] = names[0].removeprefix("redline_") if len(names) > 1 else names[0]
    if names[0][0].isupper() or len(names) == 1:
        return any(defines(text, names[0]) for text in SOURCES.values())
    for length in range(len(names), 0, -1):
        ending = "/".join(names[:length])
        for module in SOURCES:
            if f"/{module}".endswith(f"/{ending}"):
                inside = "".join(
                    text for path, text in SOURCES.items() if f"{path}/".startswith(f"{module}/")
                )
                if all(defines(inside, part) for part in names[length:]):
                    return True
    return False


def missing(text: str) -> list[str]:
    modules = [found for found in MODULE.findall(text) if not found.startswith(CRATES)]
    return [name for name in modules if not is_there(name)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_modules_that_a_document_names_are_there(document):
    text = document.read_text()
    files = [path for path in FILE.findall(text) if not (ROOT / path).exists()]
    assert files + missing(text) == []


def test_modules_that_comments_name_are_there():
    comments = {
        module: "\n".join(COMMENT.findall(text)) for module, text in SOURCES.items() if module
    }
    wrong = {module: names for module, text in comments.items() if (names := missing(text))}
    assert wrong == {}


def test_tests_that_the_promises_name_are_there():
    page = (ROOT / "docs/security.md").read_text()
    # A promise that is given up is taken from this number.
    assert len(re.findall(r"^\| .* \| `\S+[.](?:py|rs)`.* \|$", page, re.MULTILINE)) >= 147
    named = set(TEST.findall(page))
    sources = [
        path
        for folder in ("src", "test", "benches")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".rs", ".py")
    ]
    defined = {path.stem for path in sources} | {
        name for path in sources for name in re.findall(r"\b(?:def|fn) (\w+)", path.read_text())
    }
    assert len(named) > 200 and named - defined == set()


@pytest.mark.parametrize("name", ["git::store::no_such", "no_such::module", "git::review::Page"])
def test_a_name_that_is_not_there_is_found_out(name):
    assert missing(f"`{name}`") == [name]
