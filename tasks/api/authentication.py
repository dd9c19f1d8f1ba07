"""The token of a call, its owner, and how often it may call.

One statement finds the token and its owner, looks whether the owner still leads, and counts the
call. A wrong token costs no more; after ten from an address in a minute, the next ones are told to
wait. A right token from there goes on.
"""

import logging
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NoReturn

from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from config.web.access_log import note
from config.web.people import User
from config.web.problems import Problem, ProblemKind
from config.web.raw_sql import Columns, instances, one_row
from config.web.refused_writes import WritesRefused
from tasks.models import ApiToken, Project
from tasks.models.api_tokens import PREFIX, digest_of
from tasks.models.project_queries import ProjectsOfUser
from tasks.models.roles import Role

NOTED_EVERY = timedelta(minutes=5)  # how often a token's last call is written
WRONG_TOKENS = "wrong_tokens"  # the limit, in ACCOUNT_RATE_LIMITS
MINUTE = 60  # seconds
IN_ADDRESS = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{20,}}")
TOKEN = Columns(ApiToken, "token")
PERSON = Columns(get_user_model(), "person")
# The owner still leads the project, or, where the token is for all, some project.
FIND = f"""
SELECT {TOKEN}, {PERSON}, person.is_superuser OR EXISTS (
    SELECT FROM tasks_membership WHERE user_id = person.id AND role = %(role)s
      AND project_id = coalesce(token.project_id, project_id)),
  {{calls}}
FROM tasks_apitoken AS token JOIN {get_user_model()._meta.db_table} AS person
  ON person.id = token.owner_id
WHERE token.digest = %(digest)s
"""  # noqa: S608 - columns by their names
COUNT = """
WITH calling AS (
  SELECT id, last_call FROM tasks_apitoken
  WHERE digest = %(digest)s AND withdrawn_at IS NULL AND expires_at > %(now)s
), counted AS (
  INSERT INTO tasks_tokenuse AS own (token_id, minute, calls)
  SELECT id, %(minute)s, 1 FROM calling
  ON CONFLICT (token_id) DO UPDATE SET minute = excluded.minute,
    calls = CASE WHEN own.minute = excluded.minute THEN own.calls + 1 ELSE 1 END
  RETURNING calls
), noted AS (
  UPDATE tasks_apitoken AS token SET last_call = %(now)s FROM calling
  WHERE token.id = calling.id AND coalesce(calling.last_call < %(noted)s, true)
)
"""
FIND_AND_COUNT = COUNT + FIND.format(calls="coalesce((SELECT calls FROM counted), 0)")
ONLY_FIND = FIND.format(calls="0")


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever calls: a token, with its owner."""

    token: ApiToken

    @property
    def owner(self) -> User:
        return self.token.owner

    @property
    def projects(self) -> ProjectsOfUser[Project]:
        return self.token.projects

    def project(self, slug: str) -> Project:
        """Return a project that the token reaches, or raise Http404, as the pages do."""
        project = self.projects.filter(slug=slug).first()
        if project is None:
            raise Http404
        return project


class ApiCall(HttpRequest):
    """A call with a token, as operations get it."""

    auth: Caller
    row_count: int  # of the answer, where it is a list


class TokenAuth(HttpBearer):
    """Authentication by a token, for operations that read or that write."""

    openapi_bearerFormat = f"{PREFIX}…"

    def __init__(self, *, writes: bool) -> None:
        super().__init__()
        self.writes = writes

    def __call__(self, request: HttpRequest) -> Caller | None:
        """Return the caller, or None without a token. Raise Problem if the token does not do."""
        if IN_ADDRESS.search(request.get_full_path()):
            detail = (
                "A token does not belong in an address, which logs and histories keep. Send it as "
                "“Authorization: Bearer evh_…”. Withdraw this one."
            )
            raise Problem(ProblemKind.UNREADABLE, detail)
        return super().__call__(request)

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """Return the caller. Raise Problem if the token is wrong, over, or may not do this."""
        caller = _caller(request, token)
        if self.writes and not caller.token.may_write:
            detail = f"The token “{caller.token.name}” may only read. Make one that may write."
            raise Problem(ProblemKind.FORBIDDEN, detail)
        return caller


READS = TokenAuth(writes=False)
WRITES = TokenAuth(writes=True)


def token_may_send_files(request: HttpRequest, **_arguments: str) -> bool:
    """Return True if the token of a call may send files, before anything of them is read.

    The operation says all that is wrong with the call.
    """
    try:
        return WRITES(request) is not None
    except Problem:
        return False


def _caller(request: HttpRequest, secret: str) -> Caller:
    """Return whose token a call has. Raise Problem if it does not do.

    The call remembers the outcome: a token is counted once.
    """
    caller: Caller | Problem | None = getattr(request, "caller", None)
    if caller is None:
        try:
            caller = _look_up(request, secret)
        except Problem as problem:
            caller = problem
        request.caller = caller  # type: ignore[attr-defined]  # remembered
    if isinstance(caller, Problem):
        raise caller
    return caller


def _look_up(request: HttpRequest, secret: str) -> Caller:
    """Find the token of a call, and count the call. Raise Problem if the token does not do."""
    now = timezone.now()
    row = _find(secret, now)
    if row is None:
        _refuse(request, "There is no such token. A lead makes one under Settings.")
    api_token, owner, leads, calls = row
    api_token.owner = owner
    request.token_key = api_token.pk  # type: ignore[attr-defined]  # for `usage`
    if reason := _why_over(api_token, leads, now):
        _refuse(request, reason, api_token)
    if calls > settings.API_CALLS_A_MINUTE:
        raise _too_many_calls(now)
    return Caller(api_token)


def _find(secret: str, now: datetime) -> tuple[ApiToken, User, bool, int] | None:
    """Return a token, its owner, whether they lead, and the calls of this minute; count this one.

    A database that takes nothing new is read all the same, and counts nothing.
    """
    if not secret.startswith(PREFIX):
        return None
    values: Mapping[str, Any] = {
        "digest": digest_of(secret),
        "now": now,
        "minute": int(now.timestamp()) // MINUTE,
        "noted": now - NOTED_EVERY,
        "role": Role.LEAD.value,
    }
    try:
        row = one_row(FIND_AND_COUNT, values)
    except WritesRefused:
        row = one_row(ONLY_FIND, values)
    if row is None:
        return None
    token, owner, leads, calls = instances(row, TOKEN, PERSON)
    return token, owner, leads, calls


def _why_over(token: ApiToken, leads: bool, now: datetime) -> str:
    """Return why a token works no longer, or ""."""
    if token.withdrawn_at is not None:
        return f"The token “{token.name}” was withdrawn. Make another one."
    if token.expires_at <= now:
        day = token.expires_at.date().isoformat()
        return f"The token “{token.name}” ended on {day}. Make another one."
    if not token.owner.is_active:
        return f"The account of the owner of the token “{token.name}” is closed."
    if not leads:
        return f"The owner of the token “{token.name}” leads its project no longer."
    return ""


def _refuse(request: HttpRequest, reason: str, token: ApiToken | None = None) -> NoReturn:
    """Raise the Problem of a token that does not do, or of too many of them from an address."""
    owner = token.owner if token else None
    note("API: token refused", request, account=owner, level=logging.WARNING)
    wanted = {"app": "allauth.account", "action": WRONG_TOKENS, "limit_get": True}
    if ratelimit.consume(request, **wanted):
        raise Problem(ProblemKind.NO_TOKEN, reason)
    detail = "Too many wrong tokens came from this address. Wait a minute."
    raise Problem(ProblemKind.TOO_MANY, detail, headers={"Retry-After": str(MINUTE)})


def _too_many_calls(now: datetime) -> Problem:
    """Return the problem of a token that called too often in this minute."""
    left = math.ceil(MINUTE - now.timestamp() % MINUTE)
    detail = (
        f"A token may make {settings.API_CALLS_A_MINUTE} calls a minute. Wait {left} seconds; "
        "larger pages need fewer calls."
    )
    return Problem(ProblemKind.TOO_MANY, detail, headers={"Retry-After": str(left)})
