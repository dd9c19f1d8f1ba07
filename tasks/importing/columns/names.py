"""The meaning of a column's name: what it says of the column's use, and how surely.

    meaning("User prompt")        → PROMPT, STRONG: a synonym of ours
    meaning("response.text")      → RESPONSE, OURS, because of the object around it
    meaning("metadata.model")     → MODEL, WEAK: this says something of the item
    meaning("promt")              → PROMPT, NEAR: one letter off

It knows no Django. The names are in `name_tables.py`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from .name_tables import OURS, TABLE, Meaning, Strength
from .spelling import MARK, TOKENS, fold, variant, words
from .uses import Use

# A folded name of a response and of who gave it: `model output`, `Antwort des Chatbots`.
MACHINE = "((language|sprach)?modell?e?|llm|ai|ki|ia|(chat)?bot|assist[ae]nt|agent|system)s?"
SAID = (
    "(response|answer|output|completion|generation|reply|prediction|antwort|ausgabe|reponse|sortie)"
    "(s|en)?"
)
MADE = "generated|given|produced|generierte|erzeugte|generee"
BETWEEN = f"({MADE}|by|of|from|the|par|de[rs]?|du|l[ae]?|vo[nm])"
# `Modell der Antwort` is no answer, so little stands between a machine and what it said.
SAID_BY_MACHINE = re.compile(
    f"{BETWEEN}*{MACHINE}({MADE})*{SAID}|{SAID}{BETWEEN}+{MACHINE}|{SAID}text"
)
# Lists and objects of responses, whose name says nothing else.
OUTER = {name: Meaning(Use.RESPONSE, Strength.STRONG) for name in ("choices", "samples")}
# A column in an object or a list has the use of that if its own name is one of these.
INNER = words("text content value body message string output generatedtext")
# Objects whose entries say something of the item, and are not it.
OF_ITEM = frozenset(
    words("""
    meta metadata metadaten metadonnees extra extras attributes tags labels usage params config
    scores metrics evaluation evaluations annotations feedback judge judgement grader grading
""")
)
# Words of forms beside the name of a text: `Answer shown`, `Gezeigte Frage`.
FILLERS = frozenset(
    words("shown displayed presented asked given the gezeigte gestellte die der posee")
)
LONG_ENOUGH = 5  # letters of a name that may be near one of ours
NOT_NEAR = words("preference contest content resource message mode")


def listed_meaning(folded: str) -> Meaning | None:
    """Return what a folded name says, or None."""
    if SAID_BY_MACHINE.fullmatch(folded):
        return TABLE.get(folded, Meaning(Use.RESPONSE, Strength.STRONG))
    return TABLE.get(folded)


@lru_cache(maxsize=10_000)
def meaning(path: str) -> Meaning | None:
    """Return what a column's name says of its use, or None if it says nothing.

    The whole path counts first, then its last name. An object around it may say more, as in
    `response.text`, or less, as in `metadata.model`.
    """
    parts = MARK.split(path)[::2]
    names = [name for name in map(fold, parts) if name]
    if not names:
        return None
    *outer, last = names
    _stem, mark = variant(path)
    known = listed_meaning("".join(names)) or listed_meaning(last)
    if not known and not mark:
        known = _composed(parts[-1]) or _described(parts[-1]) or _misspelt(last)
    around = _around(outer)
    if around and last in INNER:
        known = around
    elif around and known and known.use is Use.RESPONSE:
        is_answer = around.use in (Use.RESPONSE, Use.REFERENCE)
        known = around if is_answer else known
    if known and OF_ITEM.intersection(outer):
        return Meaning(known.use, min(known.strength, Strength.WEAK))
    return known


def _around(names: Sequence[str]) -> Meaning | None:
    """Return what the innermost object or list says that says something."""
    for name in reversed(names):
        known = TABLE.get(name, OUTER.get(name))
        if known and name not in INNER:
            return known
    return None


def _composed(name: str) -> Meaning | None:
    """Return the meaning of a name in which every word is one for a response: `pred_output`."""
    words = TOKENS.findall(name)
    if len(words) < 2:
        return None
    for word in words:
        known = TABLE.get(fold(word))
        if not known or known.use is not Use.RESPONSE:
            return None
    return Meaning(Use.RESPONSE, Strength.STRONG)


def _described(name: str) -> Meaning | None:
    """Return the meaning of a name beside words that say no more: `Question shown`."""
    words = [fold(word) for word in TOKENS.findall(name)]
    rest = [word for word in words if word not in FILLERS]
    known = TABLE.get(rest[0]) if len(rest) == 1 < len(words) else None
    if not known or known.use not in (Use.PROMPT, Use.RESPONSE):
        return None
    return Meaning(known.use, min(known.strength, Strength.STRONG))


def _misspelt(name: str) -> Meaning | None:
    if len(name) < LONG_ENOUGH or name in NOT_NEAR:
        return None
    for ours, use in OURS.items():
        if Levenshtein.distance(name, ours) == 1:
            return Meaning(use, Strength.NEAR)
    return None
