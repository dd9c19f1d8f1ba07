"""The time zones that people may say they are in; a person's day is that of their zone."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones


@cache
def zones() -> tuple[str, ...]:
    """Names by place ("Asia/Tokyo"), as browsers call them, and UTC; sorted."""
    by_place = (
        name for name in available_timezones() if "/" in name and not name.startswith("Etc/")
    )
    return ("UTC", *sorted(by_place))
