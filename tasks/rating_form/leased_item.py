"""A leased item as its annotator sees it, loaded with what its rubric asks about."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from time import time

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Unit
from rubrics.judging.schema import Rubric
from tasks.answers.slot_answers import NO_ANSWERS, Answers, FieldName
from tasks.models import CorpusAnswer, Draft, Item, Lease, Rating, Response

from .item_view import CandidateSetView, ItemView, ResponseView
from .stored_forms import look_ups


def item_view_of(
    lease: Lease, corrected: Rating | None = None, draft: Draft | None = None
) -> ItemView:
    """Return a leased item as shown, with its responses in the order drawn for the lease.

    `corrected`: the rating that the page corrects, if it does. `draft`: the draft that it shows.
    """
    rubric = lease.project.rubric.schema
    item = lease.item
    responses = tuple(_responses_of(lease))
    sets = _candidate_sets(rubric, item, responses, lease.model_names)
    tags: frozenset[str] = frozenset()
    if any(dimension.needs.tags for dimension in rubric.dimensions):
        tags = item.tags
    stored = NO_ANSWERS
    if any(dimension.fact_check for dimension in rubric.dimensions):
        stored = _stored(draft, corrected, responses)
    query = item.messages[-1]["text"] if item.messages else ""
    about_corpora = _about_corpora(lease, sets) if sets else {}
    return ItemView(
        rubric=rubric,
        responses=responses,
        sets=sets,
        persona=tuple(item.persona),
        has_history=bool(item.messages),
        tags=tags,
        query=query,
        consequences=lease.project.consequences,
        search=lease.project.search_address,
        now=int(time()),
        about_corpora=about_corpora,
        annotator=lease.annotator_id,
        stored=stored,
    )


def _responses_of(lease: Lease) -> Iterator[ResponseView]:
    by_pk = {response.pk: response for response in lease.item.responses_in_order}
    for place, pk in enumerate(lease.responses, start=1):
        response = by_pk[pk]
        yield ResponseView(f"r{place}", pk, response.position, response.model, response.text)


def _stored(
    draft: Draft | None, corrected: Rating | None, response_views: Sequence[ResponseView]
) -> Answers:
    """Return the stored claims: those of the draft if there is one, else of the rating."""
    if draft is not None:
        return Answers.read(draft.answers)
    if corrected is None:
        return NO_ANSWERS
    keys = {response.pk: response.key for response in response_views}
    return Answers.of(look_ups(corrected, keys))


def _candidate_sets(
    rubric: Rubric, item: Item, response_views: Sequence[ResponseView], models: Sequence[str]
) -> tuple[CandidateSetView, ...]:
    """Return the candidate sets that some dimension applies to, in the order of `models`."""
    dimensions = [part for part in rubric.dimensions if part.unit is Unit.CANDIDATE_SET]
    candidates: dict[str, tuple[ResponseView, ...]] = {}
    with_candidates: dict[str, list[Dimension]] = {}  # that have enough of them here
    most_histories: dict[str, int] = {}  # that one of these needs elsewhere
    for model in models:
        replies = tuple(response for response in response_views if response.model == model)
        candidates[model] = replies
        parts = [part for part in dimensions if len(replies) >= part.needs.candidates]
        with_candidates[model] = parts
        if parts:
            most_histories[model] = max(part.needs.other_histories for part in parts)
    if most_histories and item.elsewhere is None and not item.is_of_complete_batch:
        return ()  # more responses of these models may come
    elsewhere = _histories_elsewhere(item, most_histories)
    sets: list[CandidateSetView] = []
    for place, model in enumerate(models, start=1):
        count = elsewhere[model]
        parts = [part for part in with_candidates[model] if count >= part.needs.other_histories]
        if parts:
            group = CandidateSetView(
                key=f"s{place}",
                corpus_key=f"m{place}",
                model=model,
                candidates=candidates[model],
                applicable=frozenset(part.code for part in parts),
            )
            sets.append(group)
    return tuple(sets)


def _about_corpora(lease: Lease, sets: Sequence[CandidateSetView]) -> dict[str, str]:
    """Return the annotator's latest answers about these models' corpora, by field."""
    keys = {group.model: group.corpus_key for group in sets}
    latest = CorpusAnswer.objects.latest_of(lease.annotator, lease.item.batch_id)
    answers_by_field: dict[str, str] = {}
    for (model, dimension, check), answer in latest.items():
        if model in keys:
            field = FieldName(keys[model], dimension, check)
            answers_by_field[str(field)] = answer
    return answers_by_field


def _histories_elsewhere(item: Item, limits_by_model: Mapping[str, int]) -> Counter[str]:
    """Count the other histories of the batch that each model answered, up to its limit.

    `limits_by_model` maps each model to its limit. One query counts for all models.
    """
    if item.elsewhere is not None:  # it shows what the rubric asks, however few there are
        return Counter(limits_by_model)
    # No limit is set if the rubric asks about single responses only.
    if not any(limits_by_model.values()):
        return Counter()
    others = Response.objects.filter(item__batch=item.batch_id).exclude(item=item).order_by()
    queries = []
    for model, most in limits_by_model.items():
        if most:
            query = others.filter(model=model).values_list("model", "item").distinct()
            queries.append(query[:most])
    first, *more = queries
    pairs = first.union(*more, all=True)
    return Counter(model for model, _item in pairs)
