"""Layouts of evaluation tools, as their users export results. No Django but its translations."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from .layout import Layout
from .sample import Sample
from .uses import Use

# An input or an output as it is, or an object that has it under a usual name.
ASKED = r"inputs?|inputs?\.(messages|prompt|question|query|input|text|userinput|problem)"
ANSWERED = (
    r"outputs?|outputs?\.(content|text|answer|response|output|completion|result|generations[*].*"
    r"|message\.content|messages|choices[*]\.message\.content)"
)
EXPECTED = (
    r"(expected|expectedoutputs?|reference|referenceoutputs?|groundtruth|targets?)"
    r"(\.(content|text|answer|response|output|completion|message\.content))?"
)
TRACE = {ASKED: Use.PROMPT, ANSWERED: Use.RESPONSE, EXPECTED: Use.REFERENCE}
INPUT, OUTPUT = r"inputs?(\W.*)?", r"outputs?(\W.*)?"


def _wildbench_history(sample: Sample) -> Mapping[str, Use]:
    """Return the history as the conversation, where no column has it as turns."""
    names = {column.name for column in sample.columns}
    return {} if "conversation_input" in names else {"chat_history": Use.CONVERSATION}


TOOLS: Mapping[str, Layout] = {
    # Logs of an experiment, by export or from the table.
    "braintrust": Layout(
        _("an experiment of Braintrust"),
        (INPUT, OUTPUT, "xactid|rootspanid|experimentid|spanparents.*|spanattributes.*"),
        {**TRACE, r"metadata\.model": Use.MODEL},
    ),
    "deepeval": Layout(
        _("test cases of DeepEval"),
        ("input", "actualoutput"),
        {
            "input": Use.PROMPT,
            "actualoutput": Use.RESPONSE,
            "expectedoutput": Use.REFERENCE,
            "context|retrievalcontext": Use.CONTEXT,
        },
    ),
    # Gemini's and Vertex' batches, perhaps with the requests.
    "gemini-batch": Layout(
        _("the output of a batch of Gemini"),
        ("response.candidates[*].content.parts[*].text",),
        {
            "key": Use.ID,
            r"request\.contents": Use.CONVERSATION,
            r"request\.contents[*]\.parts[*]\.text": Use.PROMPT,
            r"request\.systeminstruction\.parts[*]\.text": Use.SYSTEM,
            "response.candidates[*].content.parts[*].text": Use.RESPONSE,
            "response.modelversion": Use.MODEL,
        },
    ),
    # The states of a scenario: `scenario_state.json`.
    "helm": Layout(
        _("a scenario of HELM"),
        ("instance.input.text", "result.completions[*].text"),
        {
            "instance.id": Use.ID,
            "instance.input.text": Use.PROMPT,
            "request.prompt": Use.METADATA,
            "request.model": Use.MODEL,
            # Wrong options are among them.
            r"instance\.references.*": Use.METADATA,
            "result.completions[*].text": Use.RESPONSE,
        },
    ),
    # Runs of a project, and experiments of a data set.
    "langsmith": Layout(
        _("runs of LangSmith"),
        (
            INPUT,
            OUTPUT,
            r"runtype|sessionname|exampleid|referenceexampleid|executiontime|reference(outputs)?\..*"
            r"|dottedorder",
        ),
        {**TRACE, r"extra\.metadata\.lsmodelname": Use.MODEL},
    ),
    # Tables of an evaluation, and traces.
    "mlflow": Layout(
        _("an evaluation of MLflow"),
        (
            "inputs?|questions?|request",
            "outputs?|predictions?|response",
            r".*v\d(score|justification)|tokencount|executiontimems|executionduration|tracemetadata.*",
        ),
        {
            r"inputs?|questions?|request|inputs?\..*": Use.PROMPT,
            "outputs?|predictions?|response": Use.RESPONSE,
            EXPECTED: Use.REFERENCE,
        },
    ),
    # The output items of a run of OpenAI's evals.
    "openai-eval-run": Layout(
        _("a run of OpenAI’s evals"),
        ("sample.output(text|[*].content)?", r"sample\.input(\W.*)?"),
        {
            r"sample\.input": Use.CONVERSATION,
            "sample.output(text|[*].content)?": Use.RESPONSE,
            "sample.model": Use.MODEL,
            r"(datasourceitem|item)\..*": Use.METADATA,
        },
    ),
    # The log of the package evals: what was sampled.
    "openai-evals": Layout(
        _("a log of OpenAI’s evals"),
        ("sampleid", "data.sampled", r"data\.prompt(\W.*)?"),
        {
            "sampleid": Use.ID,
            "data.prompt": Use.CONVERSATION,
            "data.sampled": Use.RESPONSE,
        },
    ),
    "opik": Layout(
        _("traces of Opik"),
        (INPUT, OUTPUT, r"feedbackscores(\W.*)?|threadid|projectname|spancount|totalestimatedcost"),
        {**TRACE, r"feedbackscores.*": Use.METADATA},
    ),
    # Spans, whose columns have the names of OpenInference.
    "phoenix": Layout(
        _("spans of Phoenix"),
        (r"attributes\.input\.value", r"attributes\.output\.value"),
        {
            r"context\.spanid": Use.ID,
            r"attributes\.input\.value(\.(messages|prompt|question|query|input|text))?": Use.PROMPT,
            r"attributes\.output\.value(\.(content|text|answer|response|output))?": Use.RESPONSE,
            r"attributes\.llm\.modelname": Use.MODEL,
        },
    ),
    # The utterances: a row for each response that somebody rated from 1 to 100.
    "prism": Layout(
        _("utterances of PRISM"),
        ("utteranceid", "interactionid", "userprompt", "modelresponse"),
        {
            "interactionid": Use.GROUP,
            "userprompt": Use.PROMPT,
            "modelresponse": Use.RESPONSE,
            "modelname": Use.MODEL,
            "userid": Use.RATER,
            "score": Use.SCORE,
            # Responses of one prompt differ in these.
            "utteranceid|withinturnid|modelprovider|ifchosen|includedin.*": Use.UNUSED,
        },
    ),
    # Each result is a prompt, filled in, and what one provider answered.
    "promptfoo": Layout(
        _("results of promptfoo"),
        (r"response\.output(\W.*)?", r"prompt\.(raw|label)", r"vars\..*|testidx|gradingresult.*"),
        {
            r"prompt\.raw": Use.PROMPT,
            r"response\.output": Use.RESPONSE,
            r"provider\.id": Use.MODEL,
            ".*": Use.METADATA,
        },
    ),
    # Answers of models to the tasks of WildBench.
    "wildbench": Layout(
        _("results of WildBench"),
        ("conversationinput|modelinput", "output", "generator", "chathistory|checklist|sessionid"),
        {
            "sessionid": Use.ID,
            "conversationinput": Use.CONVERSATION,
            "output": Use.RESPONSE,
            "generator": Use.MODEL,
            "chathistory|modelinput": Use.METADATA,
        },
        more=_wildbench_history,
    ),
}
