"""How gunicorn serves, under `manage.py demo` and in the container (`gunicorn -c
python:config.gunicorn config.wsgi`).

Threads, because a request mostly waits for the database; two processes, because one Python computes
on one core.
"""

import gc
import signal
from typing import Any

from gunicorn.config import KNOWN_SETTINGS as GUNICORNS
from gunicorn.workers.gthread import ThreadWorker

from config import environment

KNOWN_SETTINGS = {setting.name for setting in GUNICORNS}

# This machine alone: others should reach the proxy on it. The Dockerfile names another.
host = environment.address("HOST", default="127.0.0.1")
bind = f"{host}:{environment.number('PORT', default=8000, least=0, most=65535)}"
workers = environment.number("WORKERS", default=2, least=1, most=64)
threads = environment.number("THREADS", default=4, least=1, most=64)
preload_app = False  # a pool opened before the fork would be shared between processes
timeout = 60
graceful_timeout = 5
keepalive = 5
errorlog = "-"
accesslog = None
loglevel = "warning"
control_socket_disable = (
    True  # nobody steers it from outside; it would leave a socket in the home folder
)


class Worker(ThreadWorker):
    """Ends between two requests on every signal. gunicorn's own leaves by an exception out of the
    handler of SIGINT, wherever the process is then: in the middle of an import, that prints a
    traceback."""

    handle_quit = ThreadWorker.handle_exit

    def run(self) -> None:
        """Serve; from then on the process is ending, and a second signal must not break it off."""
        super().run()
        for late in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            signal.signal(late, signal.SIG_IGN)


worker_class = Worker


def post_worker_init(worker: Any) -> None:
    """What was loaded by now stays: the collector need not look at it again with each request's
    rest."""
    gc.collect()
    gc.freeze()


def options() -> dict[str, Any]:
    """The settings above but `bind`, for who has a socket already."""
    mine = {name: value for name, value in globals().items() if name in KNOWN_SETTINGS}
    return {name: value for name, value in mine.items() if name != "bind"}
