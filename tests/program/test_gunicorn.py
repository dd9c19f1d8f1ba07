"""The server's own ways: how its workers end, and clients that stop reading."""

from __future__ import annotations

import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from gunicorn import util

from config import gunicorn  # noqa: F401 - it brings its own refusals
from config.headers import HEADERS

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


# An export without end, to a client that may wait for a fifth of a second instead of a minute.
EXPORTING = """
import os
from itertools import repeat
from types import SimpleNamespace
import django
django.setup()
from tasks.exporting import streaming

streaming.SEND_SECONDS = 0.2
streaming.is_larger = lambda export, *limits: False

class Endless:
    options = SimpleNamespace(format="csv")

    def __iter__(self):
        return repeat(b"x" * 2**16)

class Sent:
    def __init__(self, blocks):
        self.blocks = blocks
        self.size = 0

    def __iter__(self):
        for block in self.blocks:
            self.size += len(block)
            yield block

    def close(self):
        self.blocks.close()
        os.write(1, f"{self.size}\\n".encode())  # a line at a time, whatever the other thread does

def application(environ, start_response):
    client = environ["gunicorn.socket"]
    try:
        blocks = streaming.streamed(Endless(), "x", is_zipped=False, client=client)
    except streaming.Busy:
        start_response("503 Service Unavailable", [("Content-Length", "0")])
        return []
    start_response("200 OK", [("Content-Type", "text/csv")])
    return Sent(blocks)
"""


def test_a_client_that_stops_reading_an_export_is_cut_off_and_its_place_is_free(
    tmp_path: Path,
) -> None:
    (tmp_path / "exporting.py").write_text(EXPORTING)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def asked() -> socket.socket:
            client = socket.create_connection(listening.getsockname(), timeout=60)
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return client

        run = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn"),
                *("--workers", "1", "--bind", f"fd://{listening.fileno()}"),
                *("--pythonpath", str(tmp_path), "exporting"),
            ],
            pass_fds=[listening.fileno()],
            bufsize=0,  # a line stays in the pipe until it is read
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it says that the client was cut off
            start_new_session=True,
        )
        with run, asked() as first, asked() as second:
            try:
                for client in (first, second):
                    assert client.recv(12) == b"HTTP/1.1 200"
                assert run.stdout is not None
                for _ in range(2):
                    [ready], _, _ = select.select([run.stdout], [], [], 60)
                    # What the system's buffers of the connection hold, and no more.
                    assert int(ready.readline()) < 2**26
                with asked() as third:
                    assert third.recv(12) == b"HTTP/1.1 200"
            finally:
                run.terminate()


def test_the_server_s_own_refusals_have_the_headers_of_every_response() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        util.write_error(ours, 400, "Bad Request", "<script>")
        said = theirs.recv(10_000).decode()
    assert said.startswith("HTTP/1.1 400 Bad Request\r\n")
    for name, value in HEADERS.items():
        assert f"\r\n{name}: {value}\r\n" in said
    assert "script>" not in said


READING = """
import os
from config import request_bodies

request_bodies.SILENT_SECONDS = 0.2

def read(environ, start_response):
    try:
        environ["wsgi.input"].read(10)
    except OSError:
        os.write(1, b"cut off\\n")
    start_response("200 OK", [("Content-Length", "0")])
    return []

application = request_bodies.WholeBodies(read)
"""


def test_a_client_that_stops_sending_its_body_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "reading.py").write_text(READING)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        run = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn"),
                *("--workers", "1", "--bind", f"fd://{listening.fileno()}"),
                *("--pythonpath", str(tmp_path), "reading"),
            ],
            pass_fds=[listening.fileno()],
            bufsize=0,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        with run, socket.create_connection(listening.getsockname(), timeout=60) as client:
            try:
                client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
                assert run.stdout is not None
                [ready], _, _ = select.select([run.stdout], [], [], 60)
                assert ready.readline() == b"cut off\n"
            finally:
                run.terminate()
