"""The desk's page as an annotator reads it. Only what stands on the page."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

FORM = re.compile(r'<form id="rating"[^>]* action="(/[^"]*/(\d+)/)submit/"')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
SEEN = re.compile(r'name="seen" id="seen" value="([^"]*)"')
ITEM = re.compile(r'<h1 class="visually-hidden">[^<]*, item ([^<]*)</h1>')
# What a browser sends of a form that nobody wrote in.
EMPTY = re.compile(r'<(?:textarea|select|input type="hidden") id="[^"]*" name="([^"]+)"')
TARGET = re.compile(r'<section class="target[^"]*" id="(r\d+)"')
START = re.compile(r'action="(/[^"]*/desk/start/)"')
WRITER = re.compile(r'name="draft_writer" value="(\w+)"')
SHOWN = re.compile(r'type="hidden" name="draft_shown" value="([0-9a-f.]*)"')
COMMENT = re.compile(r'<textarea id="comment" name="comment"[^>]*>([^<]*)</textarea>')
OPEN = re.compile(r'action="((/[^"]*/(\d+)/)open/)"')
RATING = re.compile(r'<a href="(/[^"]*/ratings/\d+/)">([^<]*)</a>')
TEXTS = "data-said="
TAGS = re.compile(r"<script.*?</script>|<[^>]*>", re.S)
# What is to be corrected, or checked again, before a form is taken.
REFUSAL = re.compile(r'<div class="summary .*?</div>', re.S)
NOTHING = "Nothing left to rate"
RATED = "You already rated this item"
LIMITS = {
    "daily": "You have reached today's limit of",
    "daily_warned": "All items left for you have a warning",
}


@dataclass(frozen=True)
class Page:
    """A form to rate an item with, a warning before one, a button to start, or the word that there
    is none.

    `writer`, `shown`: by what a page is known that saves drafts, and which version it was shown
    with, whose text `comment` is. `opening`: where the texts behind a warning are asked for."""

    path: str = ""  # of the form, without the verb at its end
    lease: int = 0
    item: str = ""
    token: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    start: str = ""
    words: str = ""
    writer: str = ""
    shown: str = ""
    comment: str = ""
    opening: str = ""
    shows_texts: bool = False

    @property
    def limit(self) -> str:
        """Which limit of the day was reached, by what the page says; "" for none."""
        return next((name for name, words in LIMITS.items() if words in self.words), "")

    @property
    def says_nothing_left(self) -> bool:
        return not self.lease and NOTHING in self.words


def read(page: str, token: str = "") -> Page:
    """What stands on a page; its fragment may have no token, then the last one is still good."""
    found = TOKEN.search(page)
    token = found[1] if found else token
    form = FORM.search(page)
    shows_texts = TEXTS in page
    if form is None:
        start = START.search(page)
        words = " ".join(html.unescape(TAGS.sub(" ", page)).split())
        if covered := OPEN.search(page):
            opening, path, lease = covered.groups()
            return Page(
                path, int(lease), token=token, words=words, opening=opening, shows_texts=shows_texts
            )
        return Page(token=token, start=start[1] if start else "", words=words)
    seen = SEEN.search(page)
    item = ITEM.search(page)
    fields = dict.fromkeys(EMPTY.findall(page), "")
    fields["seen"] = html.unescape(seen[1]) if seen else ""
    writer, shown, comment = WRITER.search(page), SHOWN.search(page), COMMENT.search(page)
    assert writer, "a form that does not say which page it is"
    assert shown, "a form that does not say which draft it was shown with"
    return Page(
        path=form[1],
        lease=int(form[2]),
        item=html.unescape(item[1]) if item else "",
        token=token,
        fields=fields,
        targets=tuple(TARGET.findall(page)),
        writer=writer[1],
        shown=shown[1],
        comment=html.unescape(comment[1]) if comment else "",
        shows_texts=shows_texts,
    )


def says_rated(page: str) -> bool:
    """Whether a form was refused because the item has a rating that says something else."""
    return RATED in page


def refusal(page: str) -> str:
    """Why a form was not taken, as the page says."""
    said = [*REFUSAL.findall(page)] or [page]
    return " ".join(html.unescape(TAGS.sub(" ", " ".join(said))).split())


def ratings_of(item: str, page: str) -> list[str]:
    """Where one's own ratings of an item are, as the list of them says."""
    return [path for path, of in RATING.findall(page) if html.unescape(of) == item]


def links_to_versions(page: str) -> int:
    """How many versions of the form a page leads to, beside the one that it shows."""
    return page.count("?draft=")
