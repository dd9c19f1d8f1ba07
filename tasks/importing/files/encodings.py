"""The encoding of a file's texts: proved by its bytes, or to be chosen.

A byte order mark, UTF-8 and UTF-16 prove themselves. So does an encoding with two bytes for a
character, if it fits without a fault, its characters are common ones, and no other such encoding
fits. Encodings with one byte for a character fit nearly any file. They are never taken without a
choice, because a wrong one changes texts without a sign. No Django but its translations.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from .rows import ChoiceNeeded, Option, Text, Unreadable, excerpt, not_utf8

FIRST = 2**20  # bytes that prove an encoding
BLOCK = 2**20  # bytes
LEAST = 8  # characters that prove an encoding
MOST_AMONG_LETTERS = 0.3  # the share of characters beside Latin letters that proves none
MOST_CANDIDATES = 8
MOST_LINES = 200  # from which candidates are ranked
WINDOWS = "windows-1252"
UTF_16 = {
    "utf-16-le": gettext_lazy("UTF-16 (little end first)"),
    "utf-16-be": gettext_lazy("UTF-16 (big end first)"),
}
ENCODINGS: Mapping[str, Text] = {
    WINDOWS: gettext_lazy("Windows-1252 (Western Europe)"),
    "mac-roman": gettext_lazy("Mac Roman (Western Europe)"),
    "latin-1": gettext_lazy("Latin-1 (Western Europe)"),
    "iso-8859-15": gettext_lazy("Latin-9 (Western Europe, with €)"),
    "cp850": gettext_lazy("DOS (Western Europe)"),
    "windows-1250": gettext_lazy("Windows-1250 (Central Europe)"),
    "windows-1251": gettext_lazy("Windows-1251 (Cyrillic)"),
    "koi8-r": gettext_lazy("KOI8-R (Cyrillic)"),
    "windows-1253": gettext_lazy("Windows-1253 (Greek)"),
    "windows-1254": gettext_lazy("Windows-1254 (Turkish)"),
    "windows-1255": gettext_lazy("Windows-1255 (Hebrew)"),
    "windows-1256": gettext_lazy("Windows-1256 (Arabic)"),
    "cp874": gettext_lazy("Windows-874 (Thai)"),
    "gb18030": gettext_lazy("GB18030 (Chinese, simplified)"),
    "big5": gettext_lazy("Big5 (Chinese, traditional)"),
    "shift-jis": gettext_lazy("Shift-JIS (Japanese)"),
    "euc-jp": gettext_lazy("EUC-JP (Japanese)"),
    "euc-kr": gettext_lazy("EUC-KR (Korean)"),
    "utf-8": gettext_lazy("UTF-8 (other bytes are faults)"),
}
# Programs write a little more than the standard has.
CODECS = {"shift-jis": "cp932", "euc-kr": "cp949", "big5": "cp950"}
# By encoding: bytes of characters, and the share of all characters that they have at least.
PROOFS: Mapping[str, Mapping[str, float]] = {
    # The common characters, with punctuation; those that are no syllables of Korean; those that
    # are no small letters of KOI8-R.
    "gb18030": {
        r"[\xa1\xa3\xb0-\xd7][\xa1-\xfe]": 0.85,
        r"[\xc9-\xd7].": 0.1,
        r"(?![\xc0-\xdf]{2})..": 0.5,
    },
    # The common characters, with punctuation; those that other encodings do not have.
    "big5": {r"[\xa1-\xc6].": 0.85, r".[\x40-\x7e]": 0.1},
    "shift-jis": {r"\x82[\x9f-\xf1]|\x83[\x40-\x96]": 0.25},  # kana
    # Kana; and kanji that are common ones.
    "euc-jp": {r"[\xa4\xa5][\xa1-\xf6]": 0.25, r"[\xa1-\xcf].": 0.97},
    "euc-kr": {r"[\xb0-\xc8][\xa1-\xfe]": 0.95},  # syllables
}
ASCII = "".join(map(chr, range(128)))
CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
# Letters of Latin words, if they are read so.
AMONG_LETTERS = re.compile("[A-Za-z][^\x00-\x7f]|[^\x00-\x7f][A-Za-z]")
STRAY = re.compile("[\udc80-\udcff]")  # a byte that is no UTF-8


def encoding_of(head: bytes, chosen: str) -> str:
    """Return the encoding of a file that begins so. Raises ChoiceNeeded if nothing proves it."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8"
    encoding = _utf_16(head) or chosen
    if encoding:
        return encoding
    if _is_utf_8(head):
        return "utf-8"
    if b"\0" in head:
        raise Unreadable(_("is neither text nor of another format that is read"))
    proved = [name for name in PROOFS if _proves(head, name)]
    if len(proved) != 1:
        raise encoding_needed(head)
    return proved[0]


def encoding_needed(head: bytes) -> ChoiceNeeded:
    """Return the error of a file that begins so, with one of its lines in each encoding."""
    options = _candidates(head)
    names = ", ".join(f"{option.value} ({option.sample})" for option in options)
    text = _(
        "is not UTF-8; choose its encoding by how its texts look, by “Encoding” on the page or by "
        "--encoding: %(names)s"
    )
    return ChoiceNeeded("encoding", options, text, names=names)


def in_utf_8(file: BinaryIO, encoding: str) -> Iterator[bytes]:
    """Yield a file in UTF-8, from where it stands. Raises UnicodeDecodeError."""
    blocks = iter(lambda: file.read(BLOCK), b"")
    for text in codecs.iterdecode(blocks, _codec(encoding)):
        yield text.encode()


def _codec(encoding: str) -> str:
    return CODECS.get(encoding, encoding)


def _utf_16(head: bytes) -> str:
    """Return the kind of UTF-16, or "" for another encoding.

    Every file of items begins with an ASCII character or a byte order mark.
    """
    if re.match(rb"\xff\xfe|[^\0]\0", head, re.DOTALL):
        return "utf-16-le"
    if re.match(rb"\xfe\xff|\0[^\0]", head, re.DOTALL):
        return "utf-16-be"
    return ""


def _beginning(head: bytes, codec: str, errors: str = "strict") -> str:
    """Return the text of bytes that may end within a character. Raises UnicodeDecodeError."""
    return codecs.getincrementaldecoder(codec)(errors).decode(head)


def _is_utf_8(head: bytes) -> bool:
    """Tell whether bytes are UTF-8. Some places may be damaged: their rows are faults."""
    if head.isascii():
        return True
    text = _beginning(head, "utf-8", "surrogateescape")
    wrong = len(STRAY.findall(text))
    right = sum(not character.isascii() for character in text) - wrong
    return wrong == 0 or right > 4 * wrong


def _proves(head: bytes, encoding: str) -> bool:
    """Tell whether an encoding fits without a fault, and its characters are common ones."""
    codec = _codec(encoding)
    try:
        text = _beginning(head, codec)
    except UnicodeDecodeError:
        return False
    numbers: dict[bytes, int] = {}
    for character, number in Counter(text).items():
        if not character.isascii():
            numbers[character.encode(codec, "ignore")] = number
    total = sum(numbers.values())
    for pattern, share in PROOFS[encoding].items():
        common = re.compile(pattern.encode("ascii"), re.DOTALL)
        number = sum(numbers[code] for code in filter(common.fullmatch, numbers))
        if number < share * total:
            return False
    return total >= LEAST and len(AMONG_LETTERS.findall(text)) < total * MOST_AMONG_LETTERS


def _candidates(head: bytes) -> list[Option]:
    """Return the encodings that fit, the likeliest first, each with a line in it."""
    lines = [line for line in head.split(b"\n") if not line.isascii()][:MOST_LINES]
    sample = b"\n".join(lines)[: 2**14]
    order = list(ENCODINGS)
    readings: dict[str, str] = {}  # by the text: its encoding
    for encoding in _ranked(sample):
        try:
            text = _beginning(sample, _codec(encoding))
        except UnicodeDecodeError:
            continue
        if not CONTROLS.search(text):
            readings[text] = min(encoding, readings.get(text, encoding), key=order.index)
    texts = [text.split("\n") for text in list(readings)[:MOST_CANDIDATES]]
    # The line that most encodings read in ways of their own.
    columns = list(zip(*texts, strict=False))
    line = max(columns, key=lambda column: len(set(column)), default=())
    options = []
    for encoding, text in zip(readings.values(), line, strict=False):
        options.append(Option(encoding, _around(text)))
    damaged = lines[0].decode("utf-8", "surrogateescape")
    options.append(Option("utf-8", not_utf8(damaged)))
    return options


def _ranked(first_lines: bytes) -> list[str]:
    """Return all encodings, the likeliest first."""
    from charset_normalizer import from_bytes  # most files do not need it

    order = list(ENCODINGS)
    names = {codecs.lookup(_codec(name)).name: name for name in order}
    ranks = dict.fromkeys(order, (9.0, 0.0))
    for match in from_bytes(first_lines, cp_isolation=list(names), enable_fallback=False):
        for codec in (match.encoding, *match.could_be_from_charset):
            name = names.get(codecs.lookup(codec).name, WINDOWS)
            ranks[name] = min(ranks[name], (round(match.chaos, 1), -match.coherence))
    return sorted(order, key=lambda name: (*ranks[name], order.index(name)))


def _around(text: str) -> str:
    """Return an excerpt around the first character that is not ASCII."""
    start = len(text) - len(text.lstrip(ASCII))
    return excerpt(text[max(0, start - 10) : start + 30].strip())
