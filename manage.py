#!/usr/bin/env python3
"""Every command of Evenhand: `./manage.py help` lists them."""

import os
import signal
import sys
from types import FrameType


def end_cleanly(number: int, _frame: FrameType | None) -> None:
    """Turn SIGTERM into an ordinary exit: `finally` and `atexit` run.

    So the embedded database stops too. A second signal, as make sends one, interrupts neither.
    """
    for late in (signal.SIGINT, signal.SIGTERM):
        signal.signal(late, signal.SIG_IGN)
    sys.exit(128 + number)


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    signal.signal(signal.SIGTERM, end_cleanly)
    from django.core.management import execute_from_command_line  # settings must be named first

    try:
        execute_from_command_line(sys.argv)
    except RuntimeError as error:
        # Python 3.11 wraps the exit in this, if the signal comes while a class is being made.
        if isinstance(error.__cause__, SystemExit):
            raise error.__cause__ from None
        raise


if __name__ == "__main__":
    main()
