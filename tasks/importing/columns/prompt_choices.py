"""Which column is the prompt, or the conversation before the response.

No Django but its translations.
"""

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .candidates import PROSE, Candidate, well_filled
from .deciding import Decision
from .names import Strength, fold, variant
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
    if _has_chats(decision):
        chat = decision.chosen(Use.CHAT)[0]
        inside = [column for column in asking if decision.stands_in(column, chat)]
        for column in inside:
            decision.keep(column, _("is in the conversations, too"))
        if not inside:  # the conversations have the last turn only
            _choose_best(decision, asking)
        return
    if known := decision.chosen(*PROMPTS, Use.CONVERSATION):
        _doubt_all(decision, asking, known[0])
        if known[0].has_turns and known[0].is_chat and not decision.of(*PROMPTS):
            _doubt_end(decision, known[0])
    elif not _choose_chats(decision, asking):
        _choose_best(decision, asking)


def choose_prompt_by_texts(decision: Decision) -> None:
    """Look for the prompt among what is around it, or by what the columns hold."""
    if _has_chats(decision):
        return
    free = [column for column in decision.free if column.has_words]
    around = [column for column in free if column.means(Use.CONTEXT)]
    around = [column for column in around if column.profile.mean_length >= PROSE]
    around = [column for column in around if not column.is_constant] or around
    sources = [column for column in free if column.means(Use.SOURCE) and column.has_sentences]
    sources = [column for column in sources if column.is_prose or _is_translated(decision, column)]
    several = around or decision.free_texts
    # Who said which text of a list is not known.
    has_lists = any(column.has_lists and not column.is_conversation for column in several)
    if not several and len(sources) == 1 and _is_translated(decision, sources[0]):
        decision.take(sources[0], Use.PROMPT, _("the only longer texts beside the response"))
    elif len(several) == 1 and not (sources or has_lists or several[0].is_key):
        reason = _("the only longer texts beside the response")
        decision.take(several[0], _use(several[0]), reason)
    else:
        question = _("is it the prompt or the conversation?")
        options = (Use.CONVERSATION, *MAY_ASK) if has_lists else (*MAY_ASK, Use.SOURCE)
        decision.ask([*several, *sources], options, question)


def _is_translated(decision: Decision, source: Candidate) -> bool:
    """Tell whether the responses are translations of a source: by their names, or a language."""
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
    best = max(map(_strength, good))
    first, *ties = [column for column in good if _strength(column) == best]
    for column in ties:
        is_part = decision.stands_in(first, column)
        if is_part and not decision.profile.same(first.path, column.path):
            first = column  # the longer one is what the model was asked
    rivals = [column for column in (*ties, good[0]) if column is not first]
    rivals = [column for column in rivals if _strength(column) == best]
    rivals = [column for column in rivals if not _goes_with(column, first)]
    rivals = [column for column in rivals if not decision.stands_in(column, first)]
    if rivals:
        options = (*MAY_ASK, Use.SYSTEM)
        question = _("is it the prompt or the conversation?")
        decision.ask([first, *dict.fromkeys(rivals)], options, question)
        return
    is_weak = first.strength <= Strength.WEAK
    is_vague = first.is_constant or (is_weak and first.is_label)
    if is_vague and (texts := decision.free_texts):
        if not (is_weak and first.is_word):  # a word as in `task` is no prompt beside texts
            question = _("is it the prompt or the conversation?")
            decision.ask([first, *texts], MAY_ASK, question)
        return
    _take(decision, first)
    _doubt_all(decision, asking, first)


def _strength(column: Candidate) -> int:
    return Strength.STRONG if column.has_turns and not column.use else column.strength


def _use(column: Candidate) -> Use:
    return Use.CONVERSATION if column.is_conversation else Use.PROMPT


def _take(decision: Decision, column: Candidate) -> None:
    if column.is_conversation and not decision.of(Use.PROMPT):
        if not decision.of(*ANSWERING):
            if ANSWERED in column.last_speakers:
                decision.take(column, Use.CHAT, _("ends with the assistant"))
                return
            if column.ends_with_a_name and column.has_turns:
                options = (Use.CHAT, Use.CONVERSATION, Use.METADATA)
                question = _("is its last turn the response, or does it come before one?")
                decision.ask([column], options, question)
                return
        elif column.is_chat and not _continues(decision, column):
            _doubt_end(decision, column)
            return
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
