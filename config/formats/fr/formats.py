"""French days without a year, short enough for a table. All else is Django's own."""

MONTH_DAY_FORMAT = "j N"
