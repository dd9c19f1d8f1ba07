"""An API with an operation for each failure, at addresses below /api/made/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from django.http import Http404, HttpRequest
from django.urls import include, path
from ninja import Body, Query
from pydantic import BaseModel, Field

import config.urls
from config.web.problems import Problem, ProblemKind
from tasks.api.api import Api
from tasks.api.authentication import WRITES
from tasks.api.bodies import JsonParser, JsonRenderer
from tasks.api.storing import stores_once
from tasks.api.urls import patterns_of


class Text(BaseModel):
    text: str


class Item(BaseModel):
    id: str = Field(max_length=5)
    responses: list[Text] = Field(max_length=4)


class Items(BaseModel):
    items: list[Item]


made = Api(docs_url=None, urls_namespace="made", parser=JsonParser(), renderer=JsonRenderer())
made.add_decorator(stores_once)


@made.get("/numbers")
def numbers(request: HttpRequest, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Any:
    return [limit]


@made.post("/items")
def items(request: HttpRequest, body: Annotated[Items, Body()]) -> Any:
    return {"items": len(body.items)}


@made.get("/missing")
def missing(request: HttpRequest) -> Any:
    raise Http404("a secret of another project")


@made.get("/conflict")
def conflict(request: HttpRequest) -> Any:
    raise Problem(ProblemKind.CONFLICT, "It runs already.", headers={"Retry-After": "2"})


@made.get("/does")
def does(request: HttpRequest) -> Any:
    return Addresses.todo()


@made.post("/changes", auth=WRITES)
def changes(request: HttpRequest) -> Any:
    return {"changed": True}


@made.post("/stores", auth=WRITES)
def stores(request: HttpRequest) -> Any:
    return Addresses.todo()


class Addresses:
    """The program's addresses, and those of this API."""

    handler400 = config.urls.handler400
    handler404 = config.urls.handler404
    handler500 = config.urls.handler500
    todo: Callable[[], Any]
    urlpatterns = [
        path("api/made/", (patterns_of(made), "ninja", "made")),
        path("", include(config.urls)),
    ]
