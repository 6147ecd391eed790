"""What matplotlib has drawn, as a part of a page: a policy without inline styles, and a title on each mark."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element

from ..server.web.elements import style_of
from .charts import ROLES, Chart

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
COLOURS = {number: f"var(--{name})" for name, number in ROLES.items()}
FONT = re.compile(r"font(-family)?: [^;]*")


class Styles:
    """The styles of all pictures of a page, each once as a class."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def name_of(self, style: str) -> str:
        """Returns the class of a style, in which colours are the page's."""
        for colour, role in COLOURS.items():
            style = style.replace(colour, role)
        return self.names.setdefault(FONT.sub(own_font, style), f"v{len(self.names)}")

    def sheet(self) -> str:
        return "".join(f".{name} {{ {style} }}\n" for style, name in self.names.items())


def own_font(found: re.Match[str]) -> str:
    """Returns the size of a font, and leaves its family to the page."""
    size = re.search(r"[\d.]+px", found[0])
    return f"font-size: {size[0]}" if size else ""


def embedded(chart: Chart, name: str, title: str, styles: Styles) -> Element:
    """Returns the picture for a page, with a description for readers who cannot see it."""
    root = ElementTree.fromstring(chart.svg)
    for parent in list(root.iter()):
        parent.tag = parent.tag.removeprefix(SVG)
        parent.text = parent.text and parent.text.strip()
        parent.tail = None
        for child in list(parent):
            if child.tag in (f"{SVG}metadata", f"{SVG}style"):
                parent.remove(child)
    for element in root.iter():
        tidy(element, name, styles)
        says = chart.marks.get(element.get("id", ""))
        if says is not None:
            title_of = ElementTree.Element("title")
            title_of.text = says
            element.insert(0, title_of)
            element.set("class", "mark")
    # The size is the page's.
    root.attrib = {
        "viewBox": root.get("viewBox", ""),
        "role": "img",
        "aria-labelledby": f"{name}-title {name}-desc",
    }
    for at, (tag, text) in enumerate((("title", title), ("desc", chart.sentence))):
        described = ElementTree.Element(tag, {"id": f"{name}-{tag}"})
        described.text = text
        root.insert(at, described)
    return root


def standalone(chart: Chart, name: str, title: str) -> bytes:
    """Returns the picture as a file, with the page's colours for light and for dark."""
    styles = Styles()
    root = embedded(chart, name, title, styles)
    # A picture has the colours, and none of the rules for a page.
    shared, _, rules = style_of(__package__).partition("body {")
    own = rules[rules.index(":root {") : rules.index("main {")]
    colours = f"{shared}{own}svg {{ font-family: system-ui, sans-serif; }}\n"
    style = ElementTree.Element("style")
    style.text = colours + styles.sheet() + ".page { fill: var(--paper); }\n"
    page = ElementTree.Element("rect", {"width": "100%", "height": "100%", "class": "page"})
    root.insert(2, style)
    root.insert(3, page)
    root.set("xmlns", SVG.strip("{}"))
    root.set("width", root.get("viewBox", "").split()[2])
    written: bytes = ElementTree.tostring(root, encoding="utf-8")
    return written


def tidy(element: Element, name: str, styles: Styles) -> None:
    """Makes a class of a style, and removes names that nothing needs."""
    style = element.attrib.pop("style", None)
    if style:
        element.set("class", styles.name_of(style))
    link = element.attrib.pop(LINK, None)
    if link:
        element.set("href", link)
    here = element.get("id")
    if here and element.tag == "g" and not here.startswith(f"{name}-"):
        del element.attrib["id"]
