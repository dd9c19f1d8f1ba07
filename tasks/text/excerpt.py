"""The part of a text that a page shows: no more than a browser lays out at once, and no files.

A text may hold files, mostly pictures, as data addresses (`data:image/png;base64,…`). Nobody reads
those. A name that no text can have takes the place of each until the text is rendered or compared.
Then a note with its kind and its size takes the place of the name. The stored text is unchanged,
and a page links to it.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2s
from html import escape

# Chromium lays out this many characters of one paragraph in 0.2 s, and ten million in 8 s.
LONGEST_SHOWN = 100_000

SIGN = ";base64,"  # is in every text that holds a file
# The pattern begins with a literal, which is searched for fast, and tries no place for long.
# Shorter data is left alone: it may be the subject of the text. Base64 may be wrapped. The last
# line of a wrapped one is known by its padding; without, it may be a word of the text.
_BASE64 = "[A-Za-z0-9+/_-]"
_FILE = re.compile(
    r"data:(?<!\wdata:)(?P<kind>[\w.+-]{1,60}/[\w.+-]{1,60})(?:;[\w.+-]{1,60}=[^;,\s]{0,60}){0,3}"
    rf"{SIGN}(?P<data>{_BASE64}{{60,}}(?:\r?\n{_BASE64}{{60,}})*(?:(?:\r?\n{_BASE64}*)?={{1,2}})?)",
    re.ASCII,
)
# Letters and digits alone, so that Markdown and the differences leave a name whole.
_MARK = f"file{secrets.token_hex(8)}"
_NAME = re.compile(rf"{_MARK}[0-9a-f]{{16}}")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a text that is shown, with names in place of its files."""

    text: str
    is_cut: bool
    notes: Mapping[str, str]  # of each file, by its name

    @property
    def html(self) -> str:
        """The text as it was written, as HTML."""
        return self.with_notes(escape(self.text))

    @property
    def in_words(self) -> str:
        """The text as it was written, with three dots where it is cut."""
        text = _NAME.sub(self._note, self.text) if self.notes else self.text
        return f"{text.rstrip()} …" if self.is_cut else text

    def with_notes(self, html: str) -> str:
        """Return HTML made of the text, with the notes in place of the names."""
        if not self.notes:
            return html
        return _NAME.sub(lambda name: f'<span class="r-file">{self._note(name)}</span>', html)

    def _note(self, name: re.Match[str]) -> str:
        return self.notes.get(name[0], name[0])


def excerpt_of(text: str, most: int = LONGEST_SHOWN) -> Excerpt:
    """Return the first `most` characters of a text; the name of a file counts instead of the file.

    A file is never cut. The work is bounded by the part that is shown and the files in it.
    """
    if len(text) <= most and SIGN not in text:
        return Excerpt(text, is_cut=False, notes={})
    pieces, notes, place, left = [], {}, 0, most
    for file in _FILE.finditer(text):
        before = text[place : file.start()]
        if len(before) >= left:
            break
        name = _MARK + blake2s(file[0].encode(), digest_size=8).hexdigest()
        notes[name] = f"{file['kind']} · {_kilobytes(file['data'])} kB"
        pieces += [before, name]
        left -= len(before) + len(name)
        place = file.end()
    end = place + max(0, left)
    return Excerpt("".join([*pieces, text[place:end]]), end < len(text), notes)


def holds_file(text: str) -> bool:
    """Return True if a text holds a file. A text without one is done with fast."""
    return SIGN in text and bool(_FILE.search(text))


def names_in(text: str) -> int:
    """Return the number of names of files in a text or its HTML."""
    return text.count(_MARK)


def _kilobytes(data: str) -> int:
    """Return the size of a file in base64, rounded, at least 1."""
    return max(1, round(len(data) * 3 / 4 / 1000))
