"""The page of the package in a registry: the README, with links that lead somewhere from there."""

import re
import sys

from repositories import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from package_page import page, urls

HOME = "https://github.com/owner/redline"


def test_every_link_of_the_readme_is_absolute_on_the_page():
    shown = page((ROOT / "README.md").read_text(), "owner/redline")
    targets = re.findall(r"\]\(([^)]+)\)", shown)
    assert targets and all(re.match(r"https://|#", target) for target in targets)
    files = [target.removeprefix(f"{HOME}/blob/main/") for target in targets]
    assert all((ROOT / file.partition("#")[0]).exists() for file in files if ":" not in file)


def test_links_pictures_and_places_of_the_page_are_distinguished():
    assert page("[a](docs/a.md#b) [c](#d) [e](https://x.y) ![f](g.svg)", "owner/redline") == (
        f"[a]({HOME}/blob/main/docs/a.md#b) [c](#d) [e](https://x.y) "
        "![f](https://raw.githubusercontent.com/owner/redline/main/g.svg)"
    )
    assert page("[![f](g.svg)](a.md)", "o/r") == (
        "[![f](https://raw.githubusercontent.com/o/r/main/g.svg)](https://github.com/o/r/blob/main/a.md)"
    )


def test_the_links_of_the_package_lead_to_its_repository():
    assert set(urls("owner/redline")) == {"Homepage", "Documentation", "Changelog", "Issues"}
    assert all(url.startswith(HOME) for url in urls("owner/redline").values())
