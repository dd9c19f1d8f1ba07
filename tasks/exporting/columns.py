"""The columns of exports, each with its name, its meaning and its SQL.

The expressions name the tables as `score_rows` joins them, and the modules of the other shapes.
"""

from dataclasses import replace

from tasks.final_scores.figures import FINAL_OF_SCORES

from .column_types import (
    integer_column,
    json_column,
    number_column,
    text_column,
    time_column,
    word_column,
)

_REMARKS = """CASE WHEN score.remarks <> '[]' THEN (
    SELECT string_agg(concat_ws(': ', nullif(remark.value ->> 'clause', ''),
      remark.value ->> 'text'), ' | '
      ORDER BY remark.place)
    FROM jsonb_array_elements(score.remarks) WITH ORDINALITY AS remark (value, place)) END"""

# Questions that the program asked because it saw something: r1.quality.repeats_itself.asked.
_ASKED = """CASE WHEN rating.asked <> '{}' THEN (
    SELECT string_agg(split_part(given.key, '.', 3) || '=' || given.value, ';' ORDER BY given.key)
    FROM jsonb_each_text(rating.asked) AS given
    WHERE split_part(given.key, '.', 1) = left(score.unit, 1) || score.position
      AND split_part(given.key, '.', 2) = score.dimension) END"""

# The candidates of a set. No array function writes a JSON list without line ends but jsonb's.
_CANDIDATES = """CASE WHEN score.response_id IS NULL THEN (
    SELECT jsonb_agg(candidate.text ORDER BY candidate.position)::text
    FROM tasks_response AS candidate
    WHERE candidate.item_id = item.id AND candidate.model = score.model) END"""

ITEM = text_column("item", "item.external_id", "the item's id in the upload")
ITEM_COLUMNS = (
    text_column("project", "project.slug", "the project's short name, as in its address"),
    text_column("batch", "batch.name", "the batch"),
    ITEM,
)
DROPPED = integer_column(
    "dropped",
    "item.dropped::int",
    "1 if the item is dropped, and so counts in no figure; else 0",
)
_TARGET = (
    word_column(
        "unit",
        "score.unit",
        "`response`, or `candidate_set`: all that one model said to one history",
    ),
    text_column(
        "target",
        "COALESCE(response.position::text, score.model)",
        "the response's number in the upload, from 1; for a candidate set its model",
    ),
    text_column(
        "model",
        "COALESCE(response.model, score.model)",
        "the model that wrote the response or the candidate set",
    ),
)
POSITION = integer_column("position", "score.position", "its place on the desk, from 1")
_DIMENSION = text_column("dimension", "score.dimension", "the dimension")
WITHOUT = word_column(
    "without",
    "NULLIF(score.without, '')",
    """why there is no score. `blank`: the annotator chose the answer without one. `not_asked`: the
    other answers left the dimension out""",
)
RUBRIC_COLUMNS = (
    text_column("rubric", "rubric.slug", "the rubric"),
    integer_column("rubric_version", "rubric.version", "its version"),
)
ANNOTATOR = text_column(
    "annotator",
    "COALESCE(annotator.username, rater.name)",
    """the user name of who rated, or with pseudonyms `rater-1` and so on. An imported rater who is
    no account's has the name in the file""",
)
_BREAKS = text_column(
    "breaks",
    "NULLIF(array_to_string(score.breaks, ';'), '')",
    "the rules that an imported rating breaks, separated by `;`",
)
_COMMENTS = (
    text_column("comment", "placement.comment", "the comment on the response"),
    text_column("item_comment", "rating.comment", "the comment on the whole item"),
    json_column(
        "facts",
        "COALESCE(looked_up.facts, '[]')",
        """the claims looked up, as a JSON list of objects. `claim`. `outcome`: `holds`, `refuted`
        or `undetermined`. `sources`: a list of addresses. `seconds`: from the start of the look-up
        to its outcome, by the server's clock; `null` if the claim was entered without a clock.
        `over_time`: whether it took all the time that the rubric allows, or more""",
    ),
)
_RATING = (
    integer_column("attempt", "rating.attempt", "0 for the first rating of the item"),
    word_column(
        "kind",
        "rating.kind",
        """`counted` fills one of the places that the project wants; `extra` fills none; `imported`
        came in a file""",
    ),
    word_column(
        "extra_because",
        "NULLIF(rating.extra_because, '')",
        """why a rating is `extra`. `full`: the item wanted no more ratings when it came.
        `dropped`: the lead had dropped the item. `again`: its annotator had rated the item
        already. `late`: its lease had ended more than 14 days before. `removed`: its annotator had
        been removed from the project with the item on the desk""",
    ),
    integer_column(
        "revision",
        "rating.revision",
        """1 for the first rating. Each correction adds one, supersedes the one before and is a
        rating of its own. Its `active_seconds`, `elapsed_seconds`, `started_at` and `submitted_at`
        are the correction's; the row of revision 1 has those of the first rating. `kind`, and so
        what counts, stays that of the first""",
    ),
    word_column(
        "view",
        "NULLIF(rating.view, '')",
        """how the texts were shown when the rating was submitted: `text`, `rendered`, or
        `difference` (as text, with marks on what another response does not have). Empty if no desk
        reported it""",
    ),
    integer_column(
        "active_seconds",
        "rating.active_seconds",
        """work on the item, as the browser measured it: seconds in which the page was in sight, not
        paused, and used (pointer, key, wheel, touch) within the last 60. It does not count while a
        warning covers the item. Never more than `elapsed_seconds`; empty if the browser runs no
        script""",
    ),
    integer_column(
        "elapsed_seconds",
        "rating.elapsed_seconds",
        "from `started_at` to `submitted_at`, pauses included",
    ),
    time_column(
        "started_at",
        "rating.started_at",
        """in UTC. A rating starts when its item is leased. A correction starts when its first
        change is saved, less the active seconds that the browser had counted by then, five minutes
        at most""",
    ),
    time_column("submitted_at", "rating.submitted_at", "in UTC"),
    text_column("file", "file.file_name", "the file from which a rating was imported"),
    integer_column("line", "rating.line", "its line in that file"),
)
# A question about a response, a candidate set or the whole item; or a decision of the annotator,
# who saw the answers of others.
AFTER_TALK = integer_column(
    "after_talk",
    """(rating.revision > 1 AND (EXISTS (
      SELECT FROM tasks_question AS question
      WHERE question.item_id = rating.item_id AND question.annotator_id = rating.annotator_id
        AND question.asked_at < rating.submitted_at
        AND (question.response_id = score.response_id OR question.response_id IS NULL
          AND (question.model = ''
            OR score.response_id IS NULL AND question.model = score.model)))
      OR EXISTS (
      SELECT FROM tasks_scoredecision AS decided
      WHERE decided.item_id = rating.item_id AND decided.decided_by_id = rating.annotator_id
        AND decided.decided_at < rating.submitted_at
        AND (decided.response_id = score.response_id OR decided.response_id IS NULL
          AND score.response_id IS NULL AND decided.model = score.model))))::int""",
    """1 if it is a correction that came after a question to its annotator about the target or the
    whole item, or after a decision of the annotator on the target, who then saw the answers of
    others; 0 for every other rating, and so for every first one""",
)
_WARNINGS = (
    text_column("warning", "item.warning", "the warning of the item"),
    text_column("batch_warning", "batch.warning", "the warning of its batch, as it is now"),
)

SCORES = (
    *ITEM_COLUMNS,
    *_TARGET,
    POSITION,
    _DIMENSION,
    integer_column("score", "score.value", "the score given in the dimension"),
    WITHOUT,
    text_column(
        "verdict",
        "array_to_string(score.open, ';')",
        "the scores that the rules left open, separated by `;`",
    ),
    text_column(
        "clause",
        "array_to_string(score.clauses, ';')",
        "the clauses of the rules that barred the others, separated by `;`",
    ),
    _BREAKS,
    text_column(
        "remarks",
        _REMARKS,
        "the remarks that were shown and not followed, as `CLAUSE: text`, separated by ` | `",
    ),
    text_column(
        "checks",
        "in_words.checks",
        """every answer as `check=answer`, in the rubric's order, separated by `;`. The lines of the
        persona that an answer is about come last: `contradicts.lines=1,3` names the first and the
        third""",
    ),
    text_column(
        "asked",
        _ASKED,
        """the program saw something in the text, its check was not ticked, and so it asked: the
        answer as `check=yes` or `check=no` (`repeats_itself=no`), separated by `;`""",
    ),
    text_column(
        "response_checks",
        "in_words.response_checks",
        "every answer about the whole response as `check=answer`, separated by `;`",
    ),
    *_COMMENTS,
    ANNOTATOR,
    *RUBRIC_COLUMNS,
    *_RATING,
    AFTER_TALK,
    *_WARNINGS,
)
# Before these come those of `of_dimension`, after `position`.
RATINGS = (
    *(*ITEM_COLUMNS, *_TARGET, POSITION, _BREAKS, *_COMMENTS, ANNOTATOR),
    *(*RUBRIC_COLUMNS, *_RATING, *_WARNINGS),
)
_FINAL = f"CASE WHEN decision.id IS NULL THEN {FINAL_OF_SCORES} ELSE decision.value END"
FINAL = integer_column(
    "final",
    _FINAL,
    """the score that stands: the lead's decision; else the one that all gave; else the median where
    they are near, of an even number the lower middle one. Empty where `final_source` is
    `incomplete` or `open`, and where “not applicable” stands""",
)
REASON = text_column(
    "reason",
    "NULLIF(decision.reason, '')",
    "the reason that the lead gave, who may name people in it; empty with pseudonyms",
)
CAUSE = text_column(
    "cause",
    "NULLIF(decision.cause, '')",
    """why people differed, as the lead says: `slip`, `rubric` (it is unclear), `judgement`,
    `context` (it is missing) or `item` (it is faulty)""",
)
DECIDED_BY = text_column(
    "decided_by",
    "decider.username",
    "the user name of who decided; empty with pseudonyms",
)
ITEMS = (
    *ITEM_COLUMNS,
    *_TARGET,
    _DIMENSION,
    integer_column(
        "n",
        "score.n",
        "how many current ratings that count score it; those without a score do not",
    ),
    number_column("mean", "score.mean", "the mean of their scores; empty for classes"),
    number_column("median", "score.median", "the median of their scores; empty for classes"),
    number_column(
        "sd",
        "score.sd",
        """the standard deviation of their scores, as a sample's (n − 1); empty if n is 1, and for
        classes""",
    ),
    integer_column(
        "majority",
        "score.majority",
        "the score that most of them give; empty if another is given as often",
    ),
    FINAL,
    text_column(
        "final_source",
        "CASE WHEN decision.id IS NULL THEN score.final_source ELSE 'decision' END",
        """where `final` comes from: `decision`, a lead decided; `incomplete`, the item wants more
        ratings; `single`, one was wanted; `agreed`, all gave the same; `near`, they lie nearer than
        the project's threshold; `open`, they differ. Empty if the item is dropped""",
    ),
    integer_column(
        "changed_since",
        "since.has_changed::int",
        "1 if other answers count than when it was decided; empty without a decision",
    ),
    DECIDED_BY,
    CAUSE,
    REASON,
    time_column("decided_at", "decision.decided_at", "in UTC"),
    integer_column(
        "decided_version",
        "decision.rubric_version",
        "the version of the rubric by which it was decided",
    ),
    *RUBRIC_COLUMNS,
    *_WARNINGS,
)
# For an export that asks for the median where scores differ.
FINAL_OR_MEDIAN = integer_column(
    FINAL.name,
    f"""CASE WHEN decision.id IS NULL AND score.final_source = 'open' THEN score.lower_median
      ELSE {_FINAL} END""",
    """the score that stands: the lead's decision; else the one that all gave; else the median, of
    an even number the lower middle one, also where people differ. Empty where `final_source` is
    `incomplete`, where classes differ, and where “not applicable” stands""",
)
WIDE = ITEM_COLUMNS  # and those of `of_person`
CORPUS_ANSWERS = (
    *ITEM_COLUMNS[:2],
    text_column("model", "corpus_answer.model", "the model that the answer is about"),
    text_column("dimension", "corpus_answer.dimension", "the dimension"),
    text_column("check", "corpus_answer.code", "the check"),
    text_column("answer", "corpus_answer.answer", "the answer"),
    replace(ANNOTATOR, meaning=ANNOTATOR.meaning.replace("rated", "answered")),
    integer_column(
        "revision",
        "corpus_answer.revision",
        "1 for the first answer; each change of it adds one",
    ),
    time_column("answered_at", "corpus_answer.answered_at", "in UTC"),
)
PRACTICE = (
    ITEM_COLUMNS[0],
    replace(
        ANNOTATOR,
        meaning="the user name of who practised, or with pseudonyms `rater-1` and so on; "
        "`newcomer-1` and so on for who has not rated",
    ),
    *RUBRIC_COLUMNS,
    integer_column("round", "round.number", "the round of that person, from 1"),
    text_column(
        "example",
        "answer.example",
        "the example: its dimension, its score and its place at that level",
    ),
    integer_column("score", "answer.score", "the score that the person gave"),
    integer_column("exact", "answer.is_exact::int", "1 if it is that of the example"),
    integer_column("within_one", "answer.is_near::int", "1 if it is that or next to it"),
    integer_column("automatic", "answer.is_automatic::int", "1 if a rule forces that score"),
    text_column("missed", "NULLIF(array_to_string(answer.missed, ';'), '')", "clauses missed"),
    integer_column("sees_otherwise", "answer.disagrees::int", "1 if the person disagrees"),
    json_column("answers", "answer.answers::text", "the answers, by the name of their field"),
    time_column("answered_at", "answer.answered_at", "in UTC"),
)
TEXTS = (
    json_column("persona", "item.persona::text", "the lines of the persona, as a JSON list"),
    text_column("system", "item.system", "the system prompt"),
    text_column("context", "item.context", "the context"),
    json_column(
        "messages",
        "item.messages::text",
        "the conversation, as a JSON list of objects with `role` and `text`",
    ),
    text_column("reference", "item.reference", "the reference answer"),
    text_column("source", "item.source", "where the item comes from"),
    text_column("response", "response.text", "the text of the response"),
    json_column(
        "candidates",
        _CANDIDATES,
        "the texts of the candidate set, as a JSON list in the order of the upload",
    ),
)
