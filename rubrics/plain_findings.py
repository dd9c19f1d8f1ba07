"""Findings in the words of the editor's forms, for who has never seen the document.

The reader speaks of entries and codes. Here an entry has the name of its field, an answer its
wording, and a rule its reason. An entry that is empty is not wrong: it is still to be written.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy, pgettext

from .proof import Finding
from .schema import Effect

Element = dict[str, Any]
Path = Sequence[str]

EFFECTS = {
    Effect.CAP: gettext_lazy("at most"),
    Effect.FLOOR: gettext_lazy("at least"),
    Effect.FORCE: gettext_lazy("exactly"),
    Effect.EXCLUDE: gettext_lazy("not together with"),
    Effect.RANK_BELOW: gettext_lazy("below the others"),
    Effect.ADVISE: gettext_lazy("ask at"),
    Effect.REQUIRE: gettext_lazy("these scores need"),
}
# Fields by the entry that they hold.
FIELDS = {
    "slug": gettext_lazy("Short name"),
    "title": gettext_lazy("Title"),
    "summary": gettext_lazy("Summary"),
    "language": gettext_lazy("Language"),
    "question": gettext_lazy("Question that annotators read"),
    "lowest": gettext_lazy("Scale"),
    "highest": gettext_lazy("Scale"),
    "label": gettext_lazy("On its button"),
    "definition": gettext_lazy("Meaning"),
    "wording": gettext_lazy("Wording"),
    "reason": gettext_lazy("Reason that annotators read"),
    "score": gettext_lazy("Score"),
    "why": gettext_lazy("Why"),
    "dimensions": gettext_lazy("Dimensions"),
    "levels": gettext_lazy("Levels"),
}
# Words of the document that stand in quotes within a message, beside the fields.
NAMES = FIELDS | {
    "scores": gettext_lazy("Score"),
    "checks": gettext_lazy("Questions"),
    "rules": gettext_lazy("Rules"),
    "answers": gettext_lazy("Answers"),
    "when": gettext_lazy("If"),
    "needs": gettext_lazy("need"),
    "against": gettext_lazy("not together with"),
    "at_least": gettext_lazy("at least … of"),
    "of": gettext_lazy("at least … of"),
    "best": gettext_lazy("best"),
    "response": gettext_lazy("Response"),
}
# What is still to be written, by the kind of the part and the entry that is empty.
TASKS = {
    ("about", "title"): gettext_lazy("Write the title of the rubric"),
    ("about", "summary"): gettext_lazy("Write the summary: what is rated, and why"),
    ("about", "language"): gettext_lazy("Write the language of the texts"),
    ("about", "dimensions"): gettext_lazy("Add a dimension: one thing that is scored"),
    ("dimension", "title"): gettext_lazy("Write the title of dimension %(number)s"),
    ("dimension", "question"): gettext_lazy("Write the question of %(title)s"),
    ("dimension", "lowest"): gettext_lazy("Name the lowest score of %(title)s"),
    ("dimension", "highest"): gettext_lazy("Name the highest score of %(title)s"),
    ("check", "wording"): gettext_lazy("Write question %(number)s of %(title)s"),
    ("check", "answers"): gettext_lazy("Write two answers or more to “%(name)s”"),
    ("rule", "reason"): gettext_lazy("Write the reason of the rule %(name)s"),
    ("rule", "score"): gettext_lazy("Choose the score of the rule %(name)s"),
    ("rule", "scores"): gettext_lazy("Choose the scores of the rule %(name)s"),
    ("rule", "needs"): gettext_lazy("Choose what the rule %(name)s needs"),
    ("rule", "when"): gettext_lazy("Choose when the rule %(name)s acts"),
    ("rule", "against"): gettext_lazy("Choose what does not go together in the rule %(name)s"),
    ("example", "response"): gettext_lazy("Write the response of example %(number)s of %(title)s"),
    ("example", "score"): gettext_lazy("Choose the score of example %(number)s of %(title)s"),
    ("example", "why"): gettext_lazy("Say why example %(number)s of %(title)s has its score"),
}
LONGEST_NAME = 60  # characters of a reason that names its rule
_NAMED_BY = {"levels": "score", "clauses": "id", "examples": ""}  # else by their code


def task_of(finding: Finding, content: Element, facts: Mapping[str, str]) -> str:
    """Return what is still to be written, as a sentence; "" if a finding is something else."""
    path, message = place_of(finding), finding.text.partition(": ")[2]
    places = [path, *((*path, name) for name in re.findall('"([a-z_]+)"', message))]
    for *around, entry in filter(None, places):
        kind, element = _kind(around), _at(content, around)
        if (kind, entry) not in TASKS or not isinstance(element, dict):
            continue
        if element.get(entry) in (None, "", [], {}) or not str(element.get(entry)).strip():
            return str(TASKS[kind, entry]) % _values(around, content, facts)
    return ""


def fault_of(finding: Finding, content: Element, facts: Mapping[str, str]) -> str:
    """Return what is wrong, in a sentence without codes and without the document's words."""
    path, text = place_of(finding), finding.text.partition(": ")[2]
    dimension = _at(content, path[:2]) if path[:1] == ("dimensions",) else None
    names = re.findall('"([^"]+)"', text)
    if _kind(path[:4]) == "rule" and names and facts.get(names[0]) == names[0]:
        name = rule_name(_at(content, path[:4]), facts)
        gone = _("The rule %(name)s speaks of “%(fact)s”, which nothing asks: choose another")
        return gone % {"name": name, "fact": names[0]}
    text = text.replace("better: none", _("without an order"))
    text = re.sub(r"""(?<!\w)'([^'"]*)'(?!\w)""", r"“\1”", text)  # as Python quotes a text
    if _kind(path[:4]) == "rule":
        for effect, words in EFFECTS.items():
            text = re.sub(_bare(effect), f"“{words}”", text)
    rules = dict[str, str]()
    if isinstance(dimension, dict) and dimension.get("title"):
        text = re.sub(_bare(path[1]), lambda _match: str(dimension["title"]), text)
        rules = {str(rule.get("code")): rule_name(rule, facts) for rule in dimension["rules"]}
    # A rule may have the code of a fact. What is only to be looked at names rules, but for checks.
    labels = {name: f"“{label}”" for name, label in {**facts, **NAMES}.items()}
    is_of_rules = not finding.is_fault and path[-1:] != ("checks",)
    for name, label in (labels | rules if is_of_rules else rules | labels).items():
        text = text.replace(f'"{name}"', label)
    if finding.is_fault and path[-1:] == ("rules",):  # there the proof names rules without quotes
        for name, label in rules.items():
            text = re.sub(_bare(name), lambda _match, label=label: label, text)  # type: ignore[misc]
    field = FIELDS.get(path[-1]) if path else None
    return f"{field}: {text}" if field else text


def _bare(word: str) -> str:
    """Return a pattern of a word that stands in no quotes."""
    return rf'(?<![\w"“]){re.escape(word)}(?![\w"”])'


def place_of(finding: Finding) -> Path:
    """Return the path of a finding; () for the whole document."""
    return () if finding.path == ("the document",) else finding.path


def rule_name(rule: Element, facts: Mapping[str, str]) -> str:
    """Return what a rule is called: its reason, or else its condition."""
    if reason := str(rule.get("reason") or "").strip():
        end = reason[LONGEST_NAME:] and "…"
        return f"“{reason[:LONGEST_NAME].strip()}{end}”"
    conditions = [*rule.get("when", {}).values()] if isinstance(rule.get("when"), dict) else []
    names = [name for part in conditions if isinstance(part, list) for name in part]
    labels = ", ".join(f"“{facts.get(name, name)}”" for name in names)
    return pgettext("after “the rule”", "with %(facts)s") % {"facts": labels}


def _values(path: Path, content: Element, facts: Mapping[str, str]) -> dict[str, object]:
    """Return what a task calls a part: its number and name, and the title of its dimension."""
    element, dimension = _at(content, path), _at(content, path[:2])
    titled = path[:1] == ["dimensions"] and len(path) > 1 and isinstance(dimension, dict)
    number, name = 1, ""
    if path and path[-1] and isinstance(element, dict):
        number = _number(path, content)
        name = rule_name(element, facts) if _kind(path) == "rule" else str(element.get("wording"))
    title = dimension.get("title") if titled else _("the whole response")
    return {"number": number, "name": name, "title": title or "–"}


def _number(path: Path, content: Element) -> int:
    """Return the number of a part in its list; of an example, among those of its dimension."""
    peers = _at(content, path[:-1])
    number = 1 + next(n for n, part in enumerate(peers) if part is _at(content, path))
    if _kind(path) != "example":
        return number
    for level in _at(content, [*path[:2], "levels"]):
        if str(level.get("score")) == path[3]:
            break
        number += len(level.get("examples", []))
    return number


def _at(value: Any, path: Iterable[str]) -> Any:
    """Return what stands at a path of the reader; None if nothing does."""
    place = ""
    for name in path:
        if isinstance(value, list):
            value = next(iter(_of(value, place, name)), None)
        else:
            value, place = value.get(name) if isinstance(value, dict) else None, name
    return value


def _of(parts: Sequence[Any], place: str, name: str) -> list[Any]:
    """Return the parts of a list that the reader calls so: by a code, else by their number."""
    key = _NAMED_BY.get(place, "code")
    own = [part for part in parts if isinstance(part, dict) and str(part.get(key, "")) == name]
    return own or ([*parts][int(name) - 1 :][:1] if re.fullmatch("[1-9][0-9]{0,4}", name) else [])


def _kind(path: Path) -> str:
    match [*path]:
        case []:
            return "about"
        case ["dimensions", _]:
            return "dimension"
        case [*_, ("checks" | "rules" | "examples") as parts, _]:
            return parts.removesuffix("s")
        case _:
            return ""
