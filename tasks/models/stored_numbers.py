"""Numbers in place of names: once given in a project, a number stays, and nobody else gets it.

Models and people come and go, and programs keep the rows that they have read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import models, transaction
from django.db.models.functions import MD5

from config.web.raw_sql import run
from config.web.refused_writes import WritesRefused

from .projects import Project

# Two calls may give numbers at once: then one gives fewer than it wants, and looks again.
GIVE = """
INSERT INTO tasks_storednumber (project_id, kind, reader, subject, number)
SELECT %(project)s, %(kind)s, %(reader)s, fresh.subject, last.number + fresh.place
FROM unnest(%(subjects)s::text[]) WITH ORDINALITY AS fresh (subject, place),
  (SELECT coalesce(max(number), 0) AS number FROM tasks_storednumber
    WHERE project_id = %(project)s AND kind = %(kind)s AND reader = %(reader)s) AS last
ON CONFLICT DO NOTHING
"""


class StoredNumber(models.Model):
    """The number of a model or a person in a project."""

    class Kind(models.TextChoices):
        MODEL = "model"
        RATER = "rater"
        NEWCOMER = "newcomer"  # who practises and has not rated

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="stored_numbers", db_index=False
    )
    kind = models.CharField(max_length=8, choices=Kind)
    # The account that sees it: each lead has another order of the models. 0: everybody.
    reader = models.BigIntegerField()
    # The model's name, or the person as `counting.PERSON` has it. Some of them are gone.
    subject = models.TextField()
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                "project", "kind", "reader", MD5("subject"), name="a_name_has_one_number"
            ),
            models.UniqueConstraint(
                fields=("project", "kind", "reader", "number"), name="a_number_is_of_one_name"
            ),
        )


def with_next(known: Mapping[str, int], missing: Iterable[str]) -> dict[str, int]:
    """Return numbers with those that others would get next, which are not stored."""
    last = max(known.values(), default=0)
    return {**known, **{name: number for number, name in enumerate(missing, last + 1)}}


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of one kind in a project, for everybody or for one reader."""

    project: Project
    kind: StoredNumber.Kind
    reader: int = 0

    def known(self) -> dict[str, int]:
        """Return the numbers that are stored, in their order."""
        rows = self.project.stored_numbers.filter(kind=self.kind, reader=self.reader)
        return dict(rows.order_by("number").values_list("subject", "number"))

    def of(self, subjects: Iterable[str], *, stores: bool = True) -> dict[str, int]:
        """Return all numbers, in their order. Whoever lacks one gets the next, in this order.

        If nothing can be stored, as in a snapshot, or is to be (`stores`), these are as they would
        be stored.
        """
        wanted = list(subjects)
        known = self.known()
        while missing := [subject for subject in wanted if subject not in known]:
            if not stores:
                return with_next(known, missing)
            try:
                self._give(missing)
            except WritesRefused:
                return with_next(known, missing)
            known = self.known()
        return known

    def pass_on(self, subject: str, heir: str) -> None:
        """Give the number of one to somebody else, who has none."""
        rows = self.project.stored_numbers.filter(
            kind=self.kind, reader=self.reader, subject=subject
        )
        rows.update(subject=heir)

    def _give(self, subjects: list[str]) -> None:
        values = {
            "project": self.project.pk,
            "kind": str(self.kind),
            "reader": self.reader,
            "subjects": subjects,
        }
        with transaction.atomic():
            run(GIVE, values)
