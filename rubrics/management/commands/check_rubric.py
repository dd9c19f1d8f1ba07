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

from rubrics.rules import best_answers, judge
from rubrics.schema import Dimension, Verdict

from .load_rubric import read_file, remarks_on


class Command(BaseCommand):
    help = "Read a rubric's document, and print which scores its checks leave open."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the rubric as a YAML document")

    def handle(self, *args: object, file: Path, **options: Any) -> None:
        rubric = read_file(file)
        for dimension in rubric.dimensions:
            self.stdout.write(f"{dimension.code}, {dimension.lowest} to {dimension.highest}")
            rows = list(_table(dimension))
            width = max(len(names) for names, _scores in rows)
            for names, scores in rows:
                self.stdout.write(f"  {names:{width}}  {scores}")
        for remark in remarks_on(rubric):
            self.stdout.write(remark)
        self.stdout.write(f"{rubric.slug} can be loaded.")


def _table(dimension: Dimension) -> Iterator[tuple[str, str]]:
    """Yield the names of facts and the scores that they leave open."""
    best = {answer.sets for _check, answer in best_answers(dimension, ()) if answer.sets}
    yield "nothing ticked", _scores(dimension, _open(dimension))
    alone = {fact: _open(dimension, fact) for fact in dimension.facts}
    yield from ((fact, _scores(dimension, scores)) for fact, scores in alone.items())
    answers = [{*facts} for _check, facts in dimension.asked]
    # The best answers are in every line anyway.
    for pair in combinations([fact for fact in dimension.facts if fact not in best], 2):
        both = _open(dimension, *pair)
        each = [alone[fact] or frozenset() for fact in pair]
        if both != each[0] & each[1] and not any(facts.issuperset(pair) for facts in answers):
            yield " + ".join(pair), _scores(dimension, both)


def _open(dimension: Dimension, *held: str) -> frozenset[int] | None:
    """Return the open scores, or None if the facts exclude one another."""
    best = (answer.sets for _check, answer in best_answers(dimension, held) if answer.sets)
    left = judge(dimension, {*held, *best})
    return frozenset(left.open) if isinstance(left, Verdict) else None


def _scores(dimension: Dimension, scores: frozenset[int] | None) -> str:
    """Return scores in words: "all", "not together", "none" or "1, 3 to 5"."""
    if scores is None:
        return "not together"
    if len(scores) == len(dimension.scores):
        return "all"
    ends = iter([score for score in sorted(scores) if not {score - 1, score + 1} <= scores])
    runs = ((low, next(ends) if low + 1 in scores else low) for low in ends)
    return ", ".join(f"{low} to {high}" if high > low else str(low) for low, high in runs) or "none"
