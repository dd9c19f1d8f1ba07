"""Names of browsers and systems, from a browser's User-Agent header."""

import re

from django.utils.text import Truncator

LONGEST = 300  # characters of the header that are stored
LONGEST_SHOWN = 61  # with the sign that more follows
# The first match counts: most browsers claim to be others, too.
BROWSERS = {
    "Edge": r"\bEdg(e|A|iOS)?/",
    "Opera": r"\bOPR/|\bOpera\b",
    "Samsung Internet": r"\bSamsungBrowser/",
    "Vivaldi": r"\bVivaldi/",
    "Firefox": r"\b(Firefox|FxiOS)/",
    "Chromium": r"\bChromium/",
    "Chrome": r"\b(Headless)?Chrome/|\bCriOS/",
    "Safari": r"\bVersion/[\d.]+ .*\bSafari/",
}
SYSTEMS = {
    "Windows": r"\bWindows\b",
    "Android": r"\bAndroid\b",
    "iPhone": r"\biPhone\b",
    "iPad": r"\biPad\b",
    "macOS": r"\bMac OS X\b|\bMacintosh\b",
    "ChromeOS": r"\bCrOS\b",
    "Linux": r"\bLinux\b|\bX11\b",
}


def in_words(agent: str) -> str:
    """Return browser and system, such as "Firefox, Linux", or else the start of the header."""
    names = filter(None, (_first(BROWSERS, agent), _first(SYSTEMS, agent)))
    return ", ".join(names) or Truncator(agent).chars(LONGEST_SHOWN)


def _first(patterns: dict[str, str], agent: str) -> str:
    """Return the first name whose pattern matches, or ""."""
    for name, pattern in patterns.items():
        if re.search(pattern, agent):
            return name
    return ""
