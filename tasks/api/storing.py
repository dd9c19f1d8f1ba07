"""Calls that store something: each in one transaction, and with a key once.

A call with an `Idempotency-Key` stores its answer in the transaction of what it does. Hence a
process that is killed leaves both or neither, and a call that failed leaves its key free.
"""

import re
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja.operation import Operation
from ninja.responses import Status
from pydantic_core import to_json

from config.web.problems import Problem, ProblemKind, ValueFault
from config.web.raw_sql import run
from tasks.models import AnsweredCall
from tasks.models.answered_calls import LONGEST_KEY, KeyedCall

from .authentication import WRITES, ApiCall
from .bodies import JSON
from .problems import invalid

HEADER = "Idempotency-Key"
KEY = re.compile(rf"[!-~]{{1,{LONGEST_KEY}}}")
LARGEST_ANSWER = 2**20  # bytes that are stored
UNDER_WAY = "2"  # seconds until a call with the same key has ended, most likely
KEY_PARAMETER = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": f"^{KEY.pattern}$"},
    "description": "the same key and body again, within 24 hours: the same answer, done once",
}


def stores_once(view: Callable[..., Any]) -> Callable[..., Any]:
    """Have an operation that writes do all or nothing, and do it once for a key.

    It waits two seconds for a lock, as the pages of leads do.
    """
    operation: Operation = view._ninja_operation  # type: ignore[attr-defined]  # ninja's own mark
    if operation.auth_param is not WRITES:
        return view
    status = next(iter(operation.response_models))

    @wraps(view)
    def answer(request: ApiCall, **values: Any) -> HttpResponse:
        call = _keyed(request)
        with transaction.atomic():
            run("SET LOCAL lock_timeout = '2s'", [])
            claim = AnsweredCall.objects.claim(call) if call else None
            if call and claim is None:
                if "slug" in values:
                    request.auth.project(values["slug"])  # it may still be read
                return _answered(call)
            response = _response(view(request, **values), status)
            if claim:
                _store(response, claim)
        return response

    return answer


def _keyed(request: ApiCall) -> KeyedCall | None:
    """Return the call with its key, or None if it has none. Raise Problem if the key won't do."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not KEY.fullmatch(key):
        allowed = f"1 to {LONGEST_KEY} ASCII characters without spaces"
        raise invalid([ValueFault(key, allowed, "Take a random one.", parameter=HEADER)])
    return KeyedCall(request.auth.token.pk, key, call_digest(request), timezone.now())


def _answered(call: KeyedCall) -> HttpResponse:
    """Return the answer of the call that has the key. Raise Problem if there is none for this."""
    before = AnsweredCall.objects.with_key_of(call)
    if before is None:
        detail = f"A call with this {HEADER} is still under way."
        raise Problem(ProblemKind.CONFLICT, detail, headers={"Retry-After": UNDER_WAY})
    if before.digest != call.digest:
        allowed = "a new key, or the address and body of the call that had this one"
        advice = "Take a new key for each call."
        raise invalid([ValueFault(call.key, allowed, advice, parameter=HEADER)])
    return HttpResponse(before.answer, status=before.status, content_type=JSON)


def _response(result: Any, status: int) -> HttpResponse:
    """Return what an operation answers, as ninja would."""
    if isinstance(result, HttpResponse):
        return result
    if isinstance(result, Status):
        result, status = result.value, result.status_code
    return HttpResponse(to_json(result), status=status, content_type=JSON)


def _store(outcome: HttpResponse, claim: int) -> None:
    """Store an outcome. Raise Problem if it is too large, so that nothing is done."""
    if len(outcome.content) > LARGEST_ANSWER:
        detail = f"With an {HEADER}, an answer has {LARGEST_ANSWER} bytes at most. Send less."
        raise Problem(ProblemKind.TOO_LARGE, detail)
    text = outcome.content.decode()
    AnsweredCall.objects.filter(pk=claim).update(status=outcome.status_code, answer=text)


def call_digest(request: HttpRequest) -> str:
    """Return a digest of a call's address and body; of a form's fields and files, in any order."""
    digest = sha256(f"{request.get_full_path()}\n".encode())
    if request.content_type != "multipart/form-data":
        digest.update(request.body)
        return digest.hexdigest()
    # Its bytes have a boundary that is random.
    for name in sorted(request.POST):
        digest.update(to_json([name, request.POST.getlist(name)]))
    for name in sorted(request.FILES):
        for file in request.FILES.getlist(name):
            digest.update(to_json([name, file.name, file.size]))
            for chunk in file.chunks():
                digest.update(chunk)
            file.seek(0)
    return digest.hexdigest()
