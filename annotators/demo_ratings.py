"""The finished projects of the demonstration: four annotators of known temper rate every item.

They fill in the desk's own form, and their ratings are stored as a person's are.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from annotators.models import User
from rubrics import rules
from rubrics.schema import Verdict
from tasks.models import Lease, Project
from tasks.rating_form.evaluate import SETS
from tasks.rating_form.fields import Target
from tasks.rating_form.form import RatingForm, desk_of
from tasks.rating_form.item_view import ShownResponse, ShownSet
from tasks.rating_form.view_models import Row

AGAIN = "-again"  # ends the names of the items that come twice
SPAN = timedelta(weeks=3)
MOST_ROUNDS = 12  # until a form can be stored
Facts = frozenset[str]


@dataclass(frozen=True)
class Temper:
    """How someone rates."""

    misses: float  # how often they miss what is there
    imagines: float  # how often they see what is not
    height: float  # which of the open scores they give: 0 the lowest, 1 the highest


TEMPERS = {
    "cleo": Temper(misses=0.03, imagines=0.01, height=0.5),  # careful
    "dina": Temper(misses=0.03, imagines=0.02, height=0.3),  # strict
    "emil": Temper(misses=0.35, imagines=0.03, height=1),  # hasty and lenient
    "fay": Temper(misses=0.06, imagines=0.01, height=0.7),  # new, but careful
}


Truth = Mapping[tuple[str, int | str, str], Facts]  # by item, response from 0 or model, dimension


@dataclass
class Rater:
    """Someone at the form, who knows what each response of an item is like."""

    temper: Temper
    truth: Truth
    chance: random.Random

    def rate(self, lease: Lease, now: datetime) -> None:
        """Fill in the form until it can be stored, and submit it. Raise ValueError if it can't."""
        desk = desk_of(lease)
        said: dict[str, str] = {"active_seconds": str(self.chance.randint(40, 240))}
        seen: dict[str, Facts] = {}
        for _round in range(MOST_ROUNDS):
            form = RatingForm(desk, said)
            sheet = form.sheet(submitting=True)
            if sheet.storable:
                lease.submit(form.submission(sheet), now=now)
                return
            for target, row in ((each, row) for each in sheet.targets for row in each.rows):
                if row.name not in seen:
                    seen[row.name] = self._sees(lease.item.external_id, target.shown, row)
                said |= self._answers(row, seen[row.name])
            told = sheet.seen | ({SETS} if sheet.shows_sets else set())
            said["seen"] = " ".join(sorted(told))
        raise ValueError(f"{lease.item}: the form can't be stored: {sheet.errors}")

    def _sees(self, item: str, target: Target, row: Row) -> Facts:
        """Return what they see of the target: the truth, less what they miss, and errors."""
        assert isinstance(target, ShownResponse | ShownSet)
        place = target.number - 1 if isinstance(target, ShownResponse) else target.model
        name = item.removesuffix(AGAIN)
        facts = self.truth.get((name, place, row.dimension.code), frozenset())
        missed = {fact for fact in facts if self.chance.random() < self.temper.misses}
        ticks = [tick.check.code for tick in row.ticks if not tick.locked]
        imagined = {code for code in ticks if self.chance.random() < self.temper.imagines}
        found = facts - missed | imagined
        return found if isinstance(rules.judge(row.dimension, found), Verdict) else facts

    def _answers(self, row: Row, facts: Facts) -> dict[str, str]:
        said = {
            tick.name: "yes" for tick in row.ticks if tick.check.code in facts and not tick.locked
        }
        for question in (*row.questions, *row.corpus):
            answers = question.check.answers
            given = [each for each in answers if each.sets in facts]
            given = given or [each for each in answers if not each.sets] or list(answers)
            said[question.name] = given[0].code
        said |= {detection.name: "no" for detection in row.detections}
        if isinstance(row.judgement, Verdict) and not row.judgement.missing:
            said[row.name] = str(self._score(row, row.judgement.open))
        return said

    def _score(self, row: Row, scores: Sequence[int]) -> int:
        if row.score is None or row.score not in scores:
            return scores[round(self.temper.height * (len(scores) - 1))]
        # It must be below that of a better response (RQ-11).
        lower = [each for each in scores if each < row.score] if row.errors else []
        return max(lower, default=row.score)


def rate_all(project: Project, people: Mapping[str, User], expected: Path, now: datetime) -> None:
    """Have everyone rate all items of a project, over the last three weeks.

    `expected` is a file of what holds for each target, as the demonstration's tests know it.
    """
    lines = [json.loads(line) for line in expected.read_text(encoding="utf-8").splitlines()]
    truth: Truth = {
        (line["id"], line.get("model", line.get("response")), line["dimension"]): frozenset(
            line["checks"]
        )
        for line in lines
    }
    for name, person in people.items():
        rater = Rater(TEMPERS[name], truth, random.Random(name))  # noqa: S311 - no secret
        step = SPAN / (2 * project.items.count() + 2)
        then = now - SPAN
        while lease := Lease.objects.take_next(project, person, now=then):
            rater.rate(lease, then + step)
            then += 2 * step
