"""axe-core, which finds what of a page is not accessible. `.ci/night` fetches it where npm is."""

import os
import pathlib

import pytest
from chromium import Chromium
from repositories import ROOT

SOURCE = pathlib.Path(os.environ.get("REDLINE_TEST_AXE") or ROOT / "build/axe/package/axe.min.js")
needs_axe = pytest.mark.skipif(
    not SOURCE.is_file(), reason="there is no axe-core in build/axe (.ci/night fetches it with npm)"
)
RUN = """
axe.run(document, {resultTypes: ['violations']}).then(({violations, passes, testEngine}) => ({
    engine: testEngine.name,
    passes: passes.length,
    found: violations.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) => `${id}: ${target.join(' ')}: ${failureSummary}`)),
}))
"""


def violations(browser: Chromium) -> list[str]:
    """Returns what axe-core finds in the page as it is, in light and in dark."""
    found = []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.do("Emulation.setEmulatedMedia", features=features)
        # Its own console, to which the policy of the page does not apply.
        browser.value(f"{SOURCE.read_text()}; true")
        result = browser.value(RUN)
        assert result["engine"] == "axe-core" and result["passes"] > 5
        found += [f"{scheme}: {said}" for said in result["found"]]
    browser.do("Emulation.setEmulatedMedia", features=[])
    return found
