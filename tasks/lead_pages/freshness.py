"""How fresh the figures are that the worker makes (`manage.py work`), as pages say it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

WORTH_SAYING = timedelta(minutes=1)
NO_WORKER = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Freshness:
    """The moment whose figures are shown; None for those of now."""

    as_of: datetime | None
    now: datetime

    @property
    def is_old(self) -> bool:
        """True if it is worth saying."""
        return self.as_of is not None and self.now - self.as_of > WORTH_SAYING

    @property
    def lacks_worker(self) -> bool:
        """True if no worker can be running."""
        return self.as_of is not None and self.now - self.as_of > NO_WORKER
