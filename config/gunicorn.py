"""Gunicorn's settings, for `manage.py demo` and for the container.

The container runs `gunicorn -c python:config.gunicorn config.wsgi`. Threads, because a request
mostly waits for the database. Two processes, because one Python process uses one core. Nothing is
loaded before the fork: the processes would share a pool that was opened before.
"""

import gc
import signal
from socket import socket
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import ThreadWorker

from config import environment
from config.database import refuse_old_pooler
from config.headers import HEADERS

# Listen on this machine only; other machines should go through a proxy. The Dockerfile sets HOST.
bind = (
    f"{environment.address('HOST', default='127.0.0.1')}:"
    f"{environment.number('PORT', default=8000, least=0, most=65535)}"
)
# Django decides by BEHIND_PROXY which headers of a proxy to believe; gunicorn believes none.
secure_scheme_headers: dict[str, str] = {}
workers = environment.number("WORKERS", default=2, least=1, most=64)
threads = environment.number("THREADS", default=4, least=1, most=64)
timeout = 60
graceful_timeout = 5
keepalive = 5
loglevel = "warning"
# Nobody uses the control socket, and gunicorn would leave it in the home folder.
control_socket_disable = True


def write_error(client: socket, status: int, reason: str, _detail: str) -> None:
    """Answer what is no request of HTTP, with the headers of every response."""
    headers = HEADERS | {"Content-Length": "0", "Connection": "close"}
    lines = (f"HTTP/1.1 {status} {reason}", *map(": ".join, headers.items()), "", "")
    util.write_nonblock(client, "\r\n".join(lines).encode("latin-1"))


util.write_error = write_error  # gunicorn has no setting for it


class Worker(ThreadWorker):
    """A worker that ends between two requests, on any signal.

    Gunicorn's own worker raises an exception in its SIGINT handler. That prints a traceback if the
    process is in the middle of an import.
    """

    handle_quit = ThreadWorker.handle_exit

    def run(self) -> None:
        """Serve, then ignore further signals so that they can't interrupt the process's exit."""
        super().run()
        for late in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            signal.signal(late, signal.SIG_IGN)


worker_class = Worker


def on_starting(_arbiter: Any) -> None:
    """Do not start behind a pooler that would break the program."""
    if url := environment.database_url():
        refuse_old_pooler(url)


def post_worker_init(worker: Any) -> None:
    """Exclude the objects loaded so far from garbage collection, because they stay anyway.

    Collect less often too: nearly all that a request makes is freed without it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)
