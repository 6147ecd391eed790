"""The README as the page of the package in a registry, where links have no checkout to lead into."""

import re

# A link or picture of Markdown whose target is neither an address nor a place of the page itself.
RELATIVE = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?!\w+:|#)([^)\s]+)\)")


def urls(repository: str) -> dict[str, str]:
    """Returns the links of the package; `repository` is owner/name on GitHub."""
    home = f"https://github.com/{repository}"
    return {
        "Homepage": home,
        "Documentation": f"{home}/tree/main/docs",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
        "Issues": f"{home}/issues",
    }


def page(readme: str, repository: str) -> str:
    """Returns the README with absolute links."""

    def absolute(link: re.Match[str]) -> str:
        is_picture, text, target = link.groups()
        host = "raw.githubusercontent.com" if is_picture else "github.com"
        between = "" if is_picture else "/blob"
        # The text of a link may be a picture.
        text = RELATIVE.sub(absolute, text)
        return f"{is_picture}[{text}](https://{host}/{repository}{between}/main/{target})"

    return RELATIVE.sub(absolute, readme)
