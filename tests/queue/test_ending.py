"""A command that is told to end does so without a traceback, whenever the signal comes."""

from __future__ import annotations

import signal

import pytest
from django.core import management

import manage


def test_a_command_ends_cleanly_while_a_class_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late:
        def __set_name__(self, _owner: type, _name: str) -> None:
            manage.end_cleanly(signal.SIGTERM, None)

    def run(_arguments: list[str]) -> None:
        type("Owner", (), {"late": Late()})

    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(management, "execute_from_command_line", run)
    try:
        with pytest.raises(SystemExit) as ended:
            manage.main()
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    assert ended.value.code == 128 + signal.SIGTERM
