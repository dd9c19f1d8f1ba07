"""Parts of the desk that are cached across requests (`config.web.cached_html`).

The questions about a target, the foot, and skipping and flagging are cached as long as nothing is
entered there. The form around them, the item's texts, verdicts, the controls of the text view and
the rubric's guidance are cached too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from django import template
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

from annotators.desk.keyboard import Keys
from annotators.desk.progress import Progress
from annotators.desk.text_views import ShownText, TextViews
from annotators.desk.urls_of import desk_url
from config.web.cached_html import drawn, escaped_once, gap
from rubrics.models import Rubric
from rubrics.schema import Dimension
from tasks.models import Item, Lease, Project
from tasks.rating_form.form import RatingForm
from tasks.rating_form.item_view import ShownResponse
from tasks.rating_form.sealed_clock import seal
from tasks.rating_form.view_models import Fact, Row, Sheet, TargetSheet

register = template.Library()

# Placeholders for project and lease in cached HTML: no project has this slug, no lease this id.
NO_PROJECT, NO_LEASE = "-", 0
# Texts of the form that are in the page's context under the same name.
TOLD = ("submit_url", "draft_url", "verdict_url", "kept_as", "csrf_token", "draft_writer")
# Roles of messages that the page has a name for.
ROLES = frozenset({"user", "assistant"})


@register.simple_tag(takes_context=True)
def entry(context: template.Context) -> SafeString:
    """Render the form of the context's `lease`, and what follows it."""
    sheet: Sheet = context["sheet"]
    lease: Lease = context["lease"]
    keys: Keys = context["user"].keys
    told = {name: str(context[name]) for name in TOLD} | {
        "script_keys": keys.for_script(),
        "title": context["project"].title,
        "item": context["item"].external_id,
        "seen": " ".join(sheet.seen),
        "active_seconds": str((lease.draft and lease.draft.active_seconds) or ""),
        "draft_revision": str(lease.draft_revision),
        "reading": reading(context),
        "look": look(context),
        "responses": _responses(context),
        "foot": foot(context),
        "concern": concern(context),
    }
    looks = None
    is_noted = sheet.errors or sheet.unseen or context["returned_reason"] or context.get("conflict")
    if not is_noted and not context["desk"].sets:
        looks = (keys.on, *[target.key for target in sheet.responses])
    return drawn(
        "annotators/desk/desk.html#entry",
        looks,
        told,
        bare=lambda: {
            "user": _bare_user(keys),
            "sheet": Sheet(
                tuple(TargetSheet(target.shown.bare, rows=()) for target in sheet.responses),
                (),
                False,
            ),
            "told": {name: gap(name) for name in told},
        },
        whole=lambda: dict[Any, Any](context.flatten()) | {"told": told},
    )


@register.simple_tag(takes_context=True)
def reading(context: template.Context) -> SafeString:
    """Render the context's `item`, without its responses."""
    item: Item = context["item"]
    look: TextViews = context["look"]
    messages = {f"message{place}": each["text"] for place, each in enumerate(item.messages)}
    own = {
        name: text for name in ("context", "system", "reference") if (text := getattr(item, name))
    }
    shown = {name: look.show(text) for name, text in (own | messages).items()}
    lines = {f"line{number}": line for number, line in enumerate(item.persona, start=1)}
    roles = [each["role"] for each in item.messages]
    looks = None
    if ROLES.issuperset(roles):
        looks = (bool(item.source), len(lines), *roles, *[(name, shown[name][0]) for name in shown])
    return drawn(
        "annotators/desk/item.html",
        looks,
        {name: text for name, (_what, text) in shown.items()} | lines | {"source": item.source},
        bare=lambda: {
            "item": Item(
                persona=[gap(name) for name in lines],
                messages=[
                    {"role": role, "text": gap(name)}
                    for role, name in zip(roles, messages, strict=True)
                ],
                source=item.source and gap("source"),
                **{name: gap(name) for name in own},
            ),
            "look": _Known({gap(name): what for name, (what, _text) in shown.items()}),
        },
        whole=lambda: {"item": item, "look": look},
    )


@dataclass(frozen=True)
class _Known:
    """A stand-in for `TextViews` that knows how each text is shown, without the texts."""

    shown: Mapping[str, ShownText]

    def show(self, text: str, _key: str = "") -> tuple[ShownText, str]:
        return self.shown[text], text


def _responses(context: template.Context) -> SafeString:
    drawn_one_by_one = []
    for target in context["sheet"].responses:
        with context.push(target=target):
            drawn_one_by_one.append(response(context))
    return mark_safe("\n".join(drawn_one_by_one))  # noqa: S308 - each is a template's output


@register.simple_tag(takes_context=True)
def response(context: template.Context) -> SafeString:
    """Render the context's `target`, a response: its text and all its questions."""
    return _target(context, "annotators/desk/response.html")


@register.simple_tag(takes_context=True)
def panel(context: template.Context) -> SafeString:
    """Render all questions about the context's `target`."""
    return _target(context, "annotators/desk/panel.html")


@register.simple_tag(takes_context=True)
def line(context: template.Context, number: int) -> str:
    """Return a line of the persona, counted from 1."""
    return str(context["persona"][number - 1])


@register.inclusion_tag("annotators/desk/text.html", takes_context=True)
def text(
    context: template.Context, name: str, text: str, *, key: str = "", oob: bool = False
) -> dict[str, Any]:
    """Show a text of the item in the view of the context's `look`.

    `name`: its name among the item's texts; `key`: the key of the response that it belongs to;
    `oob`: as for `outcome`.
    """
    shown, text = context["look"].show(text, key)
    return {"shown": shown, "name": name, "text": text, "oob": oob}


@register.simple_tag(takes_context=True)
def look(context: template.Context) -> SafeString:
    """Render the controls that change the context's `look`."""
    look: TextViews = context["look"]
    keys: Keys = context["user"].keys
    texts = {name: context[name] for name in ("verdict_url", "texts_url")}
    responses = tuple(response.bare for response in look.responses)
    return drawn(
        "annotators/desk/look.html",
        (look.view, look.back, look.base, len(responses), keys.on),
        texts | _texts(keys),
        bare=lambda: {
            "user": _bare_user(keys),
            "look": replace(look, responses=responses),
            **{name: gap(name) for name in texts},
        },
        whole=lambda: {"user": {"keys": keys}, "look": look, **texts},
    )


def _target(context: template.Context, page: str) -> SafeString:
    target: TargetSheet = context["target"]
    rubric: Rubric = context["rubric"]
    persona: list[str] = context["item"].persona
    is_response = isinstance(target.shown, ShownResponse)
    keys: Keys = context["user"].keys
    letters = _letters(keys, tuple([row.dimension for row in target.rows]))
    look: TextViews = context["look"]
    shown, text = ShownText(), ""
    if isinstance(target.shown, ShownResponse):
        shown, text = look.show(target.shown.text, target.key)
    texts = {"verdict_url": context["verdict_url"], "text": text}
    known = {
        "shown": shown,
        "rubric": rubric,
        "count": len(context["sheet"].responses) if is_response else 0,
        "blank": isinstance(target.shown, ShownResponse) and target.shown.blank,
        "letters": letters,
    }
    looks = None
    if rubric.status == Rubric.Status.PUBLISHED and is_untouched(target):
        rows = tuple(
            [(row.name, row.judgement, row.none_of_these is not None) for row in target.rows]
        )
        looks = (
            *(rubric.pk, target.key, known["count"], known["blank"], rows, len(persona)),
            *(keys.on, letters, shown),
        )
    lines = {f"line{number}": text for number, text in enumerate(persona, start=1)}
    return drawn(
        page,
        looks,
        texts | lines | _texts(keys),
        bare=lambda: {
            **known,
            "user": _bare_user(keys),
            "target": _bare(target),
            "persona": [gap(name) for name in lines],
            **{name: gap(name) for name in texts},
        },
        whole=lambda: {
            **known,
            **texts,
            "target": target,
            "persona": persona,
            "user": {"keys": keys},
        },
    )


@lru_cache(maxsize=256)
def _texts(keys: Keys) -> MappingProxyType[str, str]:
    """Return the keys as texts for gaps: one person's keys must not be cached for the next."""
    return MappingProxyType(
        {f"key_{command}": escaped_once(key) for command, key in keys.by_command().items()}
    )


@lru_cache(maxsize=256)
def _letters(keys: Keys, dimensions: tuple[Dimension, ...]) -> frozenset[str]:
    """Return the letters that call a check of these dimensions."""
    return keys.letters(check for dimension in dimensions for check in dimension.checks)


def _bare_user(keys: Keys) -> dict[str, Keys]:
    """Return a stand-in for the reader, with gaps for their own keys."""
    return {
        "keys": Keys(keys.on, **{command: gap(f"key_{command}") for command in keys.by_command()})
    }


def is_untouched(target: TargetSheet) -> bool:
    """Return True if a target is as it was first shown, with nothing entered or detected."""
    looked_up = any(
        fact.claim or fact.outcome or fact.sources or fact.errors for fact in target.facts
    )
    return not (target.comment or looked_up or target.before or target.fixed) and all(
        map(_is_untouched, target.rows)
    )


def _is_untouched(row: Row) -> bool:
    return (
        row.untouched
        and row.before is None
        and not (row.facts or row.errors or row.detections or row.mistakes)
        and not (row.none_of_these and row.none_of_these.checked)
        and not any(mark.checked for question in row.questions for mark in question.marks)
    )


def _bare(target: TargetSheet) -> TargetSheet:
    """Return the target without anything of its item, so that all of it may be cached."""
    shown = target.shown.bare
    return replace(
        target, shown=shown, rows=tuple(replace(row, target=shown) for row in target.rows)
    )


@register.simple_tag(takes_context=True)
def outcome(context: template.Context, *, oob: bool = False) -> SafeString:
    """Render verdict and scale of the context's `row`.

    `oob`: HTMX swaps it in wherever it is on the page (out of band).
    """
    row: Row = context["row"]
    rubric: Rubric = context["rubric"]
    keys: Keys = context["user"].keys
    known = {"rubric": rubric, "oob": oob}
    texts = {"verdict_url": context["verdict_url"]}
    looks = None
    if rubric.status == Rubric.Status.PUBLISHED:
        looks = (
            rubric.pk,
            row.name,
            row.judgement,
            row.score,
            row.errors,
            row.complete,
            row.fixed,
            oob,
            keys.on,
        )
    return drawn(
        "annotators/form/row.html#outcome",
        looks,
        texts,
        bare=lambda: {
            **known,
            "row": replace(row, target=row.target.bare),
            "verdict_url": gap("verdict_url"),
            "user": _bare_user(keys),
        },
        whole=lambda: {**known, "row": row, "user": {"keys": keys}, **texts},
    )


@register.simple_tag(takes_context=True)
def looked_up(context: template.Context) -> SafeString | str:
    """Render the clocks of the claims after an answer in the context's `row`.

    Render all claims if one was added or removed.
    """
    row: Row = context["row"]
    form: RatingForm = context["form"]
    if not row.dimension.fact_check or not (form.has_look_ups or form.rearranged):
        return ""
    keys: Keys = context["user"].keys
    known = {name: context[name] for name in ("sheet", "row", "rubric", "verdict_url")}
    known |= {"user": {"keys": keys}, "letters": _letters(keys, (row.dimension,))}
    known |= {"rearranged": form.rearranged, "begun": form.looking_up}
    return mark_safe(get_template("annotators/form/looked_up.html").render(known))  # noqa: S308 - a template's output


@register.simple_tag
def sealed(target: TargetSheet, fact: Fact) -> str:
    """Return the clock of a claim, sealed for the form."""
    assert isinstance(target.shown, ShownResponse)
    assert fact.clock is not None
    return seal(fact.annotator, target.shown.pk, fact.number, fact.clock)


@register.simple_tag(takes_context=True)
def foot(context: template.Context) -> SafeString:
    """Render the comment on the whole item, the scores so far, and Submit."""
    sheet: Sheet = context["sheet"]
    keys: Keys = context["user"].keys
    texts = {name: context[name] for name in ("submit_url", "verdict_url", "draft_url", "back_url")}
    progress: Progress = context["progress"]
    texts |= asdict(progress)
    looks = None
    if not sheet.comment and not sheet.notes:
        told = bool(progress.median), bool(progress.time_left)
        looks = (
            keys.on,
            told,
            *[(target.key, target.complete, target.picked) for target in sheet.targets],
        )
    return drawn(
        "annotators/desk/foot.html",
        looks,
        texts | _texts(keys),
        bare=lambda: {
            "user": _bare_user(keys),
            "sheet": replace(
                sheet,
                responses=tuple(_bare(target) for target in sheet.responses),
                sets=tuple(_bare(target) for target in sheet.sets),
            ),
            # An empty text is not shown at all, and the part without it may be cached.
            **{name: gap(name) if text else "" for name, text in texts.items()},
        },
        whole=lambda: {"sheet": sheet, "user": {"keys": keys}, **texts},
    )


@register.simple_tag(takes_context=True)
def concern(context: template.Context) -> SafeString:
    """Render the part for skipping and flagging the item."""
    known = {"concern": context["concern"], "is_open": context["is_open"]}
    project, lease = context["project"], context["lease"]
    keys: Keys = context["user"].keys
    texts = {
        "lease_url": f"{desk_url(project.slug)}{lease.pk}/",
        "csrf_token": str(context["csrf_token"]),
    }
    return drawn(
        "annotators/desk/concern.html",
        None if known["is_open"] else (known["concern"], keys.on),
        texts | _texts(keys),
        bare=lambda: {
            **known,
            "user": _bare_user(keys),
            "project": Project(slug=NO_PROJECT),
            "lease": Lease(pk=NO_LEASE),
            "csrf_token": gap("csrf_token"),
        },
        whole=lambda: {
            **known,
            "user": {"keys": keys},
            "project": project,
            "lease": lease,
            "csrf_token": texts["csrf_token"],
        },
        replacing={f"{desk_url(NO_PROJECT)}{NO_LEASE}/": "lease_url"},
    )


@register.simple_tag(takes_context=True)
def words(context: template.Context) -> SafeString:
    """Render the rubric's guidance for every score and check, and the list of keys."""
    rubric: Rubric = context["rubric"]
    keys: Keys = context["user"].keys
    known: dict[str, Any] = {"rubric": rubric, "schema": rubric.schema}
    looks = (rubric.pk, keys.on) if rubric.status == Rubric.Status.PUBLISHED else None
    return drawn(
        "annotators/desk/words.html",
        looks,
        _texts(keys),
        bare=lambda: {**known, "user": _bare_user(keys)},
        whole=lambda: {**known, "user": {"keys": keys}},
    )
