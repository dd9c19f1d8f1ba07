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
        stimuli modelinput invite consigne requete questionposee
    """,
    Use.CONVERSATION: """
        conversation conversations dialog dialogs dialogue dialogues chat chathistory
        conversationhistory dialoguehistory dialoghistory conversationinput previousturns
        previousmessages verlauf gesprach gesprachsverlauf unterhaltung historique echange
    """,
    Use.RESPONSE: """
        output outputs completion completions generation generations reply replies modeloutput
        modeloutputs modelresponse modelresponses modelanswer modelanswers modelreply
        modelcompletion modelgeneration modelprediction generated generatedtext generatedanswer
        generatedresponse generatedoutput generatedreply prediction predictions predictedanswer
        predictedtext predictedoutput pred preds llmresponse llmoutput llmanswer llmgeneration
        airesponse aianswer aioutput systemoutput systemresponse systemanswer botresponse botreply
        botanswer assistantresponse assistantreply assistantanswer assistantmessage agentresponse
        chatbotresponse candidate candidates candidateanswer candidateresponse candidateoutput
        hypothesis hypotheses hyp actualoutput actualanswer decoded outputtext responsetext
        completiontext answertext rawoutput rawresponse  finalresponse finaloutput
        lastresponse chosen rejected ausgabe modellantwort modellausgabe generierteantwort
        vorhersage sortie mt mtoutput machinetranslation antwortmodell antwortsystem outputmodel
        reponsedumodele reponsemodele reponsegeneree hypothese
    """,
    Use.REFERENCE: """
        references referenceanswer referenceanswers referenceoutput referenceresponse
        referencetext referencesummary referencetranslation gold golden goldanswer goldanswers
        goldresponse goldoutput goldlabel goldstandard goldenanswer groundtruth groundtruths
        groundtruthanswer expected expectedoutput expectedanswer expectedresponse expectedresult
        expectedoutputs expectedanswers
        correctanswer correctresponse correctoutput idealanswer idealresponse idealoutput ideal
        bestanswer trueanswer targetanswer targetoutput targettext humanreference referenz
        referenzantwort musterantwort musterlosung goldantwort sollantwort richtigeantwort
        erwarteteantwort reponseattendue reponsedereference reponsecorrecte bonnereponse ref refs
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
        sprachmodell modele
        nomdumodele responsemodel modelidentifier
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
        humananswer studentanswer studentresponse
    """,
    Use.REFERENCE: """
        target targets label labels tgt canonicalsolution solution solutions truth losung
    """,
    Use.CONTEXT: """
        document documents article articles sourcetext sourcedocument dokument artikel story
        knowledge
    """,
    Use.MODEL: """
        systemname systemid policy provider agent bot responsesource
    """,
    Use.CONVERSATION: "turns transcript thread",
}
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
TEXTS = _names("content value text message utterance body parts inhalt texte nachricht")
ASKERS = _names("""
    human user prompter usr customer client asker enduser nutzer benutzer mensch kunde humain
    utilisateur
""")
ANSWERERS = _names("""
    assistant gpt chatgpt bot chatbot model ai agent llm assistent ki modell ia modele claude gemini
""")
ROLES = {**dict.fromkeys(ASKERS, ASKED), **dict.fromkeys(ANSWERERS, ANSWERED)}
ROLES["developer"] = "system"  # as newer chats call it
# Headers that are models, where each has a column.
MODEL_NAME = re.compile(
    r"gpt|claude|llama|mi[sx]tral|gemini|gemma|qwen|deepseek|command|falcon|vicuna|alpaca|tulu|phi"
    r"|palm|grok|davinci|bard|yi-|olmo|bloom|t5|\d+b\b|v\d",
    re.IGNORECASE,
)
# What such a header has if the column says something else of the model or of its response.
NO_MODEL = re.compile(
    r"scor|rating|rated|grad|feedback|judg|eval|reason|rational|expla|critiq|verdict|comment"
    r"|prefer|label|token|latenc|cost|time|rank|win|url|date|version|length|count|prompt|"
    r"(?:^|[ _.-])(?:id|by|at)$|\[",
    re.IGNORECASE,
)
# A response's column that has its model's name: `gpt-4_response`, `answer (claude)`.
STEMS = "response|answer|output|completion|generation|reply|prediction|antwort|reponse|réponse"
STEM = re.compile(rf"(?:{STEMS})s?")
OF_MODEL = re.compile(
    rf"(?i:{STEMS})s?[ _.:(-]+(?:from |by |of |von )?(?P<after>.+?)\)?"
    rf"|(?P<before>.+?)[ _.:-]+(?i:{STEMS})s?"
)
# As promptfoo has it in CSV: `[openai:gpt-4o] Answer: {{question}}`.
BRACKETED = re.compile(r"\[([^\[\]*]+)\]\s*\S")
TOKENS = re.compile(r"[^\W\d_A-Z]+|[A-Z](?![^\W\d_A-Z])|[A-Z][^\W\d_A-Z]*|\d+")
MARKS = (".", "[*]")  # in a path
MARK = re.compile(r"(\.|\[\*\])")
LONG_ENOUGH = 5  # letters of a name that may be near one of ours
NOT_NEAR = _names("preference contest content resource message mode")


@lru_cache(maxsize=10_000)
def fold(name: str) -> str:
    """Return a name without case, blanks, signs and accents."""
    plain = unicodedata.normalize("NFKD", name.casefold())
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
    tokens = TOKENS.findall(name)
    marks = [token for token in tokens if token.isdigit() or len(token) == 1]
    if len(marks) != 1 or len(tokens) < 2:
        return fold(name), ""
    [mark] = marks
    if len(mark) > 2:
        return fold(name), ""
    rest = [token for token in tokens if token != mark]
    return fold("".join(rest)), mark.casefold()


@lru_cache(maxsize=10_000)
def meaning(path: str) -> Meaning | None:
    """Return what a column's name says of its use, or None if it says nothing."""
    parts = MARK.split(path)[::2]
    names = [name for name in map(fold, parts) if name]
    if not names:
        return None
    *outer, last = names
    _stem, mark = variant(path)
    known = TABLE.get("".join(names)) or TABLE.get(last)
    if not known and not mark:
        known = _composed(parts[-1]) or _misspelt(last)
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


@lru_cache(maxsize=10_000)
def has_answer(name: str) -> bool:
    """Tell whether a name has a word for a response, and none for what is said of one."""
    words = [word.casefold() for word in TOKENS.findall(name)]
    is_answer = any(map(STEM.fullmatch, words))
    return is_answer and not NO_MODEL.search(name)


@lru_cache(maxsize=10_000)
def model_in(name: str) -> str:
    """Return the model that a column's name has beside a word for a response, or ""."""
    if bracketed := BRACKETED.match(name):
        return bracketed[1]
    known = OF_MODEL.fullmatch(name)
    _stem, mark = variant(name)
    if not known or mark:
        return ""
    rest = known["after"] or known["before"]
    if NO_MODEL.search(rest):
        return ""
    is_short = len(rest) <= 2  # `answer_de` is a language
    if is_short and not MODEL_NAME.search(rest):
        return ""
    return rest


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
    return ""


def text_key(turn: Mapping[str, object]) -> str | None:
    """Return the key of a turn that has its text, or None if none has."""
    keys = {fold(key): key for key in turn}
    for name in TEXTS:
        if name in keys:
            return keys[name]
    return None


def is_turns(value: object) -> TypeGuard[list[dict[str, object]]]:
    """Tell whether a value is a list of who said what."""
    if not isinstance(value, list) or not value:
        return False
    return all(map(_is_turn, value))


def _is_turn(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return speaker_key(value) != "" and text_key(value) is not None


def role_of(name: str) -> str:
    """Return our name of a role, or the name as it is."""
    return ROLES.get(fold(name), name)
