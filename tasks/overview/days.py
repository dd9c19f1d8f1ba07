"""The days with ratings: the latest, and all of them in words."""

from datetime import date, datetime

from django.utils import timezone
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from tasks.overview.speed import Ratings


def latest_day(ratings: Ratings, now: datetime) -> date:
    """Return today, or the day after if it has begun where someone rates."""
    return max([timezone.localdate(now), *ratings])


def labelled_days(ratings: Ratings) -> list[tuple[str, str]]:
    """Return the days with ratings, each in words and with its number, newest first."""
    words = _("%(weekday)s %(day)s")
    rows = []
    for day, number in sorted(ratings.items(), reverse=True):
        weekday = WEEKDAYS_ABBR[day.weekday()]
        label = words % {"weekday": weekday, "day": date_format(day, "DATE_FORMAT")}
        rows.append((label, number_format(number, force_grouping=True)))
    return rows
