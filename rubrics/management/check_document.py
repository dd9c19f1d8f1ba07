"""Read a document, and print which scores its checks leave open. Nothing is stored.

Usage: manage.py rubric check FILE

The table has each check alone, then each pair that together leaves other scores open than each
alone. All other questions have their best answers, or assert nothing.
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import COMMENT
from rubrics.judging.reasons import clashes_in
from rubrics.judging.rules import best_answers, judge
from rubrics.judging.verdict import Verdict

from .files import read_file
from .load_document import remarks_on


class CheckDocument(BaseCommand):
    help = "Read a rubric's document, and print which scores its checks leave open."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the rubric as a YAML document")

    def handle(self, *args: object, file: Path, **options: Any) -> None:
        rubric = read_file(file)
        for dimension in rubric.dimensions:
            rows = list(_table(dimension))
            width = max(len(names) for names, _scores in rows)
            self.stdout.write(f"{dimension.code}, {dimension.lowest} to {dimension.highest}")
            self.stdout.write("\n".join(f"  {names:{width}}  {scores}" for names, scores in rows))
        self.stdout.write("\n".join([*remarks_on(rubric), f"{rubric.slug} can be loaded."]))


def _table(dimension: Dimension) -> Iterator[tuple[str, str]]:
    """Yield the names of facts and the scores that they leave open."""
    best = {answer.sets for _check, answer in best_answers(dimension, ()) if answer.sets}
    yield "nothing ticked", _in_words(_open_scores(dimension))
    facts = [fact for fact in dimension.facts if fact != COMMENT]
    alone = {fact: _open_scores(dimension, fact) for fact in facts}
    for fact, scores in alone.items():
        yield fact, _in_words(scores)
    # The best answers are in every line anyway.
    for one, other in combinations([fact for fact in facts if fact not in best], 2):
        scores = _open_scores(dimension, one, other)
        is_clear = _follows(scores, alone[one], alone[other])
        if not is_clear and not _are_of_one_question(dimension, one, other):
            yield f"{one} + {other}", _in_words(scores)


def _are_of_one_question(dimension: Dimension, one: str, other: str) -> bool:
    return any({one, other} <= {*facts} for _check, facts in dimension.required_checks)


def _follows(
    open_scores: tuple[int, ...] | str, one: tuple[int, ...] | str, other: tuple[int, ...] | str
) -> bool:
    """Return True if what two facts leave open is clear from what each leaves open alone."""
    if isinstance(open_scores, str):
        return open_scores in (one, other)
    return {*open_scores} == {*one} & {*other}


def _open_scores(dimension: Dimension, *asserted: str) -> tuple[int, ...] | str:
    """Return the open scores, with a comment, or why there is no verdict."""
    facts = {answer.sets for _check, answer in best_answers(dimension, asserted) if answer.sets}
    facts.update(asserted)
    if dimension.needs_comment:
        facts.add(COMMENT)
    all_facts = frozenset(facts)
    verdict = judge(dimension, all_facts)
    if not isinstance(verdict, Verdict) or any(clashes_in(dimension, all_facts)):
        return "not together"
    for check in (*dimension.shared, *dimension.checks):
        if not {*asserted}.isdisjoint(check.facts) and not check.when.holds(all_facts):
            return "not asked"
    return verdict.open if verdict.applies else "not asked"


def _in_words(open_scores: tuple[int, ...] | str) -> str:
    """Return scores as "none", "1, 4" or "1 to 3"."""
    if isinstance(open_scores, str):
        return open_scores
    if len(open_scores) > 1 and open_scores[-1] - open_scores[0] == len(open_scores) - 1:
        return f"{open_scores[0]} to {open_scores[-1]}"
    return ", ".join(map(str, open_scores)) or "none"
