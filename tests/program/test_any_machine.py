"""What `make test` asks of a machine: a Chromium, and neither root nor Node, Java or gettext."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from playwright._impl._driver import compute_driver_executable

ROOT = Path(settings.BASE_DIR)
# The C library's and apt's own.
OF_EVERY_DEBIAN = {"libc", "libdl", "libm", "libpthread", "libgcc_s", "libstdc++"}


def brought_by(target: str) -> list[str]:
    """What the target brings first, by the scripts in .ci."""
    plan = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return re.findall(r"sh \.ci/(?!step)(\w+)", plan.stdout)


def write_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_make_test_brings_a_browser_and_nothing_else() -> None:
    assert brought_by("test") == ["environment", "chromium"]


def test_make_lint_brings_what_it_takes_from_npm() -> None:
    assert brought_by("lint") == ["environment", "node"]


def bring_chromium(machine: Path) -> subprocess.CompletedProcess[str]:
    """Run .ci/chromium where there are only the programs in `machine`/bin."""
    return subprocess.run(
        [shutil.which("sh") or "sh", str(ROOT / ".ci" / "chromium")],
        cwd=machine,
        env={"PATH": str(machine / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["chromium-headless-shell", "chromium", "google-chrome"])
def test_an_ordinary_user_s_chromium_is_taken_as_it_is(tmp_path: Path, name: str) -> None:
    write_program(tmp_path / "bin" / "id", "echo 1000")
    write_program(tmp_path / "bin" / "apt-get", "echo apt-get needs root >&2; exit 1")
    write_program(tmp_path / "bin" / name, "")
    run = bring_chromium(tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_an_ordinary_user_without_a_chromium_gets_playwright_s(tmp_path: Path) -> None:
    write_program(tmp_path / "bin" / "id", "echo 1000")
    write_program(tmp_path / ".venv" / "bin" / "playwright", 'echo "$@"')
    run = bring_chromium(tmp_path)
    assert (run.returncode, run.stdout) == (0, "install --only-shell chromium\n")


def test_the_driver_of_the_browser_needs_only_libraries_of_a_bare_debian() -> None:
    driver = Path(compute_driver_executable()[0])
    needed = subprocess.run(["ldd", str(driver)], capture_output=True, text=True, check=True).stdout
    lacking = set(re.findall(r"\b(lib[\w+]+)\.so", needed)) - OF_EVERY_DEBIAN
    assert lacking == set()


def test_ci_brings_java_and_gettext_and_runs_the_tests_that_need_them(tmp_path: Path) -> None:
    """`-m ""` takes back the "not ci" of pyproject.toml."""
    log = tmp_path / "log"
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    for name in ("node", "gettext"):
        write_program(tmp_path / ".ci" / name, f"echo {name} >> {log}")
    write_program(tmp_path / "bin" / "make", f'echo "$@" >> {log}')
    run = subprocess.run(
        ["bash", str(tmp_path / ".ci" / "run")],
        env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    [*brought, tests] = log.read_text().splitlines()
    assert brought == ["node", "gettext", "environment-dev"]
    assert tests.startswith("test PYTEST_ARGS=-m ''")
    assert run.returncode == 1, "none of the checks is there"
    for check in ("ruff check .", "ruff format --check .", "mypy"):
        assert f"\nFAILED: .venv/bin/python -m {check}\n" in run.stdout
