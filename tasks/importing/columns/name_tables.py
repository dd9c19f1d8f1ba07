"""Names that columns have in files of others, by what they say of a column's use. Knows no Django.

All names are folded (`spelling.fold`): "User prompt" is `userprompt`. `names.py` looks them up.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from .uses import Use


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


def _table() -> dict[str, Meaning]:
    """Return the meaning of each name. The strongest counts."""
    table: dict[str, Meaning] = {}
    for names_by_use, strength in ((WEAK, Strength.WEAK), (SYNONYMS, Strength.STRONG)):
        for use, names in names_by_use.items():
            table |= dict.fromkeys(names.split(), Meaning(use, strength))
    for name, use in OURS.items():
        table[name] = Meaning(use, Strength.OURS)
    return table


TABLE = _table()
