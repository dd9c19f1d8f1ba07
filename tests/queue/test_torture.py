"""The torture of the queue, small: the promises hold under all of it. `make torture` runs it whole,
and breaks the queue on purpose, which it must see."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEAST_IN_FLIGHT = 10


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where it works. Under root its database runs as another user, who has to pass through."""
    made = Path(tempfile.mkdtemp(prefix="evenhand-torture-test-", dir="/var/tmp"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@contextmanager
def torture(folder: Path, prepared: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A run, in an environment that must not bear on it."""
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.torture",
            "--small",
            "--folder",
            str(folder),
            "--prepared",
            str(prepared),
            *arguments,
        ],
        cwd=ROOT,
        env={**os.environ, "DATA": "/nowhere", "DATABASE_URL": "postgresql://u@nowhere/n"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        try:
            yield run
        finally:
            if run.poll() is None:
                run.terminate()


def test_the_promises_hold_while_workers_and_the_database_are_killed(
    folder: Path, prepared: Path
) -> None:
    with torture(
        folder, prepared, "--kill-web", "--kill-database", "--annotators", "32", "--seconds", "9"
    ) as run:
        printed, complaints = run.communicate(timeout=300)
    assert run.returncode == 0, complaints + printed
    report = json.loads(printed[: printed.rindex("}") + 1])
    assert report["found"]["annotators"] == 32
    assert report["found"]["acknowledged"] > 32
    assert report["found"]["drafts"] > 0
    assert report["batches removed"] > 0
    assert report["found"]["batches gone"] >= report["batches removed"]
    assert report["workers killed"] > 0
    killed_with = report["database killed with requests on their way"]
    assert [flying >= LEAST_IN_FLIGHT for flying in killed_with] == [True, True, True]
    assert len(report["seconds until it answered again"]) == 3
    assert list(folder.iterdir()) == []
