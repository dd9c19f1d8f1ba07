"""The keys of a turn, such as `{"role": "user", "content": "…"}`, as people name them.

It says who speaks, in which role, and where the text is. Knows no Django.
"""

import re
from collections.abc import Mapping
from typing import TypeGuard

from ..files.rows import JsonObject
from .spelling import fold, words
from .uses import ANSWERED, ASKED

# Keys of a turn: who speaks, and the text.
SPEAKERS = frozenset(words("role from speaker sender participant sprecher rolle locuteur"))
# As SPEAKERS, if the value is a role: else it may name a model, or the author of an answer.
WRITERS = frozenset(words("author name type by who writer wer qui"))
TEXTS = words("""
    content value text message utterance body says parts inhalt texte nachricht ausserung beitrag
    contenu enonce was
""")
# Columns of a table whose rows are turns: which conversation, and which turn of it.
CONVERSATION_KEY = re.compile(
    "(conv(ersation)?|dialog(ue)?|chat|session|thread|gesprachs?|unterhaltungs?|sitzungs?|echange)"
    "(id|nr|no|num|number|idx|index|hash|key|nummer|kennung)?"
    "|(id|nr|no|numero)(dela|du|de)?(conversation|dialogue|session|echange)"
)
TURN_NUMBER = re.compile(
    "(turn|message|msg|utterance|step|zug|tour|beitrags?|nachrichten?)(s?(id|nr|no|num|number|idx|index"
    "|order|nummer|numero))?|(numero|no|nr)(du|de)?(tour|message)"
    "|position|pos|order|seq|sequence|index|idx|nr|no|number|reihenfolge|ordre"
)
TURN_TIME = re.compile("time|timestamp|datetime|date|(created|sent)at|zeit|zeitpunkt|uhrzeit|heure")
ASKERS = words("""
    human user prompter usr customer client asker enduser nutzer benutzer mensch kunde humain
    utilisateur
""")
ANSWERERS = words("""
    assistant gpt chatgpt bot chatbot model ai agent llm assistent ki modell ia modele claude gemini
""")
ROLES = {**dict.fromkeys(ASKERS, ASKED), **dict.fromkeys(ANSWERERS, ANSWERED)}
MACHINES = frozenset(words("gpt chatgpt model llm claude gemini"))
ROLES |= {"system": "system", "developer": "system", "tool": "tool"}


def speaker_key(turn: Mapping[str, object]) -> str:
    """Return the key of a turn that says who speaks, or "" if none does."""
    for key, value in turn.items():
        if fold(key) in SPEAKERS and isinstance(value, str):
            return key
    for key, value in turn.items():
        if fold(key) in WRITERS and isinstance(value, str) and _is_role(value):
            return key
    return ""


def _is_role(name: str) -> bool:
    """Tell whether a name is a role, and not what stands beside "human" as who wrote an answer."""
    return fold(name) in ROLES and fold(name) not in MACHINES


def text_key(turn: Mapping[str, object]) -> str | None:
    """Return the key of a turn that has its text, or None if none has."""
    keys = {fold(key): key for key in turn}
    for name in TEXTS:
        if name in keys:
            return keys[name]
    return None


def is_turns(value: object) -> TypeGuard[list[JsonObject]]:
    """Tell whether a value is a list of who said what."""
    if not isinstance(value, list) or not value or not all(map(_is_turn, value)):
        return False
    if fold(speaker_key(value[0])) in SPEAKERS:
        return True
    # Answers that say what wrote them are no turns: `[{"name": "bot", "text": …}, …]`.
    return any(role_of(turn[speaker_key(turn)]) != ANSWERED for turn in value)


def _is_turn(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return speaker_key(value) != "" and text_key(value) is not None


def role_of(name: str) -> str:
    """Return our name of a role, or the name as it is."""
    return ROLES.get(fold(name), name)
