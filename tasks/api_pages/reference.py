"""The API as its page shows it: the operations of the OpenAPI document, each with its example.

`examples.json` has a call of each operation, with what it answered. A test makes them anew.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from tasks.api.api import api

EXAMPLES = Path(__file__).with_name("examples.json")
SITE = "SITE/"  # in the place of the site's address, in examples
WITHIN = "/api/v1/"
LONGEST_AREA = 18  # lines
CODE = re.compile(r"`([^`]+)`")
Words: TypeAlias = list[str]  # text and code in turn
Plain: TypeAlias = Mapping[str, Any]  # a part of a JSON document


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """A value that an operation takes: in its address, a header, its body or a form."""

    name: str
    kind: str  # its type, and what it may be
    is_required: bool
    meaning: Words


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines of an example."""

    text: str

    @property
    def rows(self) -> int:
        """The lines that are seen at once."""
        return min(self.text.count("\n") + 1, LONGEST_AREA)


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An operation with its example."""

    key: str
    method: str
    path: str
    paragraphs: list[Words]
    parameters: list[ApiParameter]
    curl: Listing
    status: int
    answer_listing: Listing

    @property
    def short(self) -> str:
        """The end of the path, which lists of operations have."""
        return self.path.removeprefix(WITHIN).removeprefix("projects/{slug}/")


@dataclass(frozen=True, slots=True)
class ApiResource:
    """The operations on one kind of things."""

    name: str
    operations: list[ApiOperation]


@cache
def resources_of(site: str) -> list[ApiResource]:
    """Return all operations of the API by resource, with examples for the address of a site."""
    document = api.get_openapi_schema()
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    by_resource: dict[str, list[ApiOperation]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            example = examples[operation["operationId"]]
            reference = _OperationReader(document, operation).read(method, path, example, site)
            by_resource.setdefault(operation["tags"][0], []).append(reference)
    return [ApiResource(name, operations) for name, operations in by_resource.items()]


@dataclass(frozen=True, slots=True)
class _OperationReader:
    """A reader of an operation of the document."""

    document: Plain
    operation: Plain

    def read(self, method: str, path: str, call: Plain, site: str) -> ApiOperation:
        """Return the operation as the page has it."""
        paragraphs = self.operation["description"].split("\n\n")
        return ApiOperation(
            key=self.operation["operationId"],
            method=method.upper(),
            path=path,
            paragraphs=[words_of(paragraph) for paragraph in paragraphs],
            parameters=[*self.parameters()],
            curl=Listing(_curl(call, site)),
            status=call["status"],
            answer_listing=Listing(_answer(call["answer"], site)),
        )

    def parameters(self) -> Iterator[ApiParameter]:
        """Yield what it takes: in the address and in headers, then in the body."""
        for row in self.operation.get("parameters", []):
            yield self._parameter(row["name"], row, row["schema"], row["required"])
        for content in self.operation.get("requestBody", {}).get("content", {}).values():
            body = self._resolved(content["schema"])
            for name, field in body["properties"].items():
                yield self._parameter(name, field, field, name in body.get("required", ()))

    def _parameter(
        self, name: str, described: Plain, schema: Plain, is_required: bool
    ) -> ApiParameter:
        of_parts = self._resolved(schema.get("items", {}))
        text = described.get("description") or of_parts.get("description", "")
        kind = self._kind(schema)
        if default := schema.get("default"):
            kind = f"{kind}; default {json.dumps(default)}"
        return ApiParameter(name, kind, is_required, words_of(text))

    def _resolved(self, schema: Plain) -> Plain:
        """Return a schema, or what it refers to."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            resolved: Plain = self.document["components"]["schemas"][name]
            return resolved
        return schema

    def _kind(self, schema: Plain) -> str:
        """Return the type of a value in words, with what it may be."""
        whole = self._resolved(schema)
        if "enum" in whole:
            return " | ".join(json.dumps(value) for value in whole["enum"])
        for combined in ("anyOf", "allOf"):
            if combined in whole:
                return " | ".join(self._kind(part) for part in whole[combined])
        if whole.get("type") == "array":
            return f"list of {self._kind(whole.get('items', {}))}"
        kind = whole.get("const") or whole.get("type", "any")
        if "minimum" in whole and "maximum" in whole:
            return f"{kind}, {whole['minimum']} to {whole['maximum']}"
        return str(kind)


def words_of(text: str) -> Words:
    """Return the parts of a text: outside and inside of back-ticks, in turn."""
    return CODE.split(" ".join(text.split()))


def _curl(call: Plain, site: str) -> str:
    """Return the call of an example as a line for the shell."""
    parts = ['curl --header "Authorization: Bearer $EVENHAND_TOKEN"']
    if "body" in call:
        body = json.dumps(call["body"], ensure_ascii=False, indent=2)
        parts += ['--header "Content-Type: application/json"', f"--data {shlex.quote(body)}"]
    elif "file" in call:
        parts += [
            f"--form {shlex.quote(f'{name}={value}')}" for name, value in call["form"].items()
        ]
        parts.append(f"--form {shlex.quote('file=@' + call['file'])}")
    elif call["method"] != "GET":
        parts.append(f"--request {call['method']}")
    parts.append(shlex.quote(f"{site}{WITHIN}{call['address']}"))
    return " \\\n  ".join(parts)


def _answer(content: object, site: str) -> str:
    """Return an answer as text."""
    if isinstance(content, str):
        return content
    text = json.dumps(content, ensure_ascii=False, indent=2)
    return text.replace(SITE, f"{site}/")
