"""Run a function in a separate process, to measure its memory separately.

`python -m benchmarks.alone MODULE:FUNCTION ARGUMENT…` sets up Django, connects to the database,
and calls the function with the arguments as text. It prints {seconds, peak_mb} as JSON.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import time
from dataclasses import dataclass

from .processes import end, start


@dataclass(frozen=True)
class Cost:
    """The time and the peak memory of one call."""

    seconds: float
    peak_mb: float


def alone(work: str, *arguments: object) -> Cost:
    """Run MODULE:FUNCTION in its own process and wait for it."""
    command = [sys.executable, "-m", "benchmarks.alone", work, *map(str, arguments)]
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        printed, complaints = process.communicate()
    finally:
        end(process)
    if process.returncode:
        raise RuntimeError(f"{work} failed: {complaints}")
    return Cost(**json.loads(printed.splitlines()[-1]))


def main() -> None:
    """Call the function that the command line names."""
    import django

    django.setup()
    from django.db import connection  # after setup

    from .serving import peak_mb

    module, _, name = sys.argv[1].partition(":")
    work = getattr(importlib.import_module(module), name)
    connection.ensure_connection()
    begun = time.perf_counter()
    work(*sys.argv[2:])
    seconds = time.perf_counter() - begun
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb(["self"])}))


if __name__ == "__main__":
    main()
