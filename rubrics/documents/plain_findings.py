"""Findings in the words of the editor's forms, for who has never seen the document.

The reader speaks of entries and codes. Here an entry has the name of its field, an answer its
wording, and a rule its reason. An entry that is empty is not wrong: it is still to be written.
`editor.findings` asks `task_of` first, and else `fault_of`:

    dimensions.quality.title: "title" is missing   is the task   Write the title of dimension 1
"""

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _, gettext_lazy, pgettext

from ..judging.kinds import Effect
from .draft_parts import DraftDocument, DraftRule
from .draft_paths import Path, dimension_around, kind_at, number_at, part_at, place_of
from .finding import Finding

Labels = Mapping[str, str]  # of facts

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


def task_of(finding: Finding, draft: DraftDocument, labels: Labels) -> str:
    """Return what is still to be written, as a sentence; "" if a finding is something else."""
    path = place_of(finding)
    message = finding.text.partition(": ")[2]
    places = [path]
    for name in re.findall('"([a-z_]+)"', message):
        places.append((*path, name))
    for *around, entry in filter(None, places):
        task = TASKS.get((kind_at(around), entry))
        part = part_at(draft, around)
        if task is None or part is None:
            continue
        value = getattr(part, entry)
        if value in (None, "", []) or not str(value).strip():
            return str(task) % _names_for_task(around, draft, labels)
    return ""


def _names_for_task(path: Path, draft: DraftDocument, labels: Labels) -> Mapping[str, int | str]:
    """Return what a task calls a part: its number and name, and the title of its dimension."""
    part = part_at(draft, path)
    number = 1
    name = ""
    if path and path[-1] and part:
        number = number_at(draft, path)
        name = str(getattr(part, "wording", ""))
        if isinstance(part, DraftRule):
            name = rule_name(part, labels)
    dimension = dimension_around(draft, path)
    title = (dimension.title or "–") if dimension else _("the whole response")
    return {"number": number, "name": name, "title": title}


def fault_of(finding: Finding, draft: DraftDocument, labels: Labels) -> str:
    """Return what is wrong, in a sentence without codes and without the document's words."""
    path = place_of(finding)
    text = finding.text.partition(": ")[2]
    is_of_rule = kind_at(path[:4]) == "rule"
    names = re.findall('"([^"]+)"', text)
    if is_of_rule and names:
        fact = names[0]
        rule = part_at(draft, path[:4])
        if labels.get(fact) == fact and isinstance(rule, DraftRule):
            message = _(
                "The rule %(name)s speaks of “%(fact)s”, which nothing asks: choose another"
            )
            return message % {"name": rule_name(rule, labels), "fact": fact}
    text = text.replace("better: none", _("without an order"))
    text = re.sub(r"""(?<!\w)'([^'"]*)'(?!\w)""", r"“\1”", text)  # as Python quotes a text
    if is_of_rule:
        for effect, words in EFFECTS.items():
            text = _with_words(text, effect, f"“{words}”")
    text = _with_names(text, finding, draft, labels)
    if path and path[-1] in FIELDS:
        return f"{FIELDS[path[-1]]}: {text}"
    return text


def _with_names(text: str, finding: Finding, draft: DraftDocument, labels: Labels) -> str:
    """Return a text with the names of facts, fields, rules and the dimension for their codes."""
    path = place_of(finding)
    dimension = dimension_around(draft, path)
    rule_names: dict[str, str] = {}
    if dimension and dimension.title:
        text = _with_words(text, path[1], dimension.title)
        for rule in dimension.rules:
            rule_names[rule.code] = rule_name(rule, labels)
    replacements = {}
    for code, label in {**labels, **NAMES}.items():
        replacements[code] = f"“{label}”"
    # A rule may have the code of a fact. What is only to be looked at names rules, but for checks.
    if finding.is_fault or path[-1:] == ("checks",):
        replacements = rule_names | replacements
    else:
        replacements |= rule_names
    for code, label in replacements.items():
        text = text.replace(f'"{code}"', label)
    if finding.is_fault and path[-1:] == ("rules",):  # there the proof names rules without quotes
        for code, label in rule_names.items():
            text = _with_words(text, code, label)
    return text


def _with_words(text: str, code: str, words: str) -> str:
    """Return a text with these words in place of a code that stands in no quotes."""
    bare_code = rf'(?<![\w"“]){re.escape(code)}(?![\w"”])'
    return re.sub(bare_code, lambda _match: words, text)


def rule_name(rule: DraftRule, labels: Labels) -> str:
    """Return what a rule is called: its reason, or else its condition."""
    reason = rule.reason.strip()
    if reason:
        name = reason[:LONGEST_NAME].strip()
        if len(reason) > LONGEST_NAME:
            name += "…"
        return f"“{name}”"
    names = []
    for fact in rule.when.names if rule.when else ():
        names.append(f"“{labels.get(fact, fact)}”")
    message = pgettext("after “the rule”", "with %(facts)s")
    return message % {"facts": ", ".join(names)}
