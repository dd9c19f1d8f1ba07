"""The program broken on purpose, where nobody but the storm uses it: the storm must see it.

`forgets`: of three drafts, two are acknowledged and not stored. `passes-over`: a draft is written
over what another page saved. `loses-others`: a submit deletes what other pages saved. `doubles`: a
submit stores what was said, and then once more. `keeps-old`: what is stored is the draft before the
last. Served in place of config.wsgi with STORM_BREAKS saying which.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

Set = Callable[[object, str, Any], None]


def forget(put: Set) -> None:
    from annotators.desk import drafts

    save, sent = drafts.save_form, count()

    def save_some(*arguments: Any, **how: Any) -> int | None:
        return 1 if next(sent) % 3 else save(*arguments, **how)

    put(drafts, "save_form", save_some)


def pass_over(put: Set) -> None:
    """As if an item had one draft, which every page writes."""
    from annotators.desk import drafts

    save = drafts.save_form

    def save_as_one(lease: Any, version: Any, answers: Any, **how: Any) -> int | None:
        return save(lease, replace(version, writer="0" * 16, number=0), answers, **how)

    put(drafts, "save_form", save_as_one)


def lose_others(put: Set) -> None:
    """As if a submit ended all drafts of its item."""
    from tasks.queue import insert_rating

    put(insert_rating, "OVER", insert_rating.OVER.partition(" AND (")[0])


def double(put: Set) -> None:
    """As if submit were not safe to be repeated: what was said is there a second time, of a later
    attempt."""
    from annotators.desk import views
    from tasks.models.ratings import Rating
    from tasks.queue import allocation
    from tasks.queue.insert_rating import store
    from tasks.queue.submitting import submit_lease

    def submit_twice(lease: Any, submission: Any, *, now: Any) -> Any:
        rating = submit_lease(lease, submission, now=now)
        again = Rating.objects.get(pk=rating.pk)
        again.pk, again.lease_id, again.kind = None, None, Rating.Kind.EXTRA
        again.attempt = Rating.objects.filter(item=again.item, annotator=again.annotator).count()
        store(again, submission, lease.responses)
        return rating

    for module in (allocation, views):
        put(module, "submit_lease", submit_twice)


def keep_old(put: Set) -> None:
    """What comes late undoes what came after it."""
    from annotators.desk import drafts

    before: dict[int, Any] = {}
    save = drafts.save_form

    def save_the_one_before(lease: Any, writing: Any, answers: Any, **how: Any) -> int | None:
        last = before.get(lease.pk, answers)
        before[lease.pk] = answers
        return save(lease, writing, last, **how)

    put(drafts, "save_form", save_the_one_before)


BREAKS: dict[str, Callable[[Set], None]] = {
    "forgets": forget,
    "passes-over": pass_over,
    "loses-others": lose_others,
    "doubles": double,
    "keeps-old": keep_old,
}


def _application() -> Any:
    from config.wsgi import application

    BREAKS[os.environ["STORM_BREAKS"]](setattr)
    return application


if "STORM_BREAKS" in os.environ and os.environ.get("SERVER_SOFTWARE", "").startswith("gunicorn"):
    application = _application()
