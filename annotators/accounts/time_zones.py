"""The time zones that users can choose. A user's day follows their zone."""

from functools import cache
from zoneinfo import available_timezones


@cache
def zones() -> tuple[str, ...]:
    """Return UTC and the sorted names by place ("Asia/Tokyo"), as browsers use them."""
    by_place = (
        name for name in available_timezones() if "/" in name and not name.startswith("Etc/")
    )
    return ("UTC", *sorted(by_place))
