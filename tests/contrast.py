"""How well what a page shows can be told from its ground."""

from __future__ import annotations

import json

from playwright.sync_api import Page

# Each text that can be seen: its words, its colour and the ground that it stands on, as a canvas
# draws them. With borders: those of controls, against the ground around them.
COLOURS = """([what]) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const drawn = (colours) => {
    const name = colours.join();
    if (!known.has(name)) {
      canvas.clearRect(0, 0, 1, 1);
      for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
      known.set(name, [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)]);
    }
    return known.get(name);
  };
  const under = new Map();
  const grounds = (element) => {
    if (!element) return ["Canvas"];
    if (!under.has(element)) {
      const own = getComputedStyle(element).backgroundColor;
      under.set(element, [...grounds(element.parentElement), own]);
    }
    return under.get(element);
  };
  const seen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !["inset(50%)"].includes(getComputedStyle(element).clipPath)
    && element.getClientRects().length;
  if (what === "text") {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      const words = walker.currentNode.textContent.trim();
      if (!words || !seen(element) || element.closest("noscript, script")) continue;
      const ground = grounds(element);
      const colour = drawn([...ground, getComputedStyle(element).color]);
      texts.push([words, colour, drawn(ground)]);
    }
    return JSON.stringify(texts);
  }
  const controls = ".level label, .segment label, .tick label, .secondary, "
    + "textarea, select, .card, .strip a";
  return JSON.stringify([...document.querySelectorAll(controls)].filter(seen).map((element) => [
    element.outerHTML.slice(0, 80),
    drawn([...grounds(element.parentElement), getComputedStyle(element).borderBlockEndColor]),
    drawn(grounds(element.parentElement)),
  ]));
}"""


def colours(page: Page, what: str) -> list[tuple[str, list[int], list[int]]]:
    """What `COLOURS` finds. As one text: Playwright takes long over lists of lists."""
    found: list[tuple[str, list[int], list[int]]] = json.loads(page.evaluate(COLOURS, [what]))
    return found


def luminance(colour: list[int]) -> float:
    """Relative luminance, from 0 to 1, of an sRGB colour: WCAG 2.2."""
    parts = [part / 255 for part in colour]
    red, green, blue = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: list[int], other: list[int]) -> float:
    """Contrast ratio, from 1 to 21: WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def below(page: Page, what: str, least: float) -> list[tuple[str, float]]:
    """What has less contrast than it should."""
    found = colours(page, what)
    assert len(found) > 3, "nothing was looked at"
    ratios = [(words[:60], round(contrast(colour, ground), 2)) for words, colour, ground in found]
    return [(words, ratio) for words, ratio in ratios if ratio < least]
