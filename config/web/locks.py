"""The limit on how long a request of a page waits for what another transaction has locked."""

import re
from collections.abc import Callable
from typing import Any

from django.db import transaction


def wait_briefly(execute: Callable[..., Any], statement: Any, *given: Any) -> Any:
    """Run a statement, which raises LockNotAvailable once it has waited 2 s for a lock.

    This is for `connection.execute_wrapper`. The limit ends with the transaction, so that a pooler
    takes it to nobody else.
    """
    # SELECT … FOR UPDATE is found too.
    if not re.search(r"\b(INSERT|UPDATE|DELETE|SHARE|pg_advisory_xact_lock)\b", str(statement)):
        return execute(statement, *given)
    with transaction.atomic(savepoint=False):
        given[-1]["connection"].connection.execute("SET LOCAL lock_timeout = '2s'")
        return execute(statement, *given)
