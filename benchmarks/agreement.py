"""Measure figures of agreement of a million scores against a COPY of the same rows.

200,000 responses have five ratings each, on seven levels, over twelve weeks. Ours are the ordinal α
with its interval from 1,000 resamples, and all figures of the page; both read the scores from the
database. The floor is one COPY of the raw columns into a file. Of 100,000 scores the page itself is
measured: when its figures have to be made, and when they are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import override_settings
from django.utils import timezone
from psycopg import sql

from tasks.agreement.figures import estimates
from tasks.agreement.report import OVERALL
from tasks.agreement.results import result
from tasks.agreement.study import read_study
from tasks.models import AgreementResult, Membership, Project

from .alone import alone
from .content import make_people
from .frame import Figure, in_turns
from .place import Place
from .scored import Spread, drawn, make_scored

SLUG, SMALLER = "agreed", "agreed-smaller"
RATINGS = 5
ROWS = sql.SQL("""SELECT score.*, rating.annotator_id, rating.submitted_at, rating.item_id
    FROM tasks_score AS score JOIN tasks_rating AS rating ON rating.id = score.rating_id
    WHERE rating.project_id = {}""")
# Typical answers are few. A study has scores on the whole scale, and people who differ.
CHANCE = f"({drawn('rating.id * 10 + shown.place', 5)} / 1048576.0)"
SPREAD = Spread(
    value=f"greatest(1, least(7, round(4 + 3 * sin(shown.response * 12.9898)"
    f" + 3.2 * ({CHANCE} - 0.5))))",
    checks=f"said.checks || CASE WHEN {CHANCE} < 0.25 THEN jsonb_build_object("
    f"CASE WHEN {CHANCE} < 0.15 THEN 'style_error' ELSE 'nonsense' END, 'yes') ELSE '{{}}' END",
    weeks=12,
)


def make(place: Place) -> None:
    """Create the project with a million scores."""
    make_scored(SLUG, place.sizes.agreed, raters=RATINGS, length=60, spread=SPREAD)


def make_smaller(place: Place) -> None:
    """Create the project that the page is looked at with."""
    make_scored(SMALLER, place.sizes.agreed_smaller, raters=RATINGS, length=60, spread=SPREAD)


def run(place: Place) -> Iterator[Figure]:
    """Yield the seconds of each, and the peak memory of their processes."""
    out = place.folder / "agreed.csv"
    for name, work in (("alpha_1m_seconds", "alpha"), ("agreement_page_1m_seconds", "page")):
        rounds = in_turns(
            place.sizes.million_rounds,
            lambda work=work: alone(f"{__name__}:{work}"),  # type: ignore[misc]
            lambda: alone(f"{__name__}:copy_out", out),
        )
        yield Figure(
            name,
            "s",
            tuple((mine.seconds, theirs.seconds) for mine, theirs in rounds),
            peak_mb=max(mine.peak_mb for mine, _ in rounds),
            floor_peak_mb=max(theirs.peak_mb for _, theirs in rounds),
        )


def pages(place: Place) -> Iterator[Figure]:
    """Yield the milliseconds of the page, with figures to be made and with stored ones."""
    project = Project.objects.get(slug=SMALLER)
    [lead] = make_people("agreed-lead", 1, project)
    project.admit(lead, role=Membership.Role.LEAD)
    [dimension] = project.rubric.schema.dimensions
    made, stored = [], []
    with override_settings(ALLOWED_HOSTS=[*settings.ALLOWED_HOSTS, "testserver"]):
        client = Client()
        client.force_login(lead)
        result(project, dimension, timezone.now())
        _milliseconds(client)  # imports, templates, plans of queries
        for _ in range(place.sizes.rounds):
            AgreementResult.objects.all().delete()
            begun = perf_counter()
            result(project, dimension, timezone.now())
            made.append((1000 * (perf_counter() - begun) + _milliseconds(client), None))
            stored.append((_milliseconds(client), None))
    yield Figure("agreement_page_100k_ms", "ms", tuple(made))
    yield Figure("agreement_page_100k_stored_ms", "ms", tuple(stored))


def _milliseconds(client: Client) -> float:
    begun = perf_counter()
    response = client.get(f"/projects/{SMALLER}/agreement/")
    taken = 1000 * (perf_counter() - begun)
    if response.status_code != 200:
        raise RuntimeError(f"the page on agreement has status {response.status_code}")
    return taken


def alpha() -> None:
    """Run the ordinal α with its interval."""
    project = Project.objects.select_related("rubric").get(slug=SLUG)
    [dimension] = project.rubric.schema.dimensions
    study = read_study(project, dimension)
    estimates({"": OVERALL["alpha-ordinal"]}, study.scores.counts)


def page() -> None:
    """Run all that the page shows, with nothing kept."""
    AgreementResult.objects.all().delete()
    project = Project.objects.select_related("rubric").get(slug=SLUG)
    [dimension] = project.rubric.schema.dimensions
    result(project, dimension, timezone.now())


def copy_out(out: str) -> None:
    """Run the floor: one COPY."""
    rows = ROWS.format(sql.Literal(Project.objects.get(slug=SLUG).pk))
    copying = sql.SQL("COPY ({}) TO STDOUT (FORMAT csv)").format(rows)
    with Path(out).open("wb") as file, connection.cursor() as cursor, cursor.copy(copying) as copy:
        file.writelines(copy)
