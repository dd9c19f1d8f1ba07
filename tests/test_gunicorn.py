"""The server's own ways: how its workers end."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Ctrl-C, which reaches every process, comes while a worker is in code whose exceptions nobody can
# catch.
APPLICATION = """
import os, signal

class Closing:
    def __del__(self):
        os.killpg(0, signal.{signal})

Closing()

def application(environ, start_response):
    raise AssertionError
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM])
def test_a_signal_ends_a_worker_quietly_wherever_it_is(
    tmp_path: Path, sent: signal.Signals
) -> None:
    (tmp_path / "closing.py").write_text(APPLICATION.format(signal=sent.name))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn", "--workers", "1"),
            *("--bind", "127.0.0.1:0", "--pythonpath", str(tmp_path), "closing"),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        start_new_session=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
