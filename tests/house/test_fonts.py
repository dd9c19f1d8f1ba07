"""What is measured in a browser is the same on every machine: the fonts are those of tests/fonts,
and no style sheet leaves the height of a line to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser

STYLES = sorted(Path(settings.BASE_DIR, "static", "css").glob("*.css"))
# As site.css has them.
TEXTS = {
    "ui": 'system-ui, "Segoe UI", Inter, "Noto Sans", sans-serif',
    "read": 'Charter, Cambria, "Noto Serif", Georgia, serif',
    "code": 'ui-monospace, "Cascadia Mono", monospace',
}


@pytest.mark.parametrize(
    ("browser", "families"),
    [
        ("dejavu", ["DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"]),
        ("noto", ["Noto Sans", "Noto Serif", "DejaVu Sans Mono"]),
    ],
    indirect=["browser"],
)
def test_the_browser_sees_the_fonts_of_the_tests_and_none_of_the_machine_s(
    browser: Browser, families: list[str]
) -> None:
    page = browser.new_page()
    page.set_content(
        "".join(f"<p id={name} style='font-family: {them}'>One</p>" for name, them in TEXTS.items())
    )
    tools = page.context.new_cdp_session(page)
    tools.send("DOM.enable")
    tools.send("CSS.enable")
    root = tools.send("DOM.getDocument")["root"]["nodeId"]
    used = []
    for name in TEXTS:
        node = tools.send("DOM.querySelector", {"nodeId": root, "selector": f"#{name}"})["nodeId"]
        fonts = tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        used.append([font["familyName"] for font in fonts])
    page.close()
    assert used == [[family] for family in families]


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_a_line_s_height_is_set_wherever_a_font_is(path: Path) -> None:
    """`font:` without a height takes the font's own: 1.16 in DejaVu, 1.36 in Noto."""
    fonts = re.findall(r"\bfont: *([^;]+);", path.read_text(encoding="utf-8"))
    assert [font for font in fonts if "/" not in font and font != "inherit"] == []
    assert "line-height: normal" not in path.read_text(encoding="utf-8")
