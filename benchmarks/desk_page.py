"""The desk's page as a client reads it: for the benchmarks' loads and the torture's annotators."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cached_property

# Django takes a form whose token is the one in the cookie `csrftoken`, whoever made it.
TOKEN = "t" * 32
FORM = re.compile(r'action="(/[^"]*/desk/(\d+)/)(submit|open)/"')
START = re.compile(r'action="(/[^"]*/desk/start/)"')
PRACTICE = re.compile(r'action="(/[^"]*/practice/start/)"')
ITEM = re.compile(r'<h1 class="visually-hidden">[^<]*, item ([^<]*)</h1>')
SEEN = re.compile(r'name="seen" id="seen" value="([^"]*)"')
# The fields that a browser sends for an untouched form.
EMPTY = re.compile(r'<(?:textarea|select|input type="hidden") id="[^"]*" name="([^"]+)"')
TARGET = re.compile(r'<section class="target[^"]*" id="(r\d+)"')
WRITER = re.compile(r'name="draft_writer" value="(\w+)"')
SHOWN = re.compile(r'type="hidden" name="draft_shown" value="([0-9a-f.]*)"')
COMMENT = re.compile(r'<textarea id="comment" name="comment"[^>]*>([^<]*)</textarea>')
RATING = re.compile(r'<a href="(/[^"]*/ratings/\d+/)">([^<]*)</a>')
TAGS = re.compile(r"<script.*?</script>|<[^>]*>", re.DOTALL)
# The part of an answer that lists what to correct or to check again.
REFUSAL = re.compile(r'<div class="summary .*?</div>', re.DOTALL)
LIMITS = {
    "daily": "You have reached today’s limit of",
    "daily_warned": "All items left for you have a warning",
}


@dataclass(frozen=True)
class Page:
    """A page of the desk, or a part of it.

    Each value is searched for when it is first asked for: a load shares the processor with the
    server.
    """

    text: str = ""

    @cached_property
    def _form(self) -> tuple[str, str, str]:
        found = FORM.search(self.text)
        return (found[1], found[2], found[3]) if found else ("", "0", "")

    @property
    def path(self) -> str:
        """The address of the lease, without a step."""
        return self._form[0]

    @property
    def lease(self) -> int:
        """The lease of the item to rate, or behind a warning; 0 if there is none."""
        return int(self._form[1])

    @property
    def opening(self) -> str:
        """The address that opens an item with a warning."""
        return f"{self.path}open/" if self._form[2] == "open" else ""

    @cached_property
    def start(self) -> str:
        """The address that takes the first item."""
        return self._first(START)

    @cached_property
    def practice(self) -> str:
        """The address that draws a round of practice, which comes before the first item."""
        return self._first(PRACTICE)

    @cached_property
    def item(self) -> str:
        return self._first(ITEM)

    @cached_property
    def fields(self) -> dict[str, str]:
        """The fields that a browser sends for an untouched form."""
        return {**dict.fromkeys(EMPTY.findall(self.text), ""), "seen": self._first(SEEN)}

    @cached_property
    def targets(self) -> tuple[str, ...]:
        return tuple(TARGET.findall(self.text))

    @cached_property
    def writer(self) -> str:
        """The name of this page as a writer of drafts."""
        return self._first(WRITER)

    @cached_property
    def shown(self) -> str:
        """The name of the version that the form shows."""
        found = SHOWN.search(self.text)
        assert found, "a form that does not say which version it shows"
        return found[1]

    @cached_property
    def comment(self) -> str:
        """The comment of the version that the form shows."""
        return self._first(COMMENT)

    @property
    def shows_texts(self) -> bool:
        return "data-said=" in self.text

    @property
    def words(self) -> str:
        """The text without tags."""
        return _words(self.text)

    @property
    def refusal(self) -> str:
        """Why a form was not taken, as the page says."""
        return _words(" ".join(REFUSAL.findall(self.text)) or self.text)

    @property
    def limit(self) -> str:
        """The limit of the day that the page says was reached; "" for none."""
        return next((name for name, words in LIMITS.items() if words in self.words), "")

    @property
    def says_nothing_left(self) -> bool:
        return not self.lease and "Nothing left to rate" in self.words

    @property
    def says_rated(self) -> bool:
        """Whether a form was refused because the item has a rating that says something else."""
        return "You already rated this item" in self.text

    @property
    def says_saved(self) -> bool:
        """Whether this is the answer to a draft that was saved."""
        return 'data-hx-swap-oob="innerHTML:#draft-state"' in self.text

    @property
    def links_to_versions(self) -> int:
        """How many versions of the form the page leads to, beside the one that it shows."""
        return self.text.count("?draft=")

    def ratings_of(self, item: str) -> list[str]:
        """Return the addresses of an item's ratings in the list of one's own."""
        return [path for path, of in RATING.findall(self.text) if html.unescape(of) == item]

    def _first(self, pattern: re.Pattern[str]) -> str:
        found = pattern.search(self.text)
        return html.unescape(found[1]) if found else ""


def _words(text: str) -> str:
    return " ".join(html.unescape(TAGS.sub(" ", text)).split())
