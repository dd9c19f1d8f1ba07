"""Names of columns, roles and speakers as people write them. Knows no Django.

`fold` takes away how a name is written: case, blanks, signs, accents. All tables hold folded names.
"""

import re
import unicodedata
from collections.abc import Mapping
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
        key rowidx kennung identifiant identifier
    """,
    Use.PROMPT: """
        prompts question questions instruction instructions query userprompt userinput usermessage
        userquery userquestion inputprompt prompttext questiontext inputtext frage fragen
        anweisung eingabe eingabeaufforderung nutzerfrage stimulus
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
        correctanswer correctresponse correctoutput idealanswer idealresponse idealoutput ideal
        bestanswer trueanswer targetanswer targetoutput targettext humanreference referenz
        referenzantwort musterantwort musterlosung goldantwort sollantwort richtigeantwort
        erwarteteantwort reponseattendue reponsedereference reponsecorrecte bonnereponse
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
        nomdumodele responsemodel
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
INNER = frozenset(
    ["text", "content", "value", "body", "message", "string", "output", "generatedtext"]
)
# Objects whose entries say something of the item, and are not it.
APART = frozenset(
    [
        "meta",
        "metadata",
        "metadaten",
        "metadonnees",
        "extra",
        "extras",
        "attributes",
        "tags",
        "labels",
        "usage",
        "params",
        "config",
        "scores",
        "metrics",
        "evaluation",
        "evaluations",
        "annotations",
        "feedback",
        "judge",
        "judgement",
        "grader",
        "grading",
    ]
)
TABLE: dict[str, Meaning] = {
    **{name: Meaning(use, Strength.WEAK) for use in WEAK for name in WEAK[use].split()},
    **{name: Meaning(use, Strength.STRONG) for use in SYNONYMS for name in SYNONYMS[use].split()},
    **{name: Meaning(use, Strength.OURS) for name, use in OURS.items()},
}
# Keys of a turn: who speaks, and the text.
SPEAKERS = frozenset(
    ["role", "from", "speaker", "sender", "participant", "sprecher", "rolle", "locuteur"]
)
TEXTS = (
    *("content", "value", "text", "message", "utterance", "body", "parts"),
    *("inhalt", "texte", "nachricht"),
)
ROLES: Mapping[str, str] = {
    **dict.fromkeys(
        [
            "human",
            "user",
            "prompter",
            "usr",
            "customer",
            "client",
            "asker",
            "enduser",
            "nutzer",
            "benutzer",
            "mensch",
            "kunde",
            "humain",
            "utilisateur",
        ],
        ASKED,
    ),
    **dict.fromkeys(
        [
            "assistant",
            "gpt",
            "chatgpt",
            "bot",
            "chatbot",
            "model",
            "ai",
            "agent",
            "llm",
            "assistent",
            "ki",
            "modell",
            "ia",
            "modele",
            "claude",
            "gemini",
        ],
        ANSWERED,
    ),
}
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
OF_MODEL = re.compile(
    rf"(?i:{STEMS})s?[ _.:(-]+(?:from |by |of |von )?(?P<after>.+?)\)?"
    rf"|(?P<before>.+?)[ _.:-]+(?i:{STEMS})s?"
)
# As promptfoo has it in CSV: `[openai:gpt-4o] Answer: {{question}}`.
BRACKETED = re.compile(r"\[([^\[\]*]+)\]\s*\S")
TOKENS = re.compile(r"[^\W\d_A-Z]+|[A-Z](?![^\W\d_A-Z])|[A-Z][^\W\d_A-Z]*|\d+")
LONG_ENOUGH = 5  # letters of a name that may be near one of ours
NOT_NEAR = frozenset(["preference", "contest", "content", "resource", "message", "mode"])


@lru_cache(maxsize=10_000)
def fold(name: str) -> str:
    """Return a name without case, blanks, signs and accents."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", name.casefold())))


@lru_cache(maxsize=10_000)
def folded_path(path: str) -> str:
    """Return a path with each of its names folded: `A[*].Model_Name` → `a[*].modelname`."""
    return ".".join(
        "[*]".join(fold(name) for name in part.split("[*]")) for part in path.split(".")
    )


@lru_cache(maxsize=10_000)
def variant(name: str) -> tuple[str, str]:
    """Return a name's folded rest, and the number or letter in it: `Response B` → response, b.

    The mark is "" if there is none, or several.
    """
    tokens = TOKENS.findall(name)
    marks = [token for token in tokens if token.isdigit() or len(token) == 1]
    if len(marks) != 1 or len(tokens) < 2 or len(marks[0]) > 2:
        return fold(name), ""
    return fold("".join(token for token in tokens if token != marks[0])), marks[0].casefold()


@lru_cache(maxsize=10_000)
def meaning(path: str) -> Meaning | None:
    """Return what a column's name says of its use, or None if it says nothing."""
    names = [fold(name) for name in re.split(r"\.|\[\*\]", path)]
    names = [name for name in names if name]
    if not names:
        return None
    *outer, last = names
    table = {**OUTER, **TABLE}
    containers = [name for name in reversed(outer) if name in table and name not in INNER]
    around = table[containers[0]] if containers else None
    known = TABLE.get("".join(names)) or TABLE.get(last)
    if not known and not variant(path)[1]:
        known = _composed(re.split(r"\.|\[\*\]", path)[-1]) or _misspelt(last)
    if around and last in INNER:
        known = around
    elif around and known and known.use is Use.RESPONSE:
        known = around if around.use in (Use.RESPONSE, Use.REFERENCE) else known
    if known and not APART.isdisjoint(outer):
        return Meaning(known.use, min(known.strength, Strength.WEAK))
    return known


@lru_cache(maxsize=10_000)
def has_answer(name: str) -> bool:
    """Tell whether a name has a word for a response, and none for what is said of one."""
    is_answer = any(
        re.fullmatch(rf"(?:{STEMS})s?", word.casefold()) for word in TOKENS.findall(name)
    )
    return is_answer and not NO_MODEL.search(name)


@lru_cache(maxsize=10_000)
def model_in(name: str) -> str:
    """Return the model that a column's name has beside a word for a response, or ""."""
    if bracketed := BRACKETED.match(name):
        return bracketed[1]
    known = OF_MODEL.fullmatch(name)
    rest = known and (known["after"] or known["before"])
    is_model = rest and (len(rest) > 2 or MODEL_NAME.search(rest))  # `answer_de` is a language
    return rest if rest and is_model and not variant(name)[1] and not NO_MODEL.search(rest) else ""


def _composed(name: str) -> Meaning | None:
    """Return the meaning of a name in which every word is one for a response: `pred_output`."""
    words = [TABLE.get(fold(word)) for word in TOKENS.findall(name)]
    uses = {word.use if word else None for word in words}
    is_response = len(words) > 1 and uses == {Use.RESPONSE}
    return Meaning(Use.RESPONSE, Strength.STRONG) if is_response else None


def _misspelt(name: str) -> Meaning | None:
    if len(name) < LONG_ENOUGH or name in NOT_NEAR:
        return None
    uses = [use for ours, use in OURS.items() if Levenshtein.distance(name, ours) == 1]
    return Meaning(uses[0], Strength.NEAR) if uses else None


def speaker_key(turn: Mapping[str, object]) -> str:
    """Return the key of a turn that says who speaks, or "" if none does."""
    keys = (key for key, value in turn.items() if fold(key) in SPEAKERS and isinstance(value, str))
    return next(keys, "")


def text_key(turn: Mapping[str, object]) -> str | None:
    """Return the key of a turn that has its text, or None if none has."""
    keys = {fold(key): key for key in turn}
    return next((keys[name] for name in TEXTS if name in keys), None)


def is_turns(value: object) -> TypeGuard[list[dict[str, object]]]:
    """Tell whether a value is a list of who said what."""
    return (
        isinstance(value, list)
        and value != []
        and all(
            isinstance(turn, dict) and speaker_key(turn) != "" and text_key(turn) is not None
            for turn in value
        )
    )


def role_of(name: str) -> str:
    """Return our name of a role, or the name as it is."""
    return ROLES.get(fold(name), name)
