"""Calls of the API at random, by its document, and what their answers may never have."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any

import hypothesis
import schemathesis
from hypothesis import HealthCheck, Phase, strategies
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi import checks

from config.wsgi import application
from tasks.api.api import api

# By what is sent, they say what is wrong with the answer.
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
EXAMPLES = 8  # in a row, of one operation
COMPUTING = "give_verdict"  # no GET, and stores nothing
WRONG = 0.3  # of all examples have something that the document does not allow
STRANGE = 0.2  # of the others have no value that there is, unless by chance
KnownValues = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class RandomCaller:
    """Somebody who calls at random."""

    name: str
    secret: str  # "": without a token
    never_reads: str  # a word in all that is another project's, or words between "|"
    project: str = ""  # that the token reaches
    is_dead: bool = False
    only_reads: bool = False

    @property
    def headers(self) -> dict[str, str]:
        token = {"Authorization": f"Bearer {self.secret}"} if self.secret else {}
        return {"Accept-Encoding": "identity"} | token

    def faults(self, case: Case, response: Response) -> Iterator[str]:
        """What an answer has that this caller may not get."""
        status = response.status_code
        name = case.operation.definition.raw["operationId"]
        project = case.path_parameters.get("slug", self.project)
        if self.is_dead and status not in (400, 401, 404):
            yield f"{status} without a token that works"
        if self.only_reads and case.method != "GET" and name != COMPUTING and status < 400:
            yield f"{status} for a call that writes, by a token that reads"
        if project != self.project and status < 400:
            yield f"{status} for the project of others"
        for word in self.never_reads.split("|"):
            if word.encode() in response.content:
                yield f"“{word}”, which is not for this caller"


@dataclass
class Fuzz:
    """Calls of all operations in turns, until a time is over, and what is wrong with answers.

    The first caller makes all of them; before each one, another caller makes it too. `known`: the
    values that there are, by the names of parameters and of what bodies have.
    """

    callers: Sequence[RandomCaller]
    known: KnownValues
    seed: int
    answers: Counter[tuple[str, int]] = field(default_factory=Counter)  # of the first caller
    faults: dict[tuple[str, str], str] = field(default_factory=dict)  # the first of each kind

    def call_for(self, seconds: float) -> None:
        """Call for so long."""
        document = without_tokens(api.get_openapi_schema())
        strange = operations_of(document)
        usual = operations_of(with_known_values(document, self.known))
        seed = self.seed
        end = monotonic() + seconds
        while monotonic() < end:
            for place in range(len(usual)):
                seed += 1
                chance = Random(seed)  # noqa: S311 - no secret
                is_wrong = chance.random() < WRONG
                pool = strange if is_wrong or chance.random() < STRANGE else usual
                self._call(pool[place], chance, seed, is_wrong=is_wrong)
                if monotonic() > end:
                    break

    def _call(self, operation: APIOperation, chance: Random, seed: int, *, is_wrong: bool) -> None:
        path = {one.name: chance.choice(self.known[one.name]) for one in operation.path_parameters}
        mode = GenerationMode.NEGATIVE if is_wrong else GenerationMode.POSITIVE
        keeps_path = chance.random() > 0.1
        cases = operation.as_strategy(mode, path_parameters=path if keeps_path else None)

        @hypothesis.seed(seed)
        @hypothesis.settings(
            database=None,
            deadline=None,
            max_examples=EXAMPLES,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @hypothesis.given(cases, strategies.sampled_from(self.callers[1:]))
        def call(case: Case, other: RandomCaller) -> None:
            self._judge(case, other)
            status = self._judge(case, self.callers[0])
            self.answers[operation.label, status] += 1

        with suppress(Unsatisfiable):  # an operation that takes nothing takes nothing wrong
            call()

    def _judge(self, case: Case, caller: RandomCaller) -> int:
        """Make a call, note what is wrong with its answer, and return its status."""
        response = case.call(headers=caller.headers)
        faults = list(caller.faults(case, response))
        try:
            case.validate_response(response, checks=CHECKS)
        except FailureGroup as group:
            faults += [f"{fault.title}: {fault.message}" for fault in group.exceptions]
        for fault in faults:
            kind = (case.operation.label, fault[:60])
            sent, content = case.as_curl_command()[:2_000], response.content[:600]
            lines = [f"{case.operation.label}, by {caller.name}: {fault}", sent, str(content)]
            self.faults.setdefault(kind, "\n  ".join(lines))
        return response.status_code


def operations_of(document: dict[str, Any]) -> list[APIOperation]:
    """All operations, for calls in this process."""
    schema = schemathesis.openapi.from_dict(document)
    schema.app = application
    operations = []
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        operations.append(result.ok())
    return operations


def without_tokens(document: dict[str, Any]) -> dict[str, Any]:
    """The API's document without what it says of tokens: callers have theirs."""
    plain = copy.deepcopy(document)
    for operations in plain["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)
    return plain


def with_known_values(document: dict[str, Any], known: KnownValues) -> dict[str, Any]:
    """The API's document, where some parameters and parts of bodies have values that there are."""
    narrow = copy.deepcopy(document)
    shapes = narrow["components"]["schemas"]
    for operations in narrow["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in known:
                    parameter["schema"] = one_of(known[parameter["name"]])
            for content in operation.get("requestBody", {}).get("content", {}).values():
                narrow_shape(content["schema"], shapes, known)
    return narrow


def narrow_shape(shape: Any, shapes: Mapping[str, Any], known: KnownValues) -> None:
    """Let the parts of a body have only the values that there are. `known`: also `Shape.name`."""
    if isinstance(shape, list):
        for part in shape:
            narrow_shape(part, shapes, known)
    if not isinstance(shape, dict):
        return
    if reference := shape.get("$ref"):
        name = reference.rpartition("/")[2]
        narrow_shape(shapes[name], shapes, known)
    parts = shape.get("properties", {})
    for name in parts:
        values = known.get(f"{shape.get('title')}.{name}", known.get(name))
        if values:
            parts[name] = one_of(values)
    for part in shape.values():
        narrow_shape(part, shapes, known)


def one_of(values: Sequence[Any]) -> dict[str, Any]:
    distinct: list[Any] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
    return {"enum": distinct}
