"""Which column is the prompt, or the conversation before the response.

No Django but its translations.
"""

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .candidates import PROSE, Candidate, well_filled
from .deciding import Decision
from .name_tables import Strength
from .spelling import fold, variant
from .uses import ANSWERED, ANSWERING, ASKING, PROMPTS, Use

MAY_ASK = (Use.PROMPT, Use.CONTEXT, Use.METADATA)
# Folded names in files of translations: of their texts, and of languages.
TRANSLATED = re.compile(
    "hyp|hypothes[ei]s|mt|mtoutput|machinetranslation|translations?|ubersetzung|traduction|lp"
    "|lang(uage)?pairs?|(src|source|tgt|target)lang(uage)?|translator"
)
MAY_END = (Use.CONVERSATION, Use.CHAT, Use.METADATA)


def choose_prompt(decision: Decision) -> None:
    """Choose the prompt or the conversation by the names of columns."""
    asking = [column for column in decision.free if column.filled and _may_ask(column)]
    if decision.is_known:
        asking = [column for column in asking if column.use]
    known = decision.chosen(*PROMPTS, Use.CONVERSATION)
    if _has_chats(decision):
        _choose_beside_chats(decision, asking)
    elif known:
        _doubt_all(decision, asking, known[0])
        if known[0].has_turns and known[0].is_chat and not decision.of(*PROMPTS):
            _doubt_end(decision, known[0])
    elif not _choose_chats(decision, asking):
        _choose_best(decision, asking)


def _choose_beside_chats(decision: Decision, asking: Sequence[Candidate]) -> None:
    """Keep what the conversations with the responses have, too. If nothing is, choose a prompt."""
    chat = decision.chosen(Use.CHAT)[0]
    inside = [column for column in asking if decision.stands_in(column, chat)]
    for column in inside:
        decision.keep(column, _("is in the conversations, too"))
    if not inside:  # the conversations have the last turn only
        _choose_best(decision, asking)


def choose_prompt_by_texts(decision: Decision) -> None:
    """Choose the only texts that may be the prompt: contexts, else any texts, else a source."""
    if _has_chats(decision):
        return
    texts = _contexts(decision) or decision.free_texts
    sources = _sources(decision)
    # Who said which text of a list is not known.
    has_lists = any(column.has_lists and not column.is_conversation for column in texts)
    reason = _("the only longer texts beside the response")
    if not texts and len(sources) == 1 and _is_translated(decision):
        decision.take(sources[0], Use.PROMPT, reason)
    elif len(texts) == 1 and not (sources or has_lists or texts[0].is_key):
        decision.take(texts[0], _use(texts[0]), reason)
    else:
        question = _("is it the prompt or the conversation?")
        options = (Use.CONVERSATION, *MAY_ASK) if has_lists else (*MAY_ASK, Use.SOURCE)
        decision.ask([*texts, *sources], options, question)


def _contexts(decision: Decision) -> list[Candidate]:
    """Return the longer texts that are named as contexts; constant ones if there are no others."""
    contexts = []
    for column in decision.free:
        is_long = column.has_words and column.profile.mean_length >= PROSE
        if is_long and column.means(Use.CONTEXT):
            contexts.append(column)
    return [column for column in contexts if not column.is_constant] or contexts


def _sources(decision: Decision) -> list[Candidate]:
    """Return the texts that are named as sources, and not the names of data sets."""
    sources = [column for column in decision.free if column.means(Use.SOURCE)]
    texts = [column for column in sources if column.has_sentences]
    if _is_translated(decision):
        return texts
    return [column for column in texts if column.is_prose]


def _is_translated(decision: Decision) -> bool:
    """Tell whether the responses are translations: by their names, or the column of a language."""
    names = [variant(column.name)[0] for column in decision.chosen(*ANSWERING)]
    names += [fold(column.name) for column in decision.free]
    return any(map(TRANSLATED.fullmatch, names))


def _may_ask(column: Candidate) -> bool:
    if column.has_turns:
        return column.use not in (Use.RESPONSE, Use.REFERENCE, Use.METADATA)
    return column.use in ASKING and column.has_words and not column.is_key


def _has_chats(decision: Decision) -> bool:
    """Tell whether the responses are conversations, in which the prompt stands."""
    responses = decision.of(*ANSWERING)
    return bool(responses) and responses == decision.of(Use.CHAT)


def _choose_chats(decision: Decision, asking: Sequence[Candidate]) -> bool:
    """Choose conversations that end with the response, if there is no other. Tell if so."""
    if decision.of(*ANSWERING):
        return False
    exchanges = [column for column in decision.free if column.has_exchanges and not column.use]
    if len(exchanges) == 1 and not well_filled(asking):
        decision.take(exchanges[0], Use.CHAT, _("each is a question with its answer"))
        return True
    turns = [column for column in asking if column.has_turns]
    marked = [column for column in turns if column.mark]
    if len(marked) > 1 and any(column.is_chat for column in marked):
        for column in marked:
            decision.take(column, Use.CHAT, _("ends with the assistant"))
        return True
    chats = [column for column in turns if ANSWERED in column.last_speakers]
    if len(chats) != 1:
        return False
    decision.take(chats[0], Use.CHAT, _("ends with the assistant"))
    _doubt_all(decision, asking, chats[0])
    return True


def _choose_best(decision: Decision, asking: Sequence[Candidate]) -> None:
    """Choose the column with the best name, or ask about several."""
    varied = [column for column in asking if not (column.is_constant or column.is_template)]
    good = well_filled(varied) or asking
    if not good:
        return
    first, rivals = _best_and_rivals(decision, good)
    is_weak = first.strength <= Strength.WEAK
    is_vague = first.is_constant or (is_weak and first.is_label)
    texts = decision.free_texts if is_vague else []
    question = _("is it the prompt or the conversation?")
    if rivals:
        decision.ask([first, *rivals], (*MAY_ASK, Use.SYSTEM), question)
    elif not texts:
        _take(decision, first)
        _doubt_all(decision, asking, first)
    elif not (is_weak and first.is_word):  # a word as in `task` is no prompt beside texts
        decision.ask([first, *texts], MAY_ASK, question)


def _best_and_rivals(
    decision: Decision, candidates: Sequence[Candidate]
) -> tuple[Candidate, list[Candidate]]:
    """Return the column with the best name, and those with a name as good and other texts.

    If one of them stands in another, the longer one is what the model was asked.
    """
    most = max(map(_strength, candidates))
    first, *others = [column for column in candidates if _strength(column) == most]
    best = first
    for column in others:
        is_part = decision.stands_in(best, column)
        if is_part and not decision.profile.same(best.path, column.path):
            best = column
    rivals = []
    for column in (*others, first):
        is_other = column is not best and not _goes_with(column, best)
        if is_other and not decision.stands_in(column, best):
            rivals.append(column)
    return best, rivals


def _strength(column: Candidate) -> int:
    """Return how surely a column asks, by its name; turns do so by any name."""
    return Strength.STRONG if column.has_turns and not column.use else column.strength


def _use(column: Candidate) -> Use:
    return Use.CONVERSATION if column.is_conversation else Use.PROMPT


def _take(decision: Decision, column: Candidate) -> None:
    """Choose the prompt or the conversation. A conversation without a prompt may end otherwise."""
    is_alone = column.is_conversation and not decision.of(Use.PROMPT)
    has_responses = bool(decision.of(*ANSWERING))
    may_have_response = is_alone and not has_responses
    if may_have_response and ANSWERED in column.last_speakers:
        decision.take(column, Use.CHAT, _("ends with the assistant"))
    elif may_have_response and column.ends_with_a_name and column.has_turns:
        options = (Use.CHAT, Use.CONVERSATION, Use.METADATA)
        question = _("is its last turn the response, or does it come before one?")
        decision.ask([column], options, question)
    elif is_alone and has_responses and column.is_chat and not _continues(decision, column):
        _doubt_end(decision, column)
    else:
        decision.take(column, _use(column))


def _continues(decision: Decision, history: Candidate) -> bool:
    """Tell whether a prompt beside a conversation goes on with it."""
    prompts = [column for column in decision.free if column.means(Use.PROMPT)]
    prompts = [column for column in prompts if column.has_words]
    return any(not decision.stands_in(column, history) for column in prompts)


def _goes_with(column: Candidate, other_column: Candidate) -> bool:
    """Tell whether one of two columns is what was said before the other."""
    before = [side for side in (column, other_column) if side.is_conversation]
    return len(before) == 1 and (before[0].is_chat or before[0].ends_with_a_name)


def _doubt_end(decision: Decision, column: Candidate) -> None:
    """Ask whether a conversation that ends with the assistant ends with the response."""
    responses = decision.chosen(Use.RESPONSE)
    if len(responses) == 1 and decision.stands_in(responses[0], column):
        decision.take(column, Use.CHAT, _("ends with the assistant"))
        decision.keep(responses[0], _("is in the conversations, too"))
        return
    question = _("it ends with the assistant’s turn: is this a response, or before one?")
    decision.ask([column], MAY_END, question)


def _doubt_all(decision: Decision, asking: Sequence[Candidate], clear_column: Candidate) -> None:
    """Decide on all columns that may ask beside the one that is chosen."""
    for column in asking:
        if column.path not in decision.choices:
            _doubt(decision, column, clear_column)


def _doubt(decision: Decision, column: Candidate, clear_column: Candidate) -> None:
    """Decide on a column that has a prompt's name beside a clearer one."""
    is_weak = column.strength <= Strength.WEAK
    if decision.stands_in(column, clear_column) or decision.stands_in(clear_column, column):
        decision.keep(column, fill_in(_("says the same as “%(column)s”"), column=clear_column.path))
    elif _goes_with(column, clear_column):
        decision.take(column, _use(column))
    elif column.is_template:
        decision.keep(column, _("a template, and no prompt"))
    elif column.is_constant and is_weak:
        decision.keep(column, _("the same in every row"))
    elif column.is_label and not column.is_constant:
        decision.keep(column, _("few different values"))
    elif is_weak and column.is_word and not column.has_turns:
        decision.keep(column, _("single words"))
    else:
        options = (Use.SYSTEM, *MAY_ASK) if column.is_constant else MAY_ASK
        decision.ask([column], options, _("is it the prompt or the conversation?"))
