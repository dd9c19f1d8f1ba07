"""What one does at the desk: each act is a few keys or clicks of a person's on one device."""

from __future__ import annotations

import random
from collections import Counter
from itertools import count

from playwright.sync_api import Error

from annotators.keyboard import USUAL
from rubrics.documents.shipped import SLUGS, shipped
from tests.desk_keys import IS_SETTLED
from tests.factories import PASSWORD

from .device import Device

# By command, as one presses them; the storm's annotator has chosen none of their own.
KEYS = {command: key.lower() for command, key in USUAL.items()}
# By which the rubrics' checks are called; one that a row does not know does nothing there.
LETTERS = sorted(
    {
        check.key.lower()
        for slug in SLUGS
        for dimension in shipped(slug).dimensions
        for check in dimension.checks
        if check.key
    }
)
DIGITS = "0123456789"
WORDS = ("moons", "of", "Mars", "are", "two", "in", "number", "and", "small", "by", "night")
ANSWERS = "[data-target].current .answers input"
LEVELS = "[data-target].current .scale input:not([aria-disabled])"
TEXTS = "#comment, [data-target].current textarea[name$='.comment']"
OUTCOMES = "[data-target].current .outcomes input"
OPEN_COMMENTS = (
    "document.querySelectorAll('details.comment').forEach((each) => { each.open = true; })"
)
SELECT = """() => {
  const text = document.querySelector("[data-target].current [data-said]");
  if (text) getSelection().selectAllChildren(text);
}"""
FIRST_OPEN = """() => {
  const rows = [...document.querySelectorAll("[data-row]")];
  const open = rows.find((row) => !row.querySelector("[data-complete]"));
  open?.focus();
  return open?.id;
}"""
UNANSWERED = ".question:not(:has(.segment :checked)) .segment input"
LONGEST_FORM = 60  # looks at it, waits for verdicts among them
LONGEST_ROW = 5  # of them at one row, which may have ticks that do not go together
LONGEST_WAY = 5_000  # milliseconds, to another page

_numbers = count(1)


def tick(device: Device, chance: random.Random) -> str:
    return device.click(ANSWERS, chance.random())


def score(device: Device, chance: random.Random) -> str:
    return device.click(LEVELS, chance.random())


def letter(device: Device, chance: random.Random) -> str:
    """A key that means something in the row that one is in, or nothing; never Enter."""
    key = chance.choice([KEYS["best"], *LETTERS, *DIGITS])
    device.press("Escape")
    device.press(key)
    return key


def write(device: Device, chance: random.Random) -> str:
    """Some words, more than a person has said before."""
    try:
        device.page.evaluate(OPEN_COMMENTS)
    except Error:
        return ""  # the page has given way to another one
    if not (place := device.click(TEXTS, chance.random())):
        return ""
    if chance.random() < 0.5:
        device.press("Control+a")
    else:
        device.press("End")
    words = f"{' '.join(chance.choices(WORDS, k=3))} {next(_numbers)}"
    device.page.keyboard.type(words)
    return f"{place}: {words}"


def doubt(device: Device, chance: random.Random) -> str:
    """Mark the item as not sure, or take the mark back."""
    device.press("Escape")
    device.press(KEYS["unsure"])
    return "not sure"


def walk(device: Device, chance: random.Random) -> str:
    key = chance.choice(("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Tab", "Shift+Tab"))
    device.press("Escape")
    device.press(key)
    return key


def look(device: Device, chance: random.Random) -> str:
    """The texts in another view; the list of keys; a pause."""
    command = chance.choice(("view", "compare", "help", "pause", "rubric"))
    device.press("Escape")
    device.press(KEYS[command])
    if command in ("help", "pause"):
        device.press("Escape")
    return command


def submit(device: Device, chance: random.Random) -> str:
    """As the form is; most often something is missing. Now and then twice."""
    if chance.random() < 0.5:
        device.press("Control+Enter")
        if chance.random() < 0.3:
            device.press("Control+Enter")
        return "Control+Enter"
    return device.click("#submit")


def complete(device: Device, chance: random.Random) -> str:
    """Answer all that is open, row by row, and submit."""
    submits = chance.random() < 0.85
    looks: Counter[str] = Counter()
    for _ in range(LONGEST_FORM):
        try:
            rested = device.page.evaluate(IS_SETTLED)
            row = device.page.evaluate(FIRST_OPEN)
        except Error:
            return "left"
        if row is None or looks[row] > LONGEST_ROW:
            break
        if not rested:
            device.page.wait_for_timeout(30)
            continue
        looks[row] += 1
        device.press(KEYS["best"])
        device.page.wait_for_timeout(10)
        if device.click(f"#{row} {UNANSWERED}", chance.random()):
            continue
        device.click(f"#{row} .scale input:not([aria-disabled])", chance.random())
        device.click(f"#{row} .detection:not(:has(:checked)) input", chance.random())
    if submits:
        device.press("Control+Enter")
    return "submitted" if submits else "filled in"


def go_back(device: Device, chance: random.Random) -> str:
    """To the last rating, and perhaps back at once; from there, else, by the desk's address."""
    device.press("Escape")
    device.press(KEYS["back"])
    if chance.random() < 0.5:
        return "left"
    try:
        device.page.wait_for_url("**/ratings/**", timeout=LONGEST_WAY)
    except Error:
        return "stayed"  # the network is away, or two versions are shown
    device.press(KEYS["back"])
    return "there and back"


def look_up(device: Device, chance: random.Random) -> str:
    """A claim, selected in a response; or what came of one."""
    if chance.random() < 0.4 and (outcome := device.click(OUTCOMES, chance.random())):
        return outcome
    device.press("Escape")
    try:
        device.page.evaluate(SELECT)
    except Error:
        return ""  # as above
    device.press(KEYS["look_up"])
    return "look_up"


def skip(device: Device, chance: random.Random) -> str:
    return _concern(device, chance, "[data-skip]")


def flag(device: Device, chance: random.Random) -> str:
    return _concern(device, chance, "[data-flag]")


def _concern(device: Device, chance: random.Random, button: str) -> str:
    device.press("Escape")
    if not device.click("[data-concern-open]"):
        return ""
    if not device.click("#concern input[type=radio]", chance.random()):
        return ""
    return device.click(f"#concern {button}")


def choose(device: Device, chance: random.Random) -> str:
    """From a form whose item was rated meanwhile, to the rating or to the next item."""
    return device.click("#beside .conflict a", chance.random())


def turn_to_version(device: Device, chance: random.Random) -> str:
    """Open what another page saved, where there is a link to it."""
    return device.click("#beside a[href*='?draft=']", chance.random())


def log_in(device: Device, name: str) -> bool:
    """As someone does who is asked to. False where the network or the server is away."""
    try:
        device.page.fill("[name=login]", name)
        device.page.fill("[name=password]", PASSWORD)
        device.press("Enter")
        device.page.wait_for_function("() => !document.querySelector('[name=password]')")
        device.page.wait_for_load_state("load")
    except Error as error:
        if "net::ERR" in str(error) or "chrome-error" in device.page.url:
            return False
        raise
    return True


# How often what is done, of a hundred times; the others are in `run`.
ACTS = {
    "tick": 18,
    "score": 12,
    "letter": 9,
    "write": 18,
    "doubt": 2,
    "walk": 5,
    "look": 3,
    "submit": 5,
    "complete": 7,
    "go_back": 1.5,
    "turn_to_version": 2,
    "look_up": 4,
    "skip": 0.8,
    "flag": 0.8,
}
