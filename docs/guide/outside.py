"""Nothing that the built guide loads lies elsewhere: `python docs/guide/outside.py site`."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
_IMPORTED = re.compile(r"""(?:@import\s+|url\()\s*["']?(https?:)?//""")


class Loaded(HTMLParser):
    """Addresses of what a page loads by itself; links that people follow may lead anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        address = given.get("href") if tag == "link" and given.get("rel") != "canonical" else None
        address = address or given.get(LOADED.get(tag, ""))
        if address and re.match(r"(https?:)?//", address):
            self.found.append(address)


def outside(site: Path) -> list[str]:
    """`FILE: ADDRESS` for each thing that would be fetched from elsewhere."""
    found = []
    for page in sorted(site.rglob("*.html")):
        reader = Loaded()
        reader.feed(page.read_text(encoding="utf-8"))
        found += [f"{page.relative_to(site)}: {address}" for address in reader.found]
    for style in sorted(site.rglob("*.css")):
        if _IMPORTED.search(style.read_text(encoding="utf-8")):
            found.append(f"{style.relative_to(site)}: a style or font from elsewhere")
    return found


if __name__ == "__main__":
    built = Path(sys.argv[1])
    if problems := outside(built):
        sys.exit("\n".join(problems))
    print(f"{sum(1 for _ in built.rglob('*.html'))} pages in {built}, nothing from elsewhere")
