"""Fills in what only the repository's address can tell of the package: hatchling calls this."""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))

from package_page import page, urls
from registry import repository_of_origin


class AddressHook(MetadataHookInterface):
    """Adds the README and the links; `REDLINE_REPOSITORY` is owner/name where the remote `origin` is not on GitHub."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = os.environ.get("REDLINE_REPOSITORY") or repository_of_origin()
        if repository:
            metadata["urls"] = urls(repository)
            text = page(text, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
