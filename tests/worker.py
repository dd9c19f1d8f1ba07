"""One round of `manage.py work`, in tests, with figures of agreement that cost little."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from unittest import mock

from django.core.management import call_command

from tasks.agreement import figures
from tasks.agreement.samples import Floats, Ints
from tasks.models import Upload

FEW = 20  # resamples
MOST_ROUNDS = 5  # of a worker, until no file waits
draws_of = figures.draws_of


def work() -> None:
    """Do all that is to do, figures of the last minute included."""
    with mock.patch("tasks.agreement.results.AGAIN", timedelta()), few_resamples():
        call_command("work", once=True)


def work_on_files() -> None:
    """Read and import what waits, and nothing else.

    A page that asks whether somebody works on a file has its row for a moment. A worker passes over
    the file then, and finds it in its next round.
    """
    for _round in range(MOST_ROUNDS):
        call_command("work", files=True)
        waiting = list(Upload.objects.exclude(asked="").values_list("file_name", flat=True))
        if not waiting:
            return
    raise AssertionError(f"no worker has taken {', '.join(waiting)}")


@contextmanager
def few_resamples() -> Iterator[None]:
    """Draw a few of the thousand resamples that an interval is made from.

    For tests of what is done with the figures. How they are made is held by
    test_agreement_figures.py and test_agreement_means.py.
    """

    def few(
        units: Ints,
        largest: int = 1,
        *,
        seed: int = figures.SEED,
        resamples: int = figures.RESAMPLES,
    ) -> Iterator[Floats]:
        assert resamples == figures.RESAMPLES == 1000
        return draws_of(units, largest, seed=seed, resamples=FEW)

    with (
        mock.patch("tasks.agreement.figures.draws_of", few),
        mock.patch("tasks.agreement.means.draws_of", few),
    ):
        yield
