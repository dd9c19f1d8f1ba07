"""Names of columns, roles and speakers as people write them. Knows no Django.

`fold` takes away how a name is written: case, blanks, signs, accents. All tables hold folded names.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple, TypeGuard

from rapidfuzz.distance import Levenshtein

from ..files.rows import JsonObject
from .uses import ANSWERED, ASKED, Use


class Strength(IntEnum):
    """How much a name says of a column's use."""

    NEAR = 1  # one letter off a name of ours
    WEAK = 2  # it may be something else
    STRONG = 3  # a synonym
    OURS = 4


class Meaning(NamedTuple):
    use: Use
    strength: Strength


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


OURS: Mapping[str, Use] = {
    "id": Use.ID,
    "prompt": Use.PROMPT,
    "messages": Use.CONVERSATION,
    "history": Use.CONVERSATION,
    "persona": Use.PERSONA,
    "system": Use.SYSTEM,
    "context": Use.CONTEXT,
    "reference": Use.REFERENCE,
    "source": Use.SOURCE,
    "warning": Use.WARNING,
    "response": Use.RESPONSE,
    "responses": Use.RESPONSE,
    "model": Use.MODEL,
}
SYNONYMS: Mapping[Use, str] = {
    Use.ID: """
        uid uuid itemid promptid questionid sampleid exampleid instanceid conversationid convid
        docid customid rowid caseid testcaseid dialogid dialogueid recordid taskid inputid hitid
        key rowidx kennung identifiant identifier qid segid segmentid postid
    """,
    Use.PROMPT: """
        prompts question questions instruction instructions query userprompt userinput usermessage
        userquery userquestion inputprompt prompttext questiontext inputtext frage fragen
        anweisung eingabe eingabeaufforderung nutzerfrage stimulus lastuserturn userturn
        stimuli modelinput invite consigne requete questionposee pregunta
        preguntas domanda domande pergunta perguntas vraag
    """,
    Use.CONVERSATION: """
        conversation conversations dialog dialogs dialogue dialogues chat chathistory
        conversationhistory dialoguehistory dialoghistory conversationinput previousturns
        previousmessages verlauf gesprach gesprachsverlauf unterhaltung historique echange
    """,
    Use.RESPONSE: """
        output outputs completion completions generation generations reply replies generated
        generatedtext generatedanswer generatedresponse generatedoutput generatedreply prediction
        predictions predictedanswer predictedtext predictedoutput predictedlabel
        predictedclass predlabel pred preds assistantmessage
        candidate candidates candidateanswer candidateresponse candidateoutput hypothesis
        hypotheses hyp actualoutput actualanswer decoded rawoutput rawresponse finalresponse
        finaloutput lastresponse chosen rejected ausgabe generierteantwort vorhersage sortie mt
        mtoutput machinetranslation antwortmodell antwortsystem outputmodel reponsemodele
        reponsegeneree hypothese
    """,
    Use.REFERENCE: """
        references referenceanswer referenceanswers referenceoutput referenceresponse
        referencetext referencesummary referencetranslation gold golden goldanswer goldanswers
        goldresponse goldoutput goldlabel goldstandard goldenanswer groundtruth groundtruths
        groundtruthanswer expected expectedoutput expectedanswer expectedresponse expectedresult
        expectedoutputs expectedanswers correctanswer correctresponse correctoutput idealanswer
        idealresponse idealoutput ideal bestanswer trueanswer targetanswer targetoutput
        targettext humanreference referenz referenzantwort musterantwort musterlosung
        goldantwort sollantwort richtigeantwort erwarteteantwort reponseattendue
        reponsedereference reponsecorrecte bonnereponse ref refs
    """,
    Use.CONTEXT: """
        contexts passage passages evidence background retrievedcontext retrievedcontexts
        retrievalcontext retrieveddocuments retrieveddocs retrievedpassages supportingdocuments
        kontext hintergrund contexte
    """,
    Use.SYSTEM: """
        systemprompt systemmessage systeminstruction systemprompttext systemnachricht
    """,
    Use.SOURCE: "datasource sourcedataset quelle",
    Use.WARNING: """
        contentwarning triggerwarning warnung inhaltswarnung avertissement
    """,
    Use.PERSONA: """
        personality personas personalities yourpersona botprofile botpersona
    """,
    Use.MODEL: """
        models modelname modelid modelslug generator llm llmname engine modell modellname
        sprachmodell modele modelo modello nomdumodele responsemodel modelidentifier
    """,
}
WEAK: Mapping[Use, str] = {
    Use.ID: "nr number no row index idx numero nummer traceid runid",
    Use.PROMPT: """
        input inputs user message problem request task post aufgabe demande entree
    """,
    Use.RESPONSE: """
        answer answers antwort antworten reponse reponses summary translation zusammenfassung
        ubersetzung resume traduction assistant result ergebnis utterance humanresponse
        humananswer studentanswer studentresponse respuesta respuestas risposta risposte resposta
        respostas antwoord
    """,
    Use.REFERENCE: """
        target targets label labels tgt canonicalsolution solution solutions truth losung
    """,
    Use.CONTEXT: """
        document documents article articles sourcetext sourcedocument dokument artikel story
        knowledge
    """,
    Use.MODEL: """
        systemname systemid policy provider agent bot responsesource modelversion modelofresponse
        modelofanswer modellderantwort modeledelareponse
    """,
    Use.CONVERSATION: "turns transcript thread utterances",
}
# A folded name of a response and of who gave it: `model output`, `Antwort des Chatbots`.
MACHINE = "((language|sprach)?modell?e?|llm|ai|ki|ia|(chat)?bot|assist[ae]nt|agent|system)s?"
SAID = (
    "(response|answer|output|completion|generation|reply|prediction|antwort|ausgabe|reponse|sortie)"
    "(s|en)?"
)
MADE = "generated|given|produced|generierte|erzeugte|generee"
BETWEEN = f"({MADE}|by|of|from|the|par|de[rs]?|du|l[ae]?|vo[nm])"
# `Modell der Antwort` is no answer, so little stands between a machine and what it said.
SAID_BY_MACHINE = re.compile(
    f"{BETWEEN}*{MACHINE}({MADE})*{SAID}|{SAID}{BETWEEN}+{MACHINE}|{SAID}text"
)
# Lists and objects of responses, whose name says nothing else.
OUTER = {name: Meaning(Use.RESPONSE, Strength.STRONG) for name in ("choices", "samples")}
# A column in an object or a list has the use of that if its own name is one of these.
INNER = _names("text content value body message string output generatedtext")
# Objects whose entries say something of the item, and are not it.
OF_ITEM = _names("""
    meta metadata metadaten metadonnees extra extras attributes tags labels usage params config
    scores metrics evaluation evaluations annotations feedback judge judgement grader grading
""")
TABLE: dict[str, Meaning] = {}
for strength, names_of_uses in ((Strength.WEAK, WEAK), (Strength.STRONG, SYNONYMS)):
    for use, names in names_of_uses.items():
        TABLE |= dict.fromkeys(names.split(), Meaning(use, strength))
for name, use in OURS.items():
    TABLE[name] = Meaning(use, Strength.OURS)
# Keys of a turn: who speaks, and the text.
SPEAKERS = frozenset(_names("role from speaker sender participant sprecher rolle locuteur"))
# As SPEAKERS, if the value is a role: else it may name a model, or the author of an answer.
WRITERS = frozenset(_names("author name type by who writer wer qui"))
TEXTS = _names("""
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
ASKERS = _names("""
    human user prompter usr customer client asker enduser nutzer benutzer mensch kunde humain
    utilisateur
""")
ANSWERERS = _names("""
    assistant gpt chatgpt bot chatbot model ai agent llm assistent ki modell ia modele claude gemini
""")
ROLES = {**dict.fromkeys(ASKERS, ASKED), **dict.fromkeys(ANSWERERS, ANSWERED)}
MACHINES = frozenset(_names("gpt chatgpt model llm claude gemini"))
ROLES |= {"system": "system", "developer": "system", "tool": "tool"}
# Words of forms beside the name of a text: `Answer shown`, `Gezeigte Frage`.
FILLERS = frozenset(
    _names("shown displayed presented asked given the gezeigte gestellte die der posee")
)
TOKENS = re.compile(r"[^\W\d_A-Z]+|[A-Z](?![^\W\d_A-Z])|[A-Z][^\W\d_A-Z]*|\d+")
MARKS = (".", "[*]")  # in a path
MARK = re.compile(r"(\.|\[\*\])")
LONG_ENOUGH = 5  # letters of a name that may be near one of ours
NOT_NEAR = _names("preference contest content resource message mode")


@lru_cache(maxsize=10_000)
def fold(name: str) -> str:
    """Return a name without case, blanks, signs and accents."""
    plain = unicodedata.normalize("NFKD", name.casefold().replace("°", "o"))
    return "".join(filter(str.isalnum, plain))


@lru_cache(maxsize=10_000)
def folded_path(path: str) -> str:
    """Return a path with each of its names folded: `A[*].Model_Name` → `a[*].modelname`."""
    parts = MARK.split(path)
    return "".join(part if part in MARKS else fold(part) for part in parts)


@lru_cache(maxsize=10_000)
def variant(name: str) -> tuple[str, str]:
    """Return a name's folded rest, and the number or letter in it: `Response B` → response, b.

    The mark is "" if there is none, or several.
    """
    tokens = TOKENS.findall(name.replace("°", "o"))
    marks = [token for token in tokens if token.isdigit() or len(token) == 1]
    if len(marks) != 1 or len(tokens) < 2:
        return fold(name), ""
    [mark] = marks
    if len(mark) > 2:
        return fold(name), ""
    rest = [token for token in tokens if token != mark]
    return fold("".join(rest)), mark.casefold()


def listed_meaning(folded: str) -> Meaning | None:
    """Return what a folded name says, or None."""
    if SAID_BY_MACHINE.fullmatch(folded):
        return TABLE.get(folded, Meaning(Use.RESPONSE, Strength.STRONG))
    return TABLE.get(folded)


@lru_cache(maxsize=10_000)
def meaning(path: str) -> Meaning | None:
    """Return what a column's name says of its use, or None if it says nothing.

    The whole path counts first, then its last name. An object around it may say more, as in
    `response.text`, or less, as in `metadata.model`.
    """
    parts = MARK.split(path)[::2]
    names = [name for name in map(fold, parts) if name]
    if not names:
        return None
    *outer, last = names
    _stem, mark = variant(path)
    known = listed_meaning("".join(names)) or listed_meaning(last)
    if not known and not mark:
        known = _composed(parts[-1]) or _described(parts[-1]) or _misspelt(last)
    around = _around(outer)
    if around and last in INNER:
        known = around
    elif around and known and known.use is Use.RESPONSE:
        is_answer = around.use in (Use.RESPONSE, Use.REFERENCE)
        known = around if is_answer else known
    if known and {*OF_ITEM}.intersection(outer):
        return Meaning(known.use, min(known.strength, Strength.WEAK))
    return known


def _around(names: Sequence[str]) -> Meaning | None:
    """Return what the innermost object or list says that says something."""
    for name in reversed(names):
        known = TABLE.get(name, OUTER.get(name))
        if known and name not in INNER:
            return known
    return None


def _composed(name: str) -> Meaning | None:
    """Return the meaning of a name in which every word is one for a response: `pred_output`."""
    words = TOKENS.findall(name)
    if len(words) < 2:
        return None
    for word in words:
        known = TABLE.get(fold(word))
        if not known or known.use is not Use.RESPONSE:
            return None
    return Meaning(Use.RESPONSE, Strength.STRONG)


def _described(name: str) -> Meaning | None:
    """Return the meaning of a name beside words that say no more: `Question shown`."""
    words = [fold(word) for word in TOKENS.findall(name)]
    rest = [word for word in words if word not in FILLERS]
    known = TABLE.get(rest[0]) if len(rest) == 1 < len(words) else None
    if not known or known.use not in (Use.PROMPT, Use.RESPONSE):
        return None
    return Meaning(known.use, min(known.strength, Strength.STRONG))


def _misspelt(name: str) -> Meaning | None:
    if len(name) < LONG_ENOUGH or name in NOT_NEAR:
        return None
    for ours, use in OURS.items():
        if Levenshtein.distance(name, ours) == 1:
            return Meaning(use, Strength.NEAR)
    return None


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
