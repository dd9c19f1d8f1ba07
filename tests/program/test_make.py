"""What `make` says while it brings what a target needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pip
import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = "Environment (Python packages in .venv)"


def test_a_step_is_named_before_it_is_done_and_its_seconds_come_after() -> None:
    with subprocess.Popen(
        ["sh", ".ci/step", "Browser", "sh", "-c", "read line; echo it came: $line"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as step:
        assert step.stdin
        assert step.stdout
        assert step.stdout.readline() == "Browser ...\n"  # while the step still waits
        step.stdin.write("now\n")
        step.stdin.close()
        came, seconds = step.stdout.read().splitlines()
    assert came == "it came: now"
    assert re.fullmatch(r"Browser: \d+ s", seconds)
    assert step.returncode == 0


def test_a_step_that_fails_ends_as_its_command_did_and_tells_no_seconds() -> None:
    step = subprocess.run(
        ["sh", ".ci/step", "Browser", "sh", "-c", "exit 3"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (step.returncode, step.stdout) == (3, "Browser ...\n")


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("demo", [ENVIRONMENT]),
        ("test", [ENVIRONMENT, "Browser (Chromium for the tests)"]),
    ],
)
def test_a_target_says_all_that_it_brings_before_its_own_work(
    target: str, names: list[str]
) -> None:
    # Not as a part of the make that runs the tests, which would tell of its folder too.
    alone = {name: said for name, said in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--dry-run", target],
        cwd=ROOT,
        env=alone,
        check=True,
        capture_output=True,
        text=True,
    )
    *steps, work = done.stdout.splitlines()
    assert [line.split('"')[:2] for line in steps] == [["sh .ci/step ", name] for name in names]
    assert work.startswith("exec .venv/bin/python ")


def test_the_environment_is_named_at_once_and_of_pip_only_errors_are_heard(tmp_path: Path) -> None:
    """Without uv and without an index, pip warns of a folder and then fails."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("make", "sh", "date", "env"):
        found = shutil.which(name)
        assert found
        (programs / name).symlink_to(found)
    # Of a new environment's own pip the unpacking alone takes seconds: ours is lent to it.
    (tmp_path / "lent").mkdir()
    (tmp_path / "lent" / "pip").symlink_to(Path(pip.__file__).parent)
    python = programs / "python"
    python.write_text(
        '#!/bin/sh\ncase $2 in venv) set -- "$@" --without-pip ;; esac\n'
        f'exec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)
    missing = tmp_path / "missing"
    done = subprocess.run(
        [programs / "make", "environment", f"PYTHON={python}"],
        cwd=tmp_path,
        env={
            "PATH": str(programs),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(tmp_path / "lent"),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "yes",
            "PIP_FIND_LINKS": str(missing),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    said = done.stdout.splitlines()
    assert said[0] == f"{ENVIRONMENT} ..."
    assert "ERROR: No matching distribution found for uv" in said
    assert "WARNING" not in done.stdout
    assert str(missing) not in done.stdout
