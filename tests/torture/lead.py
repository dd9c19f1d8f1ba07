"""A lead who uploads a wrong file and takes it back, again and again, while others take its items.

Whoever has saved something of it keeps the batch there. The journal has what was uploaded, what was
to be removed, and what came of it.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from config.embedded_postgres.programs import EmbeddedDatabaseError
from tasks.importing.batches.loading import FileToLoad, Load, load_batch
from tasks.models import Admission, Batch, Project

from .chaos import Chaos
from .habits import PASSING, RESPONSES
from .journal import Journal

ITEMS = 4  # in a batch
MOST_KEPT = 60  # batches that stay; each is more for everyone to rate in the end


@dataclass
class Lead(Chaos):
    """`is_killed`: the database may go away under the lead, who then goes on with another file."""

    project: Project | None = None
    journal: Journal | None = None
    is_killed: bool = False
    removed: int = 0
    kept: int = 0
    cut_off: int = 0
    let_in: int = 0

    def run(self) -> None:
        number = 0
        try:
            while self.kept < MOST_KEPT and not self.stopping.wait(self.chance.uniform(0.1, 0.8)):
                number += 1
                try:
                    self._let_in()
                    self._upload_and_remove(f"{PASSING}{number}")
                except (OperationalError, InterfaceError, EmbeddedDatabaseError):
                    if not self.is_killed:
                        raise
                    self.cut_off += 1
                    connection.close()
        finally:
            connection.close()

    def _let_in(self) -> None:
        """Let one newcomer in, in the middle of what they do."""
        assert self.project
        barred = self.project.memberships.filter(role="annotator").exclude(
            user__in=self.project.admissions.values("annotator")
        )
        if member := barred.order_by("pk").select_related("user").first():
            self.let_in += Admission.objects.admit(
                self.project, member.user, Admission.How.LET_IN, reason="Now.", now=timezone.now()
            )

    def _upload_and_remove(self, name: str) -> None:
        assert self.project
        assert self.journal
        items = [f"{name}-{number}" for number in range(ITEMS)]
        intent = self.journal.intend("upload", batch=name, items=items)
        load = load_batch(
            FileToLoad(
                self.project,
                io.BytesIO("".join(map(_line, items)).encode()),
                file_name=f"{name}.jsonl",
                now=timezone.now(),
                report=lambda error: self.complaints.append(str(error)),
            ),
            keep=_put_first,
        )
        self.journal.acknowledge(
            intent, key=load.batch.pk, keys=[*load.batch.items.values_list("pk", flat=True)]
        )
        self.stopping.wait(self.chance.uniform(0, 1))
        intent = self.journal.intend("remove", batch=name)
        is_gone = load.batch.remove()
        self.journal.acknowledge(intent, gone=is_gone)
        self.removed += is_gone
        self.kept += not is_gone

    def report(self) -> dict[str, Any]:
        return {
            "batches removed": self.removed,
            "batches that stayed": self.kept,
            "batches of which nobody was told": self.cut_off,
            "newcomers let in": self.let_in,
        }


def _line(item: str) -> str:
    said = [
        {"model": f"m{number}", "text": f"It is so, and for {number + 2} reasons."}
        for number in range(RESPONSES)
    ]
    return json.dumps({"id": item, "prompt": "Is it so?", "responses": said}) + "\n"


def _put_first(load: Load) -> None:
    """Have the next who take an item take one of these."""
    load.batch.change(rank=Batch.Rank.FIRST)
