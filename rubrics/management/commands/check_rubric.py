"""Read a document, and print which scores its checks leave open. Nothing is stored.

Usage: manage.py check_rubric FILE

The table has each check alone, then each pair that together leaves other scores open than each
alone. All other questions have their best answers, or assert nothing.
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from rubrics.reasons import clashes_in
from rubrics.rules import best_answers, judge
from rubrics.schema import COMMENT, Dimension, Verdict

from .load_rubric import read_file, remarks_on


class Command(BaseCommand):
    help = "Read a rubric's document, and print which scores its checks leave open."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
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
    yield "nothing ticked", _in_words(_open(dimension))
    facts = [fact for fact in dimension.facts if fact != COMMENT]
    alone = {fact: _open(dimension, fact) for fact in facts}
    yield from ((fact, _in_words(scores)) for fact, scores in alone.items())
    # The best answers are in every line anyway.
    for pair in combinations([fact for fact in facts if fact not in best], 2):
        both, (one, other) = _open(dimension, *pair), [alone[fact] for fact in pair]
        are_of_one_question = any({*pair} <= {*facts} for _check, facts in dimension.asked)
        is_said = both in (one, other) if isinstance(both, str) else {*both} == {*one} & {*other}
        if not (are_of_one_question or is_said):
            yield " + ".join(pair), _in_words(both)


def _open(dimension: Dimension, *held: str) -> tuple[int, ...] | str:
    """Return the open scores, with a comment, or why there is no verdict."""
    best = (answer.sets for _check, answer in best_answers(dimension, held) if answer.sets)
    comment = [COMMENT] if dimension.needs_comment else []
    left = judge(dimension, facts := frozenset({*held, *best, *comment}))
    if not isinstance(left, Verdict) or any(clashes_in(dimension, facts)):
        return "not together"
    asserting = (
        check for check in (*dimension.shared, *dimension.checks) if {*held} & {*check.facts}
    )
    is_asked = left.is_asked and all(check.when.holds(facts) for check in asserting)
    return left.open if is_asked else "not asked"


def _in_words(scores: tuple[int, ...] | str) -> str:
    """Return scores as "none", "1, 4" or "1 to 3"."""
    if isinstance(scores, str):
        return scores
    is_run = len(scores) > 1 and scores[-1] - scores[0] == len(scores) - 1
    return f"{scores[0]} to {scores[-1]}" if is_run else ", ".join(map(str, scores)) or "none"
