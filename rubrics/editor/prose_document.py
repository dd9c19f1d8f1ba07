"""Find the document in the answer of a language model, and supply what models forget.

    Here is your rubric:            title: Tone
    ```yaml                         dimensions:
    title: Tone               →       - title: Politeness
    dimensions:                         code: politeness
      - title: Politeness               short: Politeness     …
    ```

`from_prose` reads the document then.
"""

import re
from dataclasses import fields

from ..judging.plain import Entries, Plain
from ..judging.schema import Rubric
from .elements import mappings_in, new_code, slug_of

ENTRIES = [spec.name for spec in fields(Rubric) if spec.init]
_KEY = rf"[\"']?(?:{'|'.join(ENTRIES)})[\"']? *:"
_BEGIN = re.compile(rf"^( *)(?:\{{ *$|(?:\{{ *)?{_KEY})", re.M)
# The entry that the code of a part is made from, by the list that has the part.
_NAMED_BY = {
    **dict.fromkeys(("dimensions", "guidance"), "title"),
    **dict.fromkeys(("checks", "answers"), "wording"),
    "rules": "effect",
}


def is_plain_prose(answer: str) -> bool:
    """Return True if a text has no list of dimensions, so that no model wrote it as asked."""
    return not re.search(r"^[ \t{]*[\"']?dimensions[\"']? *:", answer, re.M)


def document_in(answer: str) -> str:
    """Return the document in an answer, at its lines; "" if there is none.

    It begins at the first line with one of its keys, and ends before the fence or the sentences
    that follow its last one. Tabs in front of a line become spaces.
    """
    text = answer.replace("\r\n", "\n")
    text = re.sub(r"^[ \t]+", lambda indent: indent[0].replace("\t", "  "), text, flags=re.M)
    begin = _BEGIN.search(text)
    if not begin:
        return ""
    indent = begin[1]
    parts = re.compile(rf"^{indent}(?:{_KEY}|- *\{{?[\"']?\w+[\"']? *:|[\]}}])", re.M)
    last = begin.end()
    for part in parts.finditer(text, begin.start()):
        last = max(last, part.end())
    end = len(text)
    after = re.compile(rf"^ {{0,{len(indent)}}}[^\s#]", re.M)
    if match := after.search(text, last):
        end = match.start()
    document = text[begin.start() : end]
    lines_above = text.count("\n", 0, begin.start())
    return "\n" * lines_above + document


def completed(document: Entries) -> Entries:
    """Return the entries of a document with what it lacks."""
    title = str(document.get("title") or "Rubric")
    content = {"title": title, "summary": title, **document, "slug": slug_of(title) or "rubric"}
    _supply(content)
    return content


def _supply(value: Plain) -> None:
    """Give each part without a code one that is made from its title or wording."""
    if not isinstance(value, dict):
        return
    for name, parts in value.items():
        naming_entry = _NAMED_BY.get(name, "")
        for part in mappings_in(parts):
            _supply(part)
            word = str(part.get(naming_entry, ""))
            if word:
                codes = [str(peer.get("code")) for peer in mappings_in(parts)]
                part.setdefault("code", new_code(word, codes))
            if word and name == "dimensions":
                part.setdefault("short", word[:20].strip())
