"""Two leads who settle cases at once while others rate, correct and drop out.

The journal has what each was about to decide, and what the program said of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone
from psycopg.rows import dict_row

from annotators.models import User
from config.embedded_postgres.programs import EmbeddedDatabaseError
from tasks.cases.case import Case, cases_of
from tasks.cases.deciding import Barred, CaseChanged, Choice, decide_case, take_decision_back
from tasks.cases.rating_views import ratings_of
from tasks.models import CaseEntry, Project
from tasks.models.list_renewal import renew_entries

from . import journal
from .chaos import Chaos
from .journal import Journal
from .promises import Findings

DECISIONS = """
SELECT item.external_id AS item, decision.dimension, decision.response_id AS target,
  decision.revision, decision.value, decision.source, decision.reason
FROM tasks_scoredecision AS decision JOIN tasks_item AS item ON item.id = decision.item_id
ORDER BY decision.id
"""
NEAR = 30  # cases from which both choose, so that they often meet


@dataclass
class Decider(Chaos):
    """`is_killed`: the database may go away under the decider, who then goes on."""

    project: Project | None = None
    user: User | None = None
    journal: Journal | None = None
    is_killed: bool = False
    did: Counter[str] = field(default_factory=Counter)

    def run(self) -> None:
        try:
            while not self.stopping.wait(self.chance.uniform(0.02, 0.2)):
                try:
                    self._settle()
                except (OperationalError, InterfaceError, EmbeddedDatabaseError):
                    if not self.is_killed:
                        raise
                    self.did["cut off"] += 1
                    connection.close()
        finally:
            connection.close()

    def _settle(self) -> None:
        assert self.project
        renew_entries(self.project, now=timezone.now())
        entries = CaseEntry.objects.of_project(self.project).select_related("item")
        near = list(entries.order_by("pk")[:NEAR])
        if not near:
            return
        entry = self.chance.choice(near)
        entry.item.project = self.project
        target = entry.target
        for case in cases_of(entry.item, target, ratings_of(entry.item)):
            if case.dimension.code == entry.dimension:
                self._decide(case)
                return
        self.did["gone"] += 1

    def _decide(self, case: Case) -> None:
        assert self.journal
        assert self.user
        now = timezone.now()
        which = {"item": case.item.external_id, "target": case.target}
        self.stopping.wait(self.chance.uniform(0, 0.1))  # so long they look at it
        intent = self.journal.intend("decision", **which)
        note = f"{self.user.username}.{intent}"
        try:
            if case.decision and self.chance.random() < 0.2:
                take_decision_back(case, version=case.version, by=self.user, now=now)
                self.journal.acknowledge(intent, taken_back=case.last_revision + 1)
                self.did["taken back"] += 1
                return
            answer = self.chance.choice(case.answers)
            choice = Choice(answer.person, None, reason=note)
            decision = decide_case(case, choice, version=case.version, by=self.user, now=now)
        except CaseChanged:
            self.did["changed meanwhile"] += 1
        except Barred:
            self.did["barred"] += 1
        else:
            self.journal.acknowledge(
                intent, decided=note, revision=decision.revision, value=decision.value
            )
            self.did["decided"] += 1

    def report(self) -> dict[str, Any]:
        assert self.user
        return {f"cases of {self.user.username}": dict(self.did)}


def check_decisions(line: psycopg.Connection[Any], journals: Path, findings: Findings) -> None:
    """Each decision that was acknowledged is stored once, and the revisions have no gap."""
    rows = line.cursor(row_factory=dict_row).execute(DECISIONS).fetchall()
    revisions: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    by_reason: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        revisions[row["item"], row["dimension"], row["target"]].append(row["revision"])
        if row["reason"]:
            by_reason[row["reason"]].append(row)
    findings.figures["decisions"] += len(rows)
    for case, numbers in revisions.items():
        if numbers != list(range(1, len(numbers) + 1)):
            findings.breach("decisions on a case that are not numbered in order", (case, numbers))
    for _name, entries in journal.read(journals):
        for entry in entries:
            if "decided" not in entry:
                continue
            findings.figures["acknowledged decisions"] += 1
            stored = by_reason[entry["decided"]]
            same = [(row["revision"], row["value"]) for row in stored]
            if same != [(entry["revision"], entry["value"])]:
                findings.breach("a decision that is not stored as acknowledged", (entry, stored))
    for reason, stored in by_reason.items():
        if len(stored) > 1:
            findings.breach("a decision that is stored twice", (reason, stored))
