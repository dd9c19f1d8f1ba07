"""Columns that name models: one for each response, one for all, or who gave each response.

`other_columns.py` calls these once the prompt and the responses are chosen. The functions make
choices of a `Decision`. No Django but its translations.
"""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from .candidates import LONGEST_NAME, PROSE, Candidate
from .deciding import Decision
from .model_names import MODEL_NAME, NO_MODEL, is_known_model
from .name_tables import Strength
from .names import meaning
from .rating_names import use_of
from .uses import ANSWERING, PROMPTS, Use


def choose_models(decision: Decision) -> None:
    """Choose the columns that name models: one for each response, or one for all."""
    partners = _partners(decision)
    if partners:
        decision.models = {}
        for column in partners:
            decision.take(column, Use.MODEL, _("named after its response"))
    if decision.of(Use.MODEL) or decision.models:
        return
    parents = {path.rpartition(".")[0] for path in decision.of(*ANSWERING)}
    candidates = [column for column in decision.free if _may_be_model(column, parents)]
    marked = [column for column in candidates if column.mark]
    in_lists = [column for column in candidates if "[*]" in column.path]
    if len(marked) > 1:
        models = marked
    elif in_lists:
        models = in_lists
    else:
        models = best_named(candidates)
    for column in models:
        decision.take(column, Use.MODEL)
    if not models:
        _choose_authors(decision)


def _choose_authors(decision: Decision) -> None:
    """Choose what differs between the responses to a prompt, and names models: `author`.

    If it names other things, and the same ones for each prompt, it is asked. An author gives each
    response once: who is beside a response that others have, too, rated it.
    """
    responses, prompts = decision.of(Use.RESPONSE), decision.of(*PROMPTS, Use.CONVERSATION)
    if not (len(responses) == len(prompts) == 1) or "[" in responses[0]:
        return
    profile = decision.profile
    if profile.follows(responses[0], prompts[0]):
        return
    is_unique_pair = profile.names_rows(prompts[0], responses[0])
    for column in decision.free:
        if not _is_author(decision, column, prompts[0]):
            continue
        counts = column.profile.counts
        models = [name for name in counts if is_known_model(name)]
        may_be_models = any(map(MODEL_NAME.search, counts))
        are_models = len(models) * 2 > len(counts)
        if are_models and is_unique_pair:
            decision.take(column, Use.MODEL, _("a row for each model"))
            return
        is_even = len({*counts.values()}) == 1
        if are_models or (is_unique_pair and (may_be_models or is_even)):
            question = _("does it name who gave each response?")
            decision.ask([column], (Use.MODEL, Use.RATER, Use.UNUSED), question)
            return


def _is_author(decision: Decision, column: Candidate, prompt: str) -> bool:
    """Tell whether a column has few short names, one for each response to a prompt."""
    is_name = column.is_short and column.is_label and not column.has_numbers and not column.mark
    if not is_name or NO_MODEL.search(column.name) or use_of(column.name) is Use.RATER:
        return False
    return decision.profile.names_rows(prompt, column.path)


def _partners(decision: Decision) -> list[Candidate]:
    """Return columns such as `chosen_model` and `rejected_model`, one for each response."""
    responses = decision.of(*ANSWERING)
    partners = []
    for path in responses:
        for column in decision.free:
            rest = column.path.removeprefix(f"{path}_")
            known = meaning(rest) if rest != column.path else None
            if known and known.use is Use.MODEL and column.is_short:
                partners.append(column)
    return partners if len(partners) == len(responses) > 1 else []


def doubt_names(decision: Decision) -> None:
    """Ask about what annotators would see and may name the models, if nothing else does."""
    if decision.of(Use.MODEL) or decision.models:
        return
    for column in decision.chosen(Use.SYSTEM, Use.SOURCE, Use.PERSONA, Use.CONTEXT):
        use = decision.choices[column.path].use
        is_name = column.is_short and column.profile.mean_length < PROSE
        has_models = any(map(MODEL_NAME.search, column.profile.counts))
        if is_name and column.profile.distinct > 1 and (use is Use.SYSTEM or has_models):
            question = _("is it the model? Annotators would see it")
            decision.ask([column], (Use.MODEL, use, Use.METADATA), question)


def _may_be_model(column: Candidate, parents: set[str]) -> bool:
    """Tell whether a column may name models: it is short, and beside responses or above."""
    parent, _dot, last = column.path.rpartition(".")
    if not column.filled or column.strength == Strength.NEAR or not _has_names(column):
        return False
    if "[*]" in column.path and parent not in parents:
        return False
    # In translation and speech, a system is a model.
    if column.use is Use.SYSTEM:
        return column.is_word
    return column.use is Use.MODEL or ("[*]" in parent and last == "name")


def _has_names(column: Candidate) -> bool:
    """Tell whether a column holds names, perhaps with what is in brackets: `wren (new, large)`."""
    has_name_of_names = (
        column.strength >= Strength.STRONG and column.profile.mean_length <= LONGEST_NAME
    )
    is_few = column.is_label or column.is_constant
    return column.is_short or column.may_name_models or (has_name_of_names and is_few)


def best_named(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the first candidate with the best name, in a list, which is empty without any."""
    return sorted(candidates, key=lambda column: -column.strength)[:1]
