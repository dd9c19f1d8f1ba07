"""A piece of work in a process of its own, so that its memory is its own too.

`python -m benchmarks.alone MODULE:FUNCTION ARGUMENT…` calls the function with the arguments, as
text, after Django and the database connection are there, and prints {seconds, peak_mb} as JSON.
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
    """What a piece of work took."""

    seconds: float
    peak_mb: float


def alone(work: str, *arguments: object) -> Cost:
    """Do a piece of work, named as above, and wait for it."""
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
    """Do what the command line says."""
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
