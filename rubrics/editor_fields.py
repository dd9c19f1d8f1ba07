"""Show a part of a rubric's document as the fields of a form (see `rubrics.editing`)."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext as _

from .editing import (
    CLASSES,
    CONDITIONS,
    MOST_SHOWN,
    OWN,
    PRESETS,
    SHOWN,
    Edit,
    Element,
    Entered,
    dicts,
    examples_in,
    scores_of,
)
from .open_scores import Judge
from .plain_findings import fault_of, place_of, task_of
from .proof import Finding, meeting
from .rules import judge, reach
from .scales import MOST_BUTTONS, shade
from .schema import Better, Dimension, Verdict
from .yaml_lines import DocumentError, in_yaml, refuse_beyond, with_lines

MOST_CHOICES = 15_000  # facts to choose from in the rows of a part: 2 s to draw
_NUMBERS = {str(number) for number in range(1, 10_000)}  # of an example; it may have a name
# The row in which one adds to a list.
BLANK: Element = {
    **{"kind": "tick", "effect": "cap", "response": "", "prompt": "", "is_blank": True},
    **{"when": {"lines": [{}]}, "needs": {"lines": [{}]}, "answers": [{}, {}]},
}


def shown(edit: Edit, part: str, sent: Entered | None = None) -> Element:
    """Return the fields of the form of a part that is there."""
    section = part.partition(".")[2]
    if part == "about":
        found = {**_fields("about", edit.content), "more": _more("about", edit.content)}
    elif part == "checks":
        found = {"rows": _shown_checks(edit.content["checks"])}
    elif section == "checks":
        found = {"rows": _shown_checks(edit.dimension(part)["checks"])}
    elif section == "rules":
        found = {"rows": [*map(_shown_rule, edit.dimension(part)["rules"])]}
    elif section == "examples":
        examples = _shown_examples(edit.dimension(part))
        found = {"rows": sorted(examples, key=lambda row: _place(edit, row["at"]))}
    else:
        found = _shown_scale(edit, edit.dimension(part))
    if "rows" in found:
        row = BLANK.copy()
        for each in sent.rows() if sent else ():
            if each.number == len(found["rows"]):  # what was chosen there stays
                row |= {key: each.text(key) for key in ("kind", "effect") if each.text(key)}
        found["rows"].append(row)
    for name, (text, faults) in edit.slips.items():
        number = name.rpartition(".")[0]
        rows = found["rows"][int(number) :] if number else [found]
        for row in rows[:1]:
            row |= {"more": text, "slips": faults}
    return found


def fits_form(edit: Edit, part: str) -> bool:
    """Return whether the rows of a part offer no more facts than a page can draw in time."""
    try:
        refuse_beyond(edit.content)
    except DocumentError:
        return False
    section, rows = part.partition(".")[2], said(edit, part)
    if section not in ("checks", "rules", "examples") or not isinstance(rows, list):
        return True
    lists = 3 if section == "rules" else 1  # its condition, what it needs, what it excludes
    return len(rows) * lists * len(edit.facts(edit.dimension(part))) <= MOST_CHOICES


def said(edit: Edit, part: str) -> object:
    """Return what the document says in a part. Raises LookupError if there is no such part."""
    section = part.partition(".")[2]
    if part == "about":
        return {k: v for k, v in edit.content.items() if k not in ("slug", "dimensions", "checks")}
    if part == "checks":
        return edit.content["checks"]
    dimension = edit.dimension(part)
    levels = dimension["levels"]
    match section:
        case "checks" | "rules":
            return dimension[section]
        case "examples":
            return [example for level in levels for example in level.get("examples", [])]
        case "":
            plain = [{k: v for k, v in level.items() if k != "examples"} for level in levels]
            own = {k: v for k, v in dimension.items() if k not in ("checks", "rules")}
            return own | {"levels": plain}
    raise LookupError(part)


def digest(edit: Edit, part: str) -> str:
    """Return a name for what a part says. Raises LookupError if there is no such part."""
    return sha256(json.dumps(said(edit, part), sort_keys=True).encode()).hexdigest()[:16]


def _fields(kind: str, element: Element) -> Element:
    """Return the entries that have fields. A form has names of its own beside them."""
    return {key: each for key, each in element.items() if key in SHOWN[kind]}


def _more(kind: str, element: Element, further: Element | None = None) -> str:
    found = {key: each for key, each in element.items() if key not in SHOWN[kind]}
    found |= {key: each for key, each in (further or {}).items() if each}
    return in_yaml(found) if found else ""


def _rest(kind: str, elements: Iterable[Element]) -> list[Element]:
    """Return what "More" has of the levels or answers that it names by score or code."""
    rests = ({k: v for k, v in each.items() if k not in SHOWN[kind]} for each in elements)
    return [each for each in rests if len(each) > 1]


def _shown_scale(edit: Edit, dimension: Element) -> Element:
    code, scores = dimension["code"], scores_of(dimension)
    ends = (dimension.get("lowest"), dimension.get("highest"))
    kept = edit.beside.get("levels", {}).get(code, {}).values()
    texts = {level.get("score"): level for level in (*kept, *dimension["levels"])}
    described = {level.get("score") for level in dimension["levels"]}
    is_long = len(scores) > MOST_BUTTONS
    more = {key: each for key, each in dimension.items() if key != "levels"}
    preset = next((name for name, preset in PRESETS.items() if preset == ends), OWN)
    preset = OWN if edit.beside.get("own", {}).get(code) else preset
    return {
        **_fields("scale", dimension),
        "preset": CLASSES if dimension.get("better") == Better.NONE else preset,
        "better": dimension.get("better", "high"),
        "is_long": is_long,
        "ends": len(scores) > 2 and edit.beside.get("ends", {}).get(code, described == {*ends}),
        "same": edit.beside.get("same", {}).get(code, ""),
        "others": [
            each
            for each in edit.content["dimensions"]
            if each is not dimension and each["code"] not in edit.beside.get("same", {})
            if scores_of(each) == scores or each["code"] == edit.beside.get("same", {}).get(code)
        ],
        "sharing": [
            each["title"]
            for each in edit.content["dimensions"]
            if edit.beside.get("same", {}).get(each["code"]) == code
        ],
        "lines": [
            {"label": "", "definition": "", **texts.get(score, {})}
            | {"score": score, "is_end": score in ends, "shade": _shade(dimension, score)}
            for score in (_long_scale(edit, described) if is_long else scores[::-1])
        ],
        "more": _more("scale", more, {"levels": _rest("level", dimension["levels"])}),
    }


def _long_scale(edit: Edit, described: Iterable[int]) -> list[int]:
    """Return the scores that a long scale shows."""
    falling = sorted(described, key=str, reverse=True)
    return sorted(falling, key=lambda score: _place(edit, str(score)))


def _place(edit: Edit, name: str) -> int:
    """Return where the page has a row; those that it does not know come last."""
    return edit.order.index(name) if name in edit.order else len(edit.order)


def _shade(dimension: Element, score: int) -> str:
    """Return the colour of a score, if the scale has ends that make one."""
    scores, better = scores_of(dimension), dimension.get("better", "high")
    if score not in scores or not 1 < len(scores) <= MOST_SHOWN or better not in [*Better]:
        return ""
    scale = Dimension(
        code="",
        short="",
        title="",
        question="",
        lowest=scores[0],
        highest=scores[-1],
        better=Better(better),
    )
    return shade(scale, score)


def _shown_checks(checks: Iterable[Element]) -> list[Element]:
    return [
        {
            **_fields("check", check),
            "when": _lines(check.get("when", {})),
            "answers": (answers := check.get("answers", []))
            + [{}] * (max(1, 4 - len(answers)) if check["kind"] == "one_of" else 0),
            "more": _more(
                "check",
                {key: each for key, each in check.items() if key != "answers"},
                {"answers": _rest("answer", check.get("answers", []))},
            ),
        }
        for check in checks
    ]


def _shown_rule(rule: Element) -> Element:
    return {
        **_fields("rule", rule),
        "when": _lines(rule.get("when", {})),
        "needs": _lines(rule.get("needs", {})),
        "more": _more("rule", rule),
    }


def _shown_examples(dimension: Element) -> Iterator[Element]:
    for place, example in examples_in(dimension):
        turns = example.get("history", [])
        prompt = "".join(str(turn.get("text")) for turn in dicts(turns)[:1])
        is_plain = turns in ([], [{"role": "user", "text": prompt}])
        rest = {key: each for key, each in example.items() if key != "history" or not is_plain}
        yield {
            **_fields("example", example),
            "at": place,
            "prompt": prompt if is_plain else None,
            "more": _more("example", rest),
        }


def with_effects(form: Element, dimension: Dimension) -> Element:
    """Add to the rows of rules: the scores that each bars, and the examples that show it."""
    examples = [each for level in dimension.levels for each in level.examples]
    examples = examples[: Judge(dimension).most]
    verdicts = [judge(dimension, each.checks) for each in examples]
    acting = [
        [reason.rule for reason in each.acting] if isinstance(each, Verdict) else []
        for each in verdicts
    ]
    for rule in dimension.rules:
        for row in [each for each in form.get("rows", []) if each.get("code") == rule.code]:
            row["effects"] = {
                "bars": reach(rule, dimension),
                "shown_by": [n for n, rules in enumerate(acting, 1) if rule.code in rules],
            }
            row["meets"] = rule.code in meeting(dimension)
    return form


def _lines(condition: Element) -> Element:
    """Return a condition as its only fact, or as a line for each of its parts."""
    lines = [
        {"how": how, "facts": condition[how], "least": condition.get("at_least")}
        for how in CONDITIONS
        if condition.get(how)
    ]
    is_one = len(lines) == 1 and lines[0]["how"] in CONDITIONS[:2] and len(lines[0]["facts"]) == 1
    if is_one:
        return {"one": lines[0]["facts"][0], "lines": [{}]}
    return {"is_several": bool(lines), "lines": [*lines, {}]}


# The outline, and what the reader and the proof found.


def outline_of(content: Element, findings: Iterable[Element]) -> list[Element]:
    """Return the parts in their order: each with its title, and the number of its faults."""
    parts = [each["part"] for each in findings if each["is_fault"]]
    found: list[Element] = [{"part": "about", "title": content.get("title")}]
    for dimension in content["dimensions"]:
        code, levels = dimension["code"], dimension["levels"]
        counts = {
            "checks": len(dimension["checks"]),
            "rules": len(dimension["rules"]),
            "examples": sum(len(level.get("examples", [])) for level in levels),
        }
        sections = [
            {"part": f"{code}.{name}", "name": name, "number": number}
            for name, number in counts.items()
        ]
        found.append({"part": code, "dimension": dimension, "sections": sections})
    found.append({"part": "checks", "number": len(content["checks"])})
    for each in (*found, *(each for part in found for each in part.get("sections", []))):
        each["faults"] = parts.count(each["part"])
    return found


def part_of(path: Sequence[str]) -> str:
    """Return the part that a path of a finding is in."""
    match path:
        case ("dimensions", code, *within):
            sections = [each for each in ("examples", "checks", "rules") if each in within]
            return ".".join([code, *sections[:1]])
        case ("checks", *_):
            return "checks"
        case _:
            return "about"


def found_in(edit: Edit, findings: Iterable[Finding]) -> list[Element]:
    """Return the findings: what is still to be written, faults, and what to look at.

    Each has its part, and the row there that it names. Their texts are those of the forms.
    """
    dimensions = {each["code"]: each for each in edit.content["dimensions"]}
    facts_of = cache(lambda code: dict(edit.facts(dimensions.get(code))))
    found = dict[tuple[str, ...], Element]()
    for each in findings:
        path = place_of(each)
        part = part_of(path)
        dimension = dimensions.get(code := part.partition(".")[0])
        facts = facts_of(code)
        task = task_of(each, edit.content, facts)
        at, title = _row_at(path), dimension["title"] if dimension else ""
        place = {"part": part, "title": title, "at": at, "path": path}
        text = task or fault_of(each, edit.content, facts)
        kind = {"is_task": bool(task), "is_fault": each.is_fault}
        found.setdefault((part, at, text), place | kind | {"text": text})
    return sorted(found.values(), key=lambda each: (not each["is_fault"], not each["is_task"]))


def _row_at(path: Sequence[str]) -> str:
    match path:
        case ("checks", code, *_):
            return code
        case ("dimensions", _, "levels", score, "examples", number, *_) if number in _NUMBERS:
            return f"{score}.{int(number) - 1}"
        case ("dimensions", _, _, code, *_):
            return code
    return ""


def at_rows(form: Element, findings: Iterable[Element]) -> list[Element]:
    """Give the rows of a form their findings; return those of the part as a whole.

    A finding at an entry under "More" begins with its line there.
    """
    rest = [*findings]
    for row in form.get("rows", []):
        at = row.get("at") or row.get("code")
        row["found"] = [_with_line(each, row) for each in rest if each["at"] == at]
        rest = [each for each in rest if each["at"] != at]
    return [_with_line(each, form) for each in rest]


@lru_cache(maxsize=4)  # a part may have many findings
def _lines_of(more: str) -> Mapping[str, Any]:
    """Return the entries of "More" by their names, each with its line."""
    with suppress(DocumentError):
        return with_lines(more)[1].within
    return {}


def _with_line(found: Element, row: Element) -> Element:
    within = _lines_of(row.get("more", ""))
    names = [*found["path"], *re.findall('^"([^"]+)"', found["text"])]
    if line := next((within[name].line for name in names if name in within), 0):
        said = _("More, line %(line)s: %(text)s") % {"line": line, "text": found["text"]}
        return found | {"text": said}
    return found
