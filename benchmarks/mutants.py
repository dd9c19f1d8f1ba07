"""Change the rubric documents one rule, check or level at a time; a test must fail each time.

Usage: make mutants. A test that passes without its rule proves nothing. Each mutant is a whole
document with one change. The tests on rubrics are collected once and run against each mutant until
the first failure, the quick ones first. If the parser refuses a mutant, any test that reads it
kills it.

The tests read the shipped documents through `documents.shipped.content`, which this module
replaces. Two processes share the mutants. The program prints how many mutants were killed and names
the survivors. The exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import django
import pytest

from rubrics.documents import shipped as shipping
from rubrics.documents.document import dump, parse
from rubrics.documents.shipped import SLUGS, shipped
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging.kinds import Detector, Kind, Scope, Unit

# The quick ones first: most mutants die within milliseconds.
TESTS = [
    "tests/rubric_pages/test_rubric_traceability.py",
    "tests/judging/test_response_quality.py",
    "tests/judging/test_dialogue.py",
    "tests/rubric_pages/test_rubric_examples.py",
    "tests/judging/test_response_quality_enumerated.py",
    "tests/item_pages/test_item_order.py",
]
# The tests of one document are not run against mutants of the other.
NOT_FOR = {"dialogue": "response_quality", "response-quality": "dialogue"}
PROCESSES = 2
FOLDER = "EVENHAND_TESTS_FOLDER"

Content = dict[str, Any]


@dataclass(frozen=True)
class Mutant:
    """A document with one change."""

    slug: str
    what: str  # the change in words
    content: Content


def mutants(slug: str) -> Iterator[Mutant]:
    """Yield all mutants of one shipped document."""
    original = dump(shipped(slug))
    for what, path, value in _changes(original):
        content = deepcopy(original)
        at: Any = content
        for step in path[:-1]:
            at = at[step]
        if value is ...:
            del at[path[-1]]
        else:
            at[path[-1]] = value
        if not _says_the_same(content, slug):
            yield Mutant(slug, what, content)


def _says_the_same(content: Content, slug: str) -> bool:
    """Return True if a change only spells out a default, so that no test could notice it."""
    try:
        return parse(content) == shipped(slug)
    except DocumentError:
        return False


Path = tuple[str | int, ...]
Change = tuple[str, Path, object]  # description, path, and new value (... to delete the entry)


def _changes(rubric: Content) -> Iterator[Change]:
    yield from _changes_of_texts(rubric.get("guidance", []), ("guidance",), "guidance")
    yield from _changes_of_clauses(rubric["clauses"])
    dimensions = rubric["dimensions"]
    for place, dimension in enumerate(dimensions):
        path: Path = ("dimensions", place)
        name = dimension["code"]
        yield f"{name}: without the dimension", path, ...
        yield from _changes_of_frame(dimension, path, name)
        yield from _changes_of_texts(
            dimension.get("guidance", []), (*path, "guidance"), f"{name} guidance"
        )
        yield from _changes_of_texts(dimension.get("aids", []), (*path, "aids"), f"{name} aid")
        for number, aid in enumerate(dimension.get("aids", [])):
            where = (*path, "aids", number)
            yield f"{name} aid {aid['code']}: proposes nothing", (*where, "proposes"), ""
            yield (
                f"{name} aid {aid['code']}: another check proposed",
                (*where, "proposes"),
                "plagiarised",
            )
            yield f"{name} aid {aid['code']}: a minute", (*where, "seconds"), 60
        for number, level in enumerate(dimension["levels"]):
            yield from _changes_of_level(level, dimension, (*path, "levels", number), name)
        for number, check in enumerate(dimension["checks"]):
            yield from _changes_of_check(check, dimension, (*path, "checks", number), name)
        for number, rule in enumerate(dimension["rules"]):
            yield from _changes_of_rule(rule, dimension, (*path, "rules", number), name)
        yield from _changes_of_readings(rubric, dimension, path)
        yield from _changes_of_order(dimension, path, name)
    if len(dimensions) > 1:
        for place in range(len(dimensions) - 1):
            turned = [*dimensions]
            turned[place : place + 2] = turned[place + 1], turned[place]
            yield f"dimensions {place} and {place + 1} in turned order", ("dimensions",), turned


def _changes_of_texts(texts: list[Content], path: Path, name: str) -> Iterator[Change]:
    for number, text in enumerate(texts):
        yield f"{name} {text['code']}: taken out", (*path, number), ...
        yield from _without_each(text, "clauses", (*path, number), f"{name} {text['code']}")


def _changes_of_clauses(clauses: list[Content]) -> Iterator[Change]:
    for number, clause in enumerate(clauses):
        name, before = f"clause {clause['id']}", clauses[number - 1]
        yield f"{name}: taken out", ("clauses", number), ...
        yield f"{name}: source of {before['id']}", ("clauses", number, "source"), before["source"]
        turned = [*clauses]
        turned[number - 1], turned[number] = clause, before
        yield f"{name}: in turned order with {before['id']}", ("clauses",), turned


def _changes_of_readings(rubric: Content, dimension: Content, path: Path) -> Iterator[Change]:
    """Take the reading of each part away, change it, and give one to each part without."""
    readings = [text["code"] for part in (rubric, dimension) for text in part.get("guidance", [])]
    for where, part in _parts(dimension, path):
        name = f"{dimension['code']} {' '.join(map(str, where[2:]))}"
        own = part.get("reading")
        other = next(code for code in readings if code != own)
        if own:
            yield f"{name}: without its reading", (*where, "reading"), ...
        yield f"{name}: the reading {other}", (*where, "reading"), other


def _parts(dimension: Content, path: Path) -> Iterator[tuple[Path, Content]]:
    """Yield the levels, checks, answers and rules, each with its path."""
    for kind in ("levels", "checks", "rules"):
        for number, part in enumerate(dimension[kind]):
            where = (*path, kind, number)
            yield where, part
            for place, answer in enumerate(part.get("answers", [])):
                yield (*where, "answers", place), answer


def _changes_of_order(dimension: Content, path: Path, name: str) -> Iterator[Change]:
    """Put each remark behind another one that can speak at the same score."""
    rules = dimension["rules"]
    remarks = [rule for rule in rules if rule["effect"] == "advise" and rule.get("scores")]
    for one, other in combinations(remarks, 2):
        if not {*one["scores"]}.isdisjoint(other["scores"]) and not _never_both(
            one, other, dimension
        ):
            rest = [rule for rule in rules if rule is not one]
            place = rest.index(other) + 1
            turned = [*rest[:place], one, *rest[place:]]
            yield f"{name} rule {one['code']}: after {other['code']}", (*path, "rules"), turned


def _never_both(one: Content, other: Content, dimension: Content) -> bool:
    """Return True if the conditions of two rules never hold together."""
    return any(
        all(_clash(fact, second.get("when", {}), dimension) for fact in parts)
        for first, second in ((one, other), (other, one))
        for parts in _parts_of_condition(first.get("when", {}))
    )


def _clash(fact: str, condition: Content, dimension: Content) -> bool:
    """Return True if a fact never stands beside what the condition asks for."""
    return fact in condition.get("none_of", []) or _is_excluded(fact, condition, dimension)


def _changes_of_frame(dimension: Content, path: Path, name: str) -> Iterator[Change]:
    for end in ("lowest", "highest"):
        for step in (-1, 1):
            yield f"{name}: {end} shifted by {step}", (*path, end), dimension[end] + step
    for unit in Unit:
        yield f"{name}: unit {unit}", (*path, "unit"), str(unit)
    needs = dimension.get("needs", {})
    for flag in ("persona", "history"):
        yield (
            f"{name}: needs {flag} turned",
            (*path, "needs"),
            {**needs, flag: not needs.get(flag, False)},
        )
    for count in ("candidates", "other_histories"):
        for step in (-1, 1):
            number = max(needs.get(count, 0) + step, 0)
            yield f"{name}: needs {number} {count}", (*path, "needs"), {**needs, count: number}
    # Only checks of scope corpus read the sample.
    if any(check.get("scope") == "corpus" for check in dimension["checks"]):
        yield f"{name}: a sample of 10", (*path, "sample"), 10
    yield from _without_each(dimension, "clauses", path, name)


def _changes_of_level(
    level: Content, dimension: Content, path: Path, name: str
) -> Iterator[Change]:
    name = f"{name} level {level['score']}"
    yield f"{name}: taken out", path, ...
    yield f"{name}: between turned", (*path, "between"), not level.get("between", False)
    for step in (-1, 1):
        yield f"{name}: score shifted by {step}", (*path, "score"), level["score"] + step
    others = dimension["levels"]
    index = others.index(level)
    if index + 1 < len(others):
        other = others[index + 1]
        turned = [*others]
        turned[index] = {**level, "score": other["score"]}
        turned[index + 1] = {**other, "score": level["score"]}
        yield f"{name}: scores swapped with {other['score']}", (*path[:-1],), turned
        turned = [*others]
        turned[index : index + 2] = turned[index + 1], turned[index]
        yield f"{name}: order turned with {other['score']}", (*path[:-1],), turned
        turned = [*others]
        turned[index] = {**level, "label": other["label"]}
        yield f"{name}: label of {other['score']}", (*path[:-1],), turned
    yield from _without_each(level, "illustrations", path, name)
    yield from _without_each(level, "clauses", path, name)
    for number, example in enumerate(level.get("examples", [])):
        for step in (-1, 1):
            where = (*path, "examples", number, "score")
            yield f"{name}: example {number} shifted by {step}", where, example["score"] + step
        if len(level["examples"]) <= 2:
            yield f"{name}: example {number} taken out", (*path, "examples", number), ...


def _changes_of_check(
    check: Content, dimension: Content, path: Path, name: str
) -> Iterator[Change]:
    name = f"{name} check {check['code']}"
    yield f"{name}: taken out", path, ...
    yield f"{name}: another code", (*path, "code"), check["code"] + "_too"
    for kind in Kind:
        yield f"{name}: kind {kind}", (*path, "kind"), str(kind)
    for scope in Scope:
        yield f"{name}: scope {scope}", (*path, "scope"), str(scope)
    for detector in Detector:
        if check.get("detector") != detector:
            asks = (
                {"asks": "Is it so?", "detector": str(detector)} if check["kind"] == "tick" else {}
            )
            yield f"{name}: detector {detector}", path, {**check, "detector": str(detector), **asks}
    if "detector" in check:
        rest = {key: value for key, value in check.items() if key not in ("detector", "asks")}
        yield f"{name}: without its detector", path, rest
        yield f"{name}: detected is a mere tick", path, {**rest, "kind": "tick"}
    yield (
        f"{name}: persona marking turned",
        (*path, "marks_persona"),
        not check.get("marks_persona", False),
    )
    if check.get("asks"):
        yield f"{name}: asks nothing", (*path, "asks"), ...
    if check.get("key"):
        yield f"{name}: without its key", (*path, "key"), ...
        other = next(
            each["key"]
            for each in dimension["checks"]
            if each.get("key") not in (None, check["key"])
        )
        yield f"{name}: the key {other} of another", (*path, "key"), other
    answers = check.get("answers", [])
    if check.get("best"):
        yield f"{name}: no best answer", (*path, "best"), ...
        for answer in answers:
            yield f"{name}: best {answer['code']}", (*path, "best"), answer["code"]
    elif answers:
        yield f"{name}: a best answer", (*path, "best"), answers[0]["code"]
    for number, answer in enumerate(answers):
        where = (*path, "answers", number)
        yield f"{name}: answer {answer['code']} taken out", where, ...
        yield f"{name}: answer {answer['code']} renamed", (*where, "code"), "perhaps"
        if "sets" in answer:
            yield f"{name}: answer {answer['code']} sets nothing", (*where, "sets"), ...
            for other_number, other in enumerate(answers):
                if other is not answer:
                    turned = deepcopy(answers)
                    turned[number].pop("sets")
                    turned[other_number]["sets"] = answer["sets"]
                    yield (
                        f"{name}: {other['code']} sets {answer['sets']}",
                        (*path, "answers"),
                        turned,
                    )
        else:
            yield f"{name}: answer {answer['code']} sets a new fact", (*where, "sets"), "something"
        yield from _without_each(answer, "clauses", where, f"{name} answer {answer['code']}")
    yield from _without_each(check, "clauses", path, name)


def _changes_of_rule(rule: Content, dimension: Content, path: Path, name: str) -> Iterator[Change]:
    name = f"{name} rule {rule['code']}"
    yield f"{name}: taken out", path, ...
    yield f"{name}: another clause", (*path, "clause"), "XX-99"
    yield f"{name}: says nothing", (*path, "reason"), ""
    yield from _changes_of_effect(rule, path, name)
    if "score" in rule:
        for step in (-1, 1):
            yield f"{name}: score shifted by {step}", (*path, "score"), rule["score"] + step
    for number, score in enumerate(rule.get("scores", [])):
        for step in (-1, 1):
            shifted = [*rule["scores"]]
            shifted[number] = score + step
            yield f"{name}: {score} shifted by {step}", (*path, "scores"), shifted
        yield f"{name}: without {score}", (*path, "scores", number), ...
    closed = _closed_with(rule, dimension)
    for score in range(dimension["lowest"], dimension["highest"] + 1) if "scores" in rule else ():
        if score not in (*rule["scores"], *closed):
            yield f"{name}: also at {score}", (*path, "scores"), [*rule["scores"], score]
    facts = [fact for check in dimension["checks"] for fact in _facts(check)]
    if rule.get("scores") and rule["effect"] == "advise":
        # If a rule bars all scores of a remark, naming its fact in the remark changes nothing.
        facts = [fact for fact in facts if fact not in _closing(rule["scores"], dimension)]
    # A fact that excludes those in the rule's condition changes nothing either.
    facts = [fact for fact in facts if not _is_excluded(fact, rule.get("when", {}), dimension)]
    for part in ("when", "needs"):
        yield from _changes_of_condition(rule.get(part, {}), facts, (*path, part), f"{name} {part}")
    for number, way in enumerate(rule.get("or_needs", [])):
        place = (*path, "or_needs", number)
        yield from _changes_of_condition(way, facts, place, f"{name} or_needs {number}")
    for part in ("against", "unless_one"):
        yield from _without_each(rule, part, path, name)
        if rule.get(part):
            for fact in facts:
                if fact not in {*rule[part], *_positive(rule.get("when", {}))}:
                    yield f"{name}: {part} also {fact}", (*path, part), [*rule[part], fact]
    for part in ("remark", "line", "not_yet"):
        if rule.get(part):
            yield f"{name}: without its {part}", (*path, part), ...
        elif part == "line" or rule["effect"] == "require":
            yield f"{name}: a {part} of its own", (*path, part), "Say something."
    if rule["effect"] == "advise" and rule.get("scores"):
        yield f"{name}: unbound turned", (*path, "unbound"), not rule.get("unbound", False)
    if rule.get("between"):
        for detector in Detector:
            yield f"{name}: between {detector}", (*path, "between"), str(detector)
    for other in dimension["rules"]:
        if (
            rule["effect"] == other["effect"] == "force"
            and rule["precedence"] > other["precedence"]
        ):
            turned = deepcopy(dimension["rules"])
            turned[dimension["rules"].index(rule)]["precedence"] = other["precedence"]
            turned[dimension["rules"].index(other)]["precedence"] = rule["precedence"]
            yield f"{name}: precedence swapped with {other['code']}", path[:-1], turned
    if "precedence" in rule:
        yield f"{name}: no precedence", (*path, "precedence"), 0


def _changes_of_effect(rule: Content, path: Path, name: str) -> Iterator[Change]:
    turns: dict[str, list[Content]] = {
        "cap": [{"effect": "floor"}, {"effect": "force"}],
        "floor": [{"effect": "cap"}, {"effect": "force"}],
        "force": [{"effect": "cap", "precedence": 0}, {"effect": "floor", "precedence": 0}],
        "require": [],
        "exclude": [],
        "rank_below": [],
        "advise": [],
    }
    for turn in turns[rule["effect"]]:
        yield f"{name}: effect {turn['effect']}", path, {**rule, **turn}


def _changes_of_condition(
    condition: Content, facts: list[str], path: Path, name: str
) -> Iterator[Change]:
    for part in ("all_of", "any_of", "none_of", "of"):
        names = condition.get(part, [])
        for number, fact in enumerate(names):
            yield f"{name}: {part} without {fact}", (*path, part, number), ...
        if names:
            yield f"{name}: without {part}", path, {k: v for k, v in condition.items() if k != part}
    for one, other in (
        ("all_of", "any_of"),
        ("any_of", "all_of"),
        ("any_of", "none_of"),
        ("none_of", "any_of"),
    ):
        # Of one fact, all and any are the same.
        is_same = len(condition.get(one, [])) == 1 and "none_of" not in (one, other)
        if condition.get(one) and other not in condition and not is_same:
            rest = {key: value for key, value in condition.items() if key != one}
            yield f"{name}: {one} read as {other}", path, {**rest, other: condition[one]}
    if condition.get("at_least"):
        for step in (-1, 1):
            number = condition["at_least"] + step
            yield f"{name}: at least {number}", (*path, "at_least"), number
        for fact in facts:
            if fact not in {*condition["of"], *condition.get("none_of", [])}:
                yield f"{name}: of also {fact}", (*path, "of"), [*condition["of"], fact]
    for part in ("any_of", "none_of"):
        for fact in facts if condition.get(part) else []:
            # A fact in both any_of and none_of has no effect, so such a mutant would survive.
            if fact not in {*condition.get("any_of", []), *condition.get("none_of", [])}:
                yield f"{name}: {part} also {fact}", (*path, part), [*condition[part], fact]


def _closing(scores: list[int], dimension: Content) -> set[str]:
    """Return the facts that alone bar all of these scores."""
    return {
        fact
        for rule in dimension["rules"]
        if rule["effect"] == "force"  # a forced score has no remark
        or (
            rule["effect"] == "cap"
            and rule["score"] < min(scores)
            and "none_of" not in rule["when"]
        )
        for fact in _positive(rule["when"])
    }


def _closed_with(rule: Content, dimension: Content) -> set[int]:
    """Return the scores that other rules bar whenever a remark would speak.

    To add one of them to the remark changes nothing.
    """
    if rule["effect"] != "advise":
        return set()
    when = rule.get("when", {})
    closed = set()
    for score in range(dimension["lowest"], dimension["highest"] + 1):
        closing = _closing([score], dimension)

        def can_hold(fact: str, closing: set[str] = closing) -> bool:
            return fact not in closing and not _clash(fact, when, dimension)

        needed = [
            part
            for each in dimension["rules"]
            if each["effect"] == "require" and score in each["scores"]
            for part in _parts_of_condition(each["needs"])
        ]
        if not all(any(map(can_hold, part)) for part in needed) or any(
            closing.issuperset(part) for part in _parts_of_condition(when)
        ):
            closed.add(score)
    return closed


def _is_excluded(fact: str, condition: Content, dimension: Content) -> bool:
    """Return True if a fact and the condition never hold together."""
    excluded = _excluded_by(fact, dimension)
    return any(excluded.issuperset(part) for part in _parts_of_condition(condition))


def _parts_of_condition(condition: Content) -> list[list[str]]:
    """Return lists of facts; a condition that holds has one of each."""
    parts = [[name] for name in condition.get("all_of", [])]
    return parts + [condition[part] for part in ("any_of", "of") if condition.get(part)]


def _positive(condition: Content) -> list[str]:
    return [fact for part in ("all_of", "any_of", "of") for fact in condition.get(part, [])]


def _excluded_by(fact: str, dimension: Content) -> set[str]:
    """Return the facts that never hold together with this one."""
    found = {
        other
        for check in dimension["checks"]
        if fact in _facts(check)
        for other in _facts(check)
        if other != fact
    }
    for rule in dimension["rules"]:
        if rule["effect"] == "exclude":
            parts = _parts_of_condition(rule["when"])
            if len(parts) == 1:  # more of them exclude only what meets them all
                one, other = parts[0], rule["against"]
                found.update(other if fact in one else one if fact in other else [])
    return found


def _facts(check: Content) -> list[str]:
    if "answers" in check:
        return [answer["sets"] for answer in check["answers"] if "sets" in answer]
    return [check["code"]]


def _without_each(part: Content, key: str, path: Path, name: str) -> Iterator[Change]:
    for number, value in enumerate(part.get(key, [])):
        shown = value if len(value) < 40 else f"{value[:37]}…"
        yield f"{name}: {key} without {shown}", (*path, key, number), ...


# --- running ---


class Hunt:
    """A pytest plugin that runs the tests against each mutant until the first failure."""

    def __init__(self, hunted: list[Mutant]) -> None:
        self.hunted = hunted
        self.survivors: list[str] = []
        self.green = True
        self._failed = False

    def pytest_configure(self) -> None:
        import hypothesis  # not at the top, because pytest wants to import it first

        hypothesis.settings.register_profile(
            "mutants", deadline=None, derandomize=True, database=None
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed = self._failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            self.green = False
            return True
        original = shipping.content
        self.green = not self._killed(session.items)
        for mutant in self.hunted if self.green else []:

            @cache  # like the original
            def changed(slug: str, mutant: Mutant = mutant) -> object:
                return mutant.content if slug == mutant.slug else original(slug)

            shipping.content = changed
            # Skip the test files that belong only to the other document.
            items = [
                item for item in session.items if f"test_{NOT_FOR[mutant.slug]}" not in item.nodeid
            ]
            if not self._killed(items):
                self.survivors.append(f"{mutant.slug}: {mutant.what}")
        shipping.content = original
        # If the tests fail on the original now, the mutants were not the cause of the failures.
        self.green = self.green and not self._killed(session.items)
        return True

    def _killed(self, items: list[pytest.Item]) -> bool:
        shipping.shipped.cache_clear()
        self._failed = False
        for place, item in enumerate(items):
            following = items[place + 1] if place + 1 < len(items) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                # The next run starts with another test, so tear down all fixtures of this one.
                item.session._setupstate.teardown_exact(None)
                return True
        return False


def hunt(hunted: list[Mutant]) -> tuple[bool, list[str]]:
    """Return (whether the tests pass on the originals, the survivors)."""
    plugin = Hunt(hunted)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        # The tests do not need their conftest, which would load the browser and the database.
        without = ["cacheprovider", "xdist", "playwright", "base_url"]
        # Plain asserts, because explaining a failure takes longer than finding it.
        arguments = [
            "-q",
            "--tb=short",
            "--assert=plain",
            "--noconftest",
            *(f"-pno:{name}" for name in without),
        ]
        pytest.main([*arguments, *TESTS], plugins=[plugin])
    if not plugin.green:
        print(said.getvalue()[-3000:], file=sys.stderr)
    return plugin.green, plugin.survivors


def main(arguments: list[str]) -> int:
    """Run all mutants and return the exit code: 1 if any survive."""
    argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__).parse_args(
        arguments
    )
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="evenhand-mutants-") as folder:
        os.environ[FOLDER] = folder  # otherwise the test settings create one and leave it behind
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        django.setup()  # the words for yes and no are those of the interface
        survivors, total = _survivors()
    if survivors is None:
        print("The tests fail on the documents as they are; nothing was changed.", file=sys.stderr)
        return 1
    for survivor in survivors:
        print(f"survived  {survivor}")
    seconds = time.monotonic() - begun
    print(f"{total - len(survivors)} of {total} mutants killed, in {seconds:.0f} s")
    return 1 if survivors else 0


def _survivors() -> tuple[list[str] | None, int]:
    """Return (the survivors, the number of mutants).

    The survivors are None if the tests fail on the originals.
    """
    every = [mutant for slug in SLUGS for mutant in mutants(slug)]
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        results = pool.map(
            hunt, [every[start::PROCESSES] for start in range(PROCESSES)], chunksize=1
        )
    if not all(green for green, _ in results):
        return None, len(every)
    return [survivor for _, found in results for survivor in found], len(every)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
