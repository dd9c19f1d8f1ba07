"""The lock that a load of a file into a project holds until its transaction ends."""

from config.web.raw_sql import all_rows, run

ALONE = "SELECT pg_advisory_xact_lock(hashtext('load_batch'), hashint8(%s))"
IF_ALONE = "SELECT pg_try_advisory_xact_lock(hashtext('load_batch'), hashint8(%s))"


def wait_for_loads(project: int) -> None:
    """Lock a project's loads until the transaction ends, once no other one runs."""
    run(ALONE, [project])


def is_alone(project: int) -> bool:
    """Lock a project's loads until the transaction ends. Return False if another one runs."""
    return bool(all_rows(IF_ALONE, [project])[0][0])
