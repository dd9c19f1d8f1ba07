"""A language in which every message is plainly translated, and longer: whatever stands on a page
without accents was forgotten."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from zoneinfo import available_timezones

import allauth
import django
import polib
from django.conf import settings

from tests.catalogues import catalogues

PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[sd%]|\{\w*\}|<[^>]+>")
ACCENTS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")
# Names, and what machines read.
SAME_EVERYWHERE = {
    "Evenhand",
    "English",
    "Deutsch",
    "Français",
    "CSV",
    "Excel",
    "XLSX",
    "JSONL",
    "JSON",
    "TSV",
    "{claim}",
}


def strange(message: str) -> str:
    """A message that is plainly translated: accents on every vowel, placeholders as they were, and
    longer by 40 %."""
    parts = re.split(f"({PLACEHOLDER.pattern})", message)
    accented = "".join(
        part if number % 2 else part.translate(ACCENTS) for number, part in enumerate(parts)
    )
    return (
        accented.rstrip()
        + " "
        + "éé " * max(1, len(message) * 4 // 30)
        + "é"
        + message[len(message.rstrip()) :]
    )


@cache
def strange_catalogue() -> bytes:
    """Every message of ours, of Django's and of allauth's, as gettext reads it."""
    catalogue = polib.POFile()
    catalogue.metadata = {
        "Content-Type": "text/plain; charset=utf-8",
        "Plural-Forms": "nplurals=2; plural=n != 1;",
    }
    known: set[tuple[str, str | None]] = set()
    for source in _sources():
        for entry in polib.pofile(str(source)):
            if (entry.msgid, entry.msgctxt) in known:
                continue
            known.add((entry.msgid, entry.msgctxt))
            plural = (
                {0: strange(entry.msgid), 1: strange(entry.msgid_plural)}
                if entry.msgid_plural
                else {}
            )
            catalogue.append(
                polib.POEntry(
                    msgid=entry.msgid,
                    msgctxt=entry.msgctxt,
                    msgstr="" if plural else strange(entry.msgid),
                    msgid_plural=entry.msgid_plural,
                    msgstr_plural=plural,
                )
            )
    content: bytes = catalogue.to_binary()
    return content


def _sources() -> Iterator[Path]:
    yield catalogues(Path(settings.BASE_DIR))["de"]
    for package, places in (
        (django, ("conf/", "contrib/admin/", "contrib/auth/", "contrib/humanize/")),
        (allauth, ("",)),
    ):
        for place in places:
            yield Path(package.__file__ or "").parent / f"{place}locale/de/LC_MESSAGES/django.po"


class Texts(HTMLParser):
    """Everything that people see or hear of a page, but for what is marked as of another
    language."""

    SPOKEN = ("aria-label", "title", "placeholder", "alt")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.apart: list[str] = []
        self._inside: list[tuple[str, bool]] = []
        self.feed(page)

    VOID = frozenset({"meta", "link", "input", "br", "img", "hr", "col", "wbr"})
    SILENT = frozenset({"script", "style", "code", "kbd", "time"})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        apart = tag in self.SILENT or ("lang" in given and tag != "html")
        if not self._is_apart:
            self.found += [value for name in self.SPOKEN if (value := given.get(name))]
        if tag not in self.VOID:
            self._inside.append((tag, apart))

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip():
            (self.apart if self._is_apart else self.found).append(" ".join(data.split()))

    @property
    def _is_apart(self) -> bool:
        return any(apart for _tag, apart in self._inside)


def forgotten(text: str, known: re.Pattern[str]) -> str:
    """The words of a text that are neither translated nor from the database."""
    text = known.sub(" ", text)
    return " ".join(word for word in re.findall(r"\w{2,}", text) if re.search("[aeiouAEIOU]", word))


def written_in(part: object) -> Iterator[str]:
    """Every text of a rubric."""
    if isinstance(part, str):
        yield " ".join(part.split())
    elif is_dataclass(part):
        for each in fields(part):
            yield from written_in(getattr(part, each.name))
    elif isinstance(part, Iterable):
        for each in part:
            yield from written_in(each)


def known_words(words: Collection[str]) -> re.Pattern[str]:
    """What is the same in every language: these, the names above, and those of time zones."""
    longest_first = sorted(
        map(re.escape, {*SAME_EVERYWHERE, *available_timezones(), *words}), key=len, reverse=True
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")
