"""Edit a rubric's document part by part, as the forms of a draft send it.

A part is `about`, `checks` (of the whole response), `DIMENSION`, `DIMENSION.checks`,
`DIMENSION.rules` or `DIMENSION.examples`. A form sends texts alone, under names with dots
("2.when.1.how"). They go into the document as they were entered, and `rubrics.document` says what
is wrong with them. The entries that a form has no field for stand in it as a small document, under
"More". So nothing that a document has is lost.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from unicodedata import normalize

from django.utils.translation import gettext as _

from .document import LONGEST, yes_no_in
from .schema import COMMENT, RESERVED_DIMENSIONS, RESERVED_KEYS, Better, Effect, Kind, free_letter
from .wellformed import READ_BY
from .yaml_lines import DocumentError, values

Element: TypeAlias = dict[str, Any]  # a part of a document: a dimension, a check, a rule …

# The entries that have fields in a form, or are not to be changed. "More" has the others.
SHOWN = {
    "about": ("slug", "title", "summary", "language", "dimensions", "checks"),
    "scale": (
        "code",
        "title",
        "question",
        "lowest",
        "highest",
        "better",
        "blank",
        "checks",
        "rules",
    ),
    "level": ("label", "definition", "examples"),
    "check": ("code", "kind", "wording", "help", "best", "when"),
    "answer": ("wording",),
    "rule": ("code", "effect", "score", "scores", "needs", "against", "reason", "clause", "when"),
    "example": ("score", "checks", "response", "why"),
}
PRESETS = {"1–5": (1, 5), "0–4": (0, 4), "1–7": (1, 7), "1–10": (1, 10), "yes/no": (0, 1)}
CLASSES, OWN = "classes", "own"
MOST_SHOWN = 1_000  # scores
_READ = set().union(*READ_BY.values())  # by the rules of some effect
CONDITIONS = ("all_of", "any_of", "none_of", "of")


class Entered:
    """The fields that a form sent, or those whose names begin with a prefix."""

    def __init__(self, fields: Mapping[str, Collection[str]], number: int = 0) -> None:
        self.fields, self.number = fields, number  # of a row

    def text(self, name: str) -> str:
        """Return the last text of a field, "" for none."""
        return "".join(list(self.all(name))[-1:])

    def all(self, name: str) -> list[str]:
        """Return all texts of a field. Lines end as in the document."""
        return [text.replace("\r\n", "\n") for text in self.fields.get(name, ())]

    def rows(self, name: str = "") -> Iterator["Entered"]:
        """Yield the rows of a list, in their order."""
        begin = f"{name}." if name else ""
        rows: dict[int, dict[str, Collection[str]]] = {}
        for key, texts in self.fields.items():
            if found := re.fullmatch(re.escape(begin) + r"(\d{1,4})\.(.+)", key):
                rows.setdefault(int(found[1]), {})[found[2]] = texts
        return (Entered(rows[number], number) for number in sorted(rows))


@dataclass
class Edit:
    """A document while a form changes one of its parts."""

    content: Element
    beside: Element  # `RubricDraft.beside`
    follows_title: bool = False  # the short name, until a part is saved
    # By the name of a field "More": the text that cannot be read, and its faults.
    slips: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    # Where the rows of the form are now, as it sent them: a page keeps their order.
    order: list[str] = field(default_factory=list)

    def dimension(self, part: str) -> Element:
        """Return the dimension of a part. Raises LookupError without it."""
        return by_code(self.content["dimensions"], part.partition(".")[0])

    def add_dimension(self, title: str) -> str:
        """Add a dimension with a scale from 1 to 5; return its code, which never changes."""
        code = self._code(title, self.content["dimensions"])
        lists: Element = {"levels": [], "checks": [], "rules": []}
        texts = {"code": code, "short": title[:20].strip(), "title": title, "question": ""}
        scale = {"unit": "response", "lowest": 1, "highest": 5}
        self.content["dimensions"].append(texts | scale | lists)
        return code

    def has(self, part: str) -> bool:
        """Return True if a part is not removed."""
        codes = [each["code"] for each in self.content["dimensions"]]
        return part.partition(".")[0] in ("about", "checks", *codes)

    def take(self, part: str, sent: Entered) -> None:
        """Change a part to what was sent, and do what its button says.

        Raises LookupError if there is no such part.
        """
        section, (act, _, place) = part.partition(".")[2], sent.text("act").partition(".")
        if act == "remove":  # a row that is not sent goes
            fields = {k: v for k, v in sent.fields.items() if not k.startswith(f"{place}.")}
            sent = Entered(fields)
        if part == "about":
            self._about(sent)
        elif part == "checks":
            self.content["checks"] = self._checks(self.content["checks"], sent, None)
        elif section == "checks":
            dimension = self.dimension(part)
            dimension["checks"] = self._checks(dimension["checks"], sent, dimension)
        elif section == "rules":
            self._rules(self.dimension(part), sent)
        elif section == "examples":
            self._examples(self.dimension(part), sent)
        elif not section:
            self._scale(self.dimension(part), sent)
            place = str(self.content["dimensions"].index(self.dimension(part)))
            if act == "remove":
                code = self.content["dimensions"].pop(int(place))["code"]
                for kept in self.beside.values():
                    for name in [each for each in kept if code in (each, kept[each])]:
                        del kept[name]
        else:
            raise LookupError(part)
        if act in ("up", "down") and re.fullmatch(r"\d{1,4}", place):
            owner = self.dimension(part) if section else self.content
            name = section or ("checks" if part == "checks" else "dimensions")
            self._move(owner[name], int(place), -1 if act == "up" else 1)

    def _move(self, rows: list[Element], place: int, by: int) -> None:
        """Exchange a row with the one before or after it, a rule with one of the same effect.

        Automatic scores then decide in their new order.
        """
        peers = [
            number
            for number, each in enumerate(rows)
            if place < len(rows) and each.get("effect") == rows[place].get("effect")
        ]
        if place in peers and 0 <= peers.index(place) + by < len(peers):
            other = peers[peers.index(place) + by]
            rows[place], rows[other] = rows[other], rows[place]
            forces = [each for each in rows if each.get("effect") == Effect.FORCE]
            for precedence, force in enumerate(reversed(forces), start=1):
                force["precedence"] = precedence

    def more(self, sent: Entered, kind: str, old: Element, name: str = "more") -> Element:
        """Return the entries under "More". If they can't be read, keep the old ones and note it."""
        text = sent.text("more")
        try:
            found = values(text) if text.strip() else {}
            if not isinstance(found, dict):
                raise DocumentError([(1, _('write entries, such as "clauses: [A-01]"'))])
        except DocumentError as error:
            self.slips[name] = (text, error.faults)
            found = old
        return {key: value for key, value in found.items() if key not in SHOWN[kind]}

    def _about(self, sent: Entered) -> None:
        old = self.content
        title, slug = sent.text("title"), sent.text("slug")
        if self.follows_title and slug in ("", old["slug"]) and title != old.get("title"):
            slug = title
        self.content = {
            **{key: old[key] for key in SHOWN["about"] if key in old},
            "slug": slug_of(slug) or old["slug"],
            **{key: sent.text(key) for key in ("title", "summary", "language")},
            **self.more(sent, "about", old),
        }

    def _scale(self, old: Element, sent: Entered) -> None:
        code, preset = old["code"], sent.text("preset")
        more = self.more(sent, "scale", old)
        further = {str(each.get("score")): each for each in dicts(more.pop("levels", []))}
        low, high = PRESETS.get(preset) or (whole(sent.text("lowest")), whole(sent.text("highest")))
        better = Better.NONE if preset == CLASSES else sent.text("better")
        was_classes = old.get("better") == Better.NONE
        new = {
            **{key: old[key] for key in ("code", "checks", "rules")},
            **{key: sent.text(key) for key in ("title", "question")},
            "lowest": low if preset != CLASSES else old["lowest"] if was_classes else 1,
            "highest": high,
            **more,
            **({"better": str(better)} if better not in ("", Better.HIGH) else {}),
            **({"blank": sent.text("blank")} if sent.text("may_not_apply") else {}),
        }
        kept = self.beside.setdefault("levels", {})
        pool = {str(key): level for key, level in kept.pop(code, {}).items()}
        pool |= {str(level.get("score")): level for level in old["levels"]}
        for row in sent.rows("level"):
            if not (score := row.text("score").strip()):
                continue
            self.order.append(score)
            texts = {key: row.text(key) for key in ("label", "definition") if row.text(key)}
            examples = {k: v for k, v in pool.get(score, {}).items() if k == "examples"}
            rest = {k: v for k, v in further.get(score, {}).items() if k not in SHOWN["level"]}
            pool[score] = {"score": whole(score), **rest, **texts, **examples}
        if preset == "yes/no" and not (pool.get("1") or pool.get("0")):
            words = yes_no_in(self.content.get("language", "en")) or ("yes", "no")
            pool |= {str(n): {"score": n, "label": words[1 - n]} for n in (1, 0)}
        scores, places = scores_of(new), [level["score"] for level in old["levels"]]
        self.beside.setdefault("own", {})[code] = preset == OWN
        # A new scale keeps the texts of its scores, wherever they stand.
        is_same = {*scores[:1], *scores[-1:]} == {old["lowest"], old["highest"]}
        ends = self.beside.setdefault("ends", {})
        if has_ends := bool(sent.text("ends")) and is_same:
            scores = [*scores[:1], *scores[-1:]]
        ends[code] = has_ends
        said = [level for level in pool.values() if len(level) > 1]
        # An example whose score is off the scale has no other place.
        shown = [
            level
            for level in said
            if level["score"] in scores
            or (level["score"] not in scores_of(new) and level.keys() == {"score", "examples"})
        ]
        kept[code] = {str(level["score"]): level for level in said if level not in shown}
        if {level["score"] for level in shown} == {*places}:
            shown.sort(key=lambda level: places.index(level["score"]))
        else:
            shown.sort(key=lambda level: -level["score"] if level["score"] in scores else 1)
        new["levels"] = shown
        same, own = (self.beside.setdefault(name, {}) for name in ("same", "before_same"))
        if same.pop(code, None):
            new["levels"] = _with_examples(own.pop(code, shown), shown)
        there = {each["code"]: each for each in self.content["dimensions"]}
        if sent.text("same") in there and sent.text("same") != code:
            same[code], own[code] = sent.text("same"), new["levels"]
        old.clear()
        old.update(new)
        for other, source in same.items():
            if other in there and source in there:
                _copy_levels(there[source], there[other])

    def _checks(
        self, old: list[Element], sent: Entered, dimension: Element | None
    ) -> list[Element]:
        found = list[Element]()
        others = [*self.content["checks"], *(dimension["checks"] if dimension else ())]
        named = [] if dimension else self.content["dimensions"]  # they may name what is asked here
        elsewhere = [check for each in named for check in each["checks"]]
        for row in sent.rows():
            before = by_code(old, row.text("at"), {})
            if not before and not row.text("wording").strip():
                continue
            check = {
                "code": before.get("code")
                or self._code(row.text("wording"), [*others, *elsewhere, *found]),
                **{key: row.text(key) for key in ("kind", "wording")},
                **{key: row.text(key) for key in ("help", "best") if row.text(key)},
                **_condition("when", row, before),
                **self.more(row, "check", before, f"{row.number}.more"),
            }
            if not before:
                keys = {*RESERVED_KEYS, *(str(each.get("key")) for each in others)}
                check["key"] = free_letter(check["wording"], keys)
            further = {str(each.get("code")): each for each in dicts(check.pop("answers", []))}
            if check["kind"] in (Kind.YES_NO, Kind.ONE_OF):
                check["answers"] = self._answers(check, before, further, row)
            elif before.get("answers"):  # they come back with their kind
                self.beside.setdefault("answers", {})[check["code"]] = before["answers"]
            if row.text("of") == "response" and dimension:
                self.content["checks"] = [*self.content["checks"], check]
            else:
                found.append(check)
        for check in found:
            if "when" in check:
                check |= self._facts({"when": check["when"]}, found)
        return found

    def _answers(
        self, check: Element, before: Element, further: Mapping[Any, Element], sent: Entered
    ) -> list[Element]:
        old, found = before.get("answers", []), list[Element]()
        for row in sent.rows("answer"):
            wording, code = row.text("wording"), row.text("at")
            if wording.strip():
                code = code or self._code(wording, [*old, *found])
                rest = further.get(code, by_code(old, code, {}))
                found.append({**rest, "code": code, "wording": wording})
        found = found or self.beside.get("answers", {}).pop(check["code"], [])
        if check["kind"] == Kind.YES_NO and sorted(each["code"] for each in found) != ["no", "yes"]:
            yes, no = yes_no_in(self.content.get("language", "en")) or ("yes", "no")
            return [
                {"code": "yes", "wording": yes, "sets": check["code"]},
                {"code": "no", "wording": no},
            ]
        return found

    def _rules(self, dimension: Element, sent: Entered) -> None:
        found, checks = list[Element](), dimension["checks"]
        for row in sent.rows():
            before = by_code(dimension["rules"], row.text("at"), {})
            when = self._facts(_condition("when", row, before), checks)
            if not before and not (when or row.text("reason").strip()):
                continue
            named = next((name for names in when.get("when", {}).values() for name in names), "")
            effect = row.text("effect")
            rule = {
                "code": before.get("code")
                or self._code(named or row.text("reason"), [*dimension["rules"], *found]),
                "effect": effect,
                "reason": row.text("reason"),
                **({"clause": row.text("clause")} if row.text("clause") else {}),
                **when,
            }
            given = {
                "score": whole(row.text("score")) if row.text("score") else None,
                "scores": _ordered(map(whole, row.all("scores")), before.get("scores", [])),
                "against": self._named(
                    _ordered(row.all("against"), before.get("against", [])), checks
                ),
                **self._facts(_condition("needs", row, before), checks),
                **self.more(row, "rule", before, f"{row.number}.more"),
            }
            read = {"reading", *(READ_BY[Effect(effect)] if effect in [*Effect] else given)}
            found.append(
                rule
                | {
                    key: each
                    for key, each in given.items()
                    if (key in read or key not in _READ) and (each or each == 0)
                }
            )
        dimension["rules"] = found

    def _examples(self, dimension: Element, sent: Entered) -> None:
        levels = {level["score"]: level for level in dimension["levels"]}
        there, rows = dict(examples_in(dimension)), list[Element]()
        for level in levels.values():
            level.pop("examples", None)
        for row in sent.rows():
            before = there.get(at := row.text("at"), {})
            if not before and not (row.text("response") or row.text("why")).strip():
                continue
            example = {
                "score": (score := whole(row.text("score"))),
                "checks": _ordered(row.all("checks"), before.get("checks", [])),
                "why": row.text("why"),
                **({"response": row.text("response")} if "response" in row.fields else {}),
                **self.more(row, "example", before, f"{row.number}.more"),
            }
            if row.text("prompt").strip() and "history" not in example:
                example["history"] = [{"role": "user", "text": row.text("prompt")}]
            home = whole(at.partition(".")[0]) if before.get("score") == score else score
            level = levels.setdefault(home, {"score": home})
            level.setdefault("examples", []).append(example)
            rows.append(example)
        dimension["levels"] = [level for level in levels.values() if len(level) > 1]
        places = {id(example): place for place, example in examples_in(dimension)}
        self.order = [places[id(each)] for each in rows]

    # Facts.

    def facts(self, dimension: Element | None) -> list[tuple[str, str]]:
        """Return the facts that a rule may name, each with its label, and those that one names.

        An answer that asserts none yet stands there as "CHECK=ANSWER".
        """
        own = dimension or {"checks": [], "rules": [], "levels": []}
        checks = [*own["checks"], *self.content["checks"]]
        found = [
            (name, label)
            for check in checks
            for name, label in (
                [
                    (
                        each.get("sets") or f"{check['code']}={each['code']}",
                        f"{check['wording']}: {each['wording']}",
                    )
                    for each in check.get("answers", [])
                ]
                or [(check["code"], check["wording"])]
            )
        ]
        known = {COMMENT, *(name for name, _label in found)}
        examples = [each for level in own["levels"] for each in level.get("examples", [])]
        said = (_mentioned(each) for each in (*checks, *own["rules"], *examples))
        gone = dict.fromkeys(name for names in said for name in names if name not in known)
        return [*found, *((name, name) for name in gone)]

    def _facts(self, conditions: Element, checks: list[Element]) -> Element:
        """Return conditions whose answers all assert a fact."""
        return {
            key: {
                part: self._named(names, checks) if isinstance(names, list) else names
                for part, names in condition.items()
            }
            for key, condition in conditions.items()
        }

    def _named(self, names: Iterable[str], checks: list[Element]) -> list[str]:
        """Return facts; an answer that is named as "CHECK=ANSWER" asserts one from now on."""
        found = []
        for name in names:
            code, is_answer, answer = name.partition("=")
            if is_answer:
                asked = by_code([*checks, *self.content["checks"]], code, {})
                by_code(asked.get("answers", []), answer, {})["sets"] = f"{code}_{answer}"
            found.append(f"{code}_{answer}" if is_answer else name)
        return found

    def _code(self, text: str, others: Iterable[Element]) -> str:
        return new_code(text, [each.get("code") for each in others])


def slug_of(text: str) -> str:
    """Return a short name that is made from a text; "" if it has no letter for one."""
    return re.sub("[^a-z0-9_]+", "-", _ascii(text)).strip("-_")[: LONGEST["code"]].strip("-_")


def new_code(text: str, taken: Collection[object]) -> str:
    """Return a code that is made from a text, and that nothing else has."""
    plain = re.sub(r"[^a-z0-9]+", "_", _ascii(text)).strip("_")[:60].strip("_") or "part"
    names = (plain, *(f"{plain}_{number}" for number in range(2, len(taken) + 3)))
    return next(each for each in names if each not in taken and each not in RESERVED_DIMENSIONS)


def _ascii(text: str) -> str:
    return normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def whole(text: str) -> int | str:
    """Return a whole number, or the text if it is none."""
    return int(text) if re.fullmatch(r"[-+]?\d{1,9}", text.strip()) else text


def scores_of(dimension: Element) -> Sequence[int]:
    """Return the scores of a scale, none if its ends do not make one."""
    low, high = dimension.get("lowest"), dimension.get("highest")
    if isinstance(low, int) and isinstance(high, int):
        return range(low, high + 1)
    return ()


def by_code(elements: Iterable[Element], code: str, default: Element | None = None) -> Element:
    """Return the element with a code, else the default. Raises LookupError without one."""
    found = (each for each in elements if each.get("code") == code)
    if (element := next(found, default)) is None:
        raise LookupError(code)
    return element


def examples_in(dimension: Element) -> Iterator[tuple[str, Element]]:
    """Yield the examples of a dimension, each with its place: "SCORE.NUMBER"."""
    for level in dimension["levels"]:
        for number, example in enumerate(level.get("examples", [])):
            yield f"{level['score']}.{number}", example


def _mentioned(element: Element) -> Iterator[str]:
    """Yield the facts that a check, a rule or an example names; there may be no such fact."""
    others = element.get("or_needs")  # "More" may have anything
    conditions = [element.get("when"), element.get("needs")]
    conditions += others if isinstance(others, list) else []
    lists = [element.get("against"), element.get("checks")]
    for condition in conditions:
        lists += condition.values() if isinstance(condition, dict) else ()
    for names in lists:
        yield from (
            (name for name in names if isinstance(name, str)) if isinstance(names, list) else ()
        )


def _ordered(names: Iterable[Any], before: list[Any]) -> list[Any]:
    """Return the names, in the order that they had before if they are the same."""
    found = list(names)
    return before if {*found} == {*before} else found


def _condition(name: str, sent: Entered, before: Element) -> Element:
    """Return the entry of a condition: one fact, or a line for each kind of several."""
    old, one = before.get(name, {}), sent.text(f"{name}.one")
    found: Element = {"all_of": [one]} if one else {}
    for line in sent.rows(name):
        how, facts = line.text("how"), line.all("facts")
        if facts and how in CONDITIONS:
            found[how] = _ordered([*found.get(how, []), *facts], old.get(how, []))
            if how == "of":
                found["at_least"] = whole(line.text("least"))
    is_same = one and [old] == [{how: [one]} for how in ("any_of",) if how in old]
    return {name: old if is_same else found} if found else {}


def _copy_levels(source: Element, to: Element) -> None:
    """Give a dimension the scale and the levels of another; its examples are its own."""
    for key in ("lowest", "highest", "better"):
        to.pop(key, None)
        to |= {key: source[key]} if key in source else {}
    to["levels"] = _with_examples(source["levels"], to["levels"])


def _with_examples(levels: Iterable[Element], own: Iterable[Element]) -> list[Element]:
    """Return levels with the examples of others, also of those that are not among them."""
    examples = {each["score"]: each["examples"] for each in own if "examples" in each}
    plain = [{k: v for k, v in deepcopy(each).items() if k != "examples"} for each in levels]
    scores = [each["score"] for each in plain]
    plain += [{"score": score} for score in examples if score not in scores]
    return [
        each | ({"examples": examples[each["score"]]} if each["score"] in examples else {})
        for each in plain
    ]


def dicts(value: object) -> list[Element]:
    """Return the mappings of a list, without all else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
