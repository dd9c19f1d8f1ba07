"""`make bench`, at sizes at which no figure means anything: it works, and leaves nothing behind."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchmarks.__main__ import MEASURES, Measure
from benchmarks.frame import Figure, in_turns, most_borne, quantile, table
from benchmarks.processes import end, of_session, start
from tests.cases import cases

ROOT = Path(__file__).resolve().parents[2]
# Two measures, one before the one that fails and one after it.
NAMES = {
    "submit_next_p50": "ms",
    "submit_next_p95": "ms",
    "submit_next_cpu": "ms",
    "submit_next_postgres_cpu": "ms",
    "rubric_drafts_list_p95": "ms",
    "rubric_save_p95": "ms",
}
NOWHERE = {"DATA": "/nowhere", "DATABASE_URL": "postgresql://u@nowhere/n"}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the bench works. Under root its database runs as another user, who has to pass
    through."""
    made = Path(tempfile.mkdtemp(prefix="evenhand-bench-test-", dir="/var/tmp"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@contextmanager
def bench(*arguments: str | Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A run, in an environment that must not bear on it."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks", "--small", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **NOWHERE, **environment},
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


def test_the_bench_gives_figures_over_floors_names_failures_and_leaves_nothing_behind(
    folder: Path, prepared: Path, tmp_path: Path
) -> None:
    """The browser does not start. What comes after is measured all the same."""
    out, broken = tmp_path / "bench.json", tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    wanted = "submit_next_p50,desk_first_load_kb,rubric_drafts_list_p95"
    with bench(
        *("--only", wanted, "--folder", folder, "--prepared", prepared, "--output", out),
        PATH=f"{tmp_path}:{os.environ['PATH']}",
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        complaints = ""
        for line in run.stderr:
            complaints += line
            if line.startswith(
                "desk_first_load_kb"
            ):  # now its world is made, then the browser starts
                broken.rename(tmp_path / "chromium")
        printed = run.stdout.read()
        run.wait(timeout=60)
    figures: dict[str, dict[str, Any]] = json.loads(out.read_text())
    assert {name: figure["unit"] for name, figure in figures.items()} == NAMES, complaints
    for name, figure in figures.items():
        assert name in printed
        assert figure["value"] > 0
        assert figure["rounds"] == 2
        assert min(figure["floor"], figure["ratio"]) > 0
        assert figure["spread"][0] <= figure["ratio"] <= figure["spread"][1]
    assert run.returncode == 1
    assert printed.endswith("\nFailed: desk_first_load_kb, desk_first_load_requests.\n")
    known, _, rest = complaints.partition("Failed: desk_first_load_kb, desk_first_load_requests.")
    assert "Traceback" in known
    assert "submit_next_p50  " in known
    assert "s to make its world" in rest
    assert list(folder.iterdir()) == []
    assert not at_work_in(folder)


@cases("measure", MEASURES)
def test_a_measure_yields_the_figures_that_are_declared_of_it_in_a_world_that_there_is(
    measure: Measure,
) -> None:
    """As its program says, without a run."""
    module, _, name = measure.run.partition(":")
    program = ast.parse((ROOT / "benchmarks" / f"{module}.py").read_text(encoding="utf-8"))
    [run] = [
        each for each in program.body if isinstance(each, ast.FunctionDef) and each.name == name
    ]
    texts = [*texts_in(run)]
    for figure in measure.figures:
        assert any(re.fullmatch(text, figure) for text in texts), figure
    worlds = ast.parse((ROOT / "benchmarks" / "worlds.py").read_text(encoding="utf-8"))
    assert measure.world in texts_in(worlds)


def texts_in(program: ast.AST) -> Iterator[str]:
    """Every text that stands in a program, as a pattern: what is filled in may be any word."""
    for node in ast.walk(program):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts = [each.value if isinstance(each, ast.Constant) else None for each in parts]
        if any(isinstance(text, str) and text for text in texts):
            yield "".join(re.escape(text) if isinstance(text, str) else r"\w+" for text in texts)


def test_each_measure_finds_its_world_as_it_was_made(folder: Path, prepared: Path) -> None:
    script = f"""
from pathlib import Path
from benchmarks.frame import SMALL
from benchmarks.place import own_place
with own_place(Path({str(folder)!r}), SMALL, prepared=Path({str(prepared)!r})) as place:
    from benchmarks.worlds import Worlds
    from tasks.models import Project, Score
    worlds, names = Worlds(place), ["rated", "single", "rated"]
    while names:
        with worlds.entered(names.pop(0), names):
            print(*Project.objects.values_list("slug", flat=True), Score.objects.count())
            Score.objects.all().delete()
            Project.objects.filter(slug="rated").update(slug="changed")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    # 240 items of three responses, and 80 of one; a third is finished and a third partly.
    assert done.stdout == "rated 1080\nrated single 1197\nrated 1080\n", done.stderr


def test_ctrl_c_ends_all_of_it(folder: Path, prepared: Path, tmp_path: Path) -> None:
    """As by a terminal, which sends it to everyone in the foreground: servers and a browser."""
    out = tmp_path / "bench.json"
    only = "desk_first_load_kb"
    with bench("--only", only, "--folder", folder, "--prepared", prepared, "--output", out) as run:
        wait_for("benchmarks.hands", run)
        assert at_work_in(folder)
        os.killpg(run.pid, signal.SIGINT)
        run.communicate(timeout=60)
    assert run.returncode == 130
    assert not at_work_in(folder)
    assert list(folder.iterdir()) == []
    assert not out.exists()


def wait_for(seen: str, run: subprocess.Popen[str]) -> None:
    """Until a process of the bench has that on its command line."""
    deadline = time.monotonic() + 180
    while run.poll() is None and time.monotonic() < deadline:
        for process in psutil.Process(run.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # gone, or a zombie
                if seen in process.cmdline():
                    return
        time.sleep(0.01)
    pytest.fail(f"{seen} was not seen")


def at_work_in(folder: Path) -> list[psutil.Process]:
    """Whatever runs on this machine with its data in the folder, whoever its parent is by now."""
    found = []
    for process in psutil.process_iter():
        with suppress(
            psutil.NoSuchProcess, psutil.AccessDenied
        ):  # gone, a zombie, or another user's
            if process.environ().get("DATA", "").startswith(str(folder)):
                found.append(process)
    return found


def test_the_orphans_of_a_process_end_with_it() -> None:
    orphan = "import subprocess, sys; subprocess.Popen(['sleep', '600']); sys.stdin.read()"
    process = start([sys.executable, "-c", orphan], stdin=subprocess.PIPE)
    while len(of_session(process.pid)) < 2:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert len(of_session(process.pid)) == 1
    end(process)
    assert of_session(process.pid) == []


def test_a_signal_waits_until_a_process_is_started_and_ended() -> None:
    script = """
import os, signal
from benchmarks.processes import leave_on_signals, whole
leave_on_signals()
try:
    with whole():
        os.kill(os.getpid(), signal.SIGTERM)
        print("whole", flush=True)
    print("not here", flush=True)
finally:
    os.kill(os.getpid(), signal.SIGTERM)
    print("cleared away", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "whole\ncleared away\n"), (
        done.stderr
    )


def test_a_name_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with bench("--only", "submit_next_p51") as run:
        _printed, complaints = run.communicate(timeout=30)
    assert run.returncode == 2
    assert (
        "no such figure: submit_next_p51; there are minimal_view_p50, submit_next_p50" in complaints
    )


def test_the_ratio_is_the_median_of_the_rounds_ratios() -> None:
    figure = Figure("name", "ms", ((10, 5), (30, 10), (12, 12)), peak_mb=100.04)
    assert figure.plain() == {
        "value": 12,
        "unit": "ms",
        "floor": 10,
        "ratio": 2,
        "spread": [1, 3],
        "rounds": 3,
        "peak_mb": 100.0,
    }
    assert "2.00" in table([figure])


def test_without_a_floor_there_is_no_ratio() -> None:
    figure = Figure("name", "annotators", ((700, None),))
    assert figure.plain() == {"value": 700, "unit": "annotators", "rounds": 1}
    assert "700.00" in table([figure])


@pytest.mark.parametrize(
    ("borne", "found", "asked"),
    [
        (0, 0, [4, 2, 1]),
        (5, 5, [4, 8, 6, 5]),
        (100, 64, [4, 8, 16, 32, 64]),
    ],
)
def test_the_number_of_annotators_borne_is_measured_by_doubling_and_narrowing(
    borne: int, found: int, asked: list[int]
) -> None:
    seen: list[int] = []

    def p95(number: int) -> float:
        seen.append(number)
        return 0.1 if number <= borne else 0.3

    assert most_borne(p95, 0.25, least=4, most=64, narrowings=3) == found
    assert seen == asked


def test_floor_and_ours_take_turns() -> None:
    said: list[str] = []

    def say(word: str) -> str:
        said.append(word)
        return word

    assert in_turns(3, lambda: say("ours"), lambda: say("floor")) == [("ours", "floor")] * 3
    assert said == ["floor", "ours", "ours", "floor", "floor", "ours"]


@pytest.mark.parametrize(("share", "value"), [(0.5, 50), (0.95, 95), (0.99, 99), (1, 100)])
def test_a_quantile_is_the_nearest_value_that_was_seen(share: float, value: int) -> None:
    assert quantile([*range(100, 0, -1)], share) == value
