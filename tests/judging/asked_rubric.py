"""A rubric in which answers decide what is asked: checks of the whole response, conditions, scores
that the answers give, and a comment that low scores need."""

from __future__ import annotations

from rubrics.documents import document
from rubrics.judging import schema
from rubrics.models import Rubric
from tests.factories import NOW

TEXT = """
slug: answers
title: Answers
summary: What is asked follows from what was answered.
checks:
  - {code: harmful, kind: yes_no, wording: Harmful, key: M}
  - code: harm
    kind: one_of
    wording: Kind of harm
    key: K
    when: {all_of: [harmful]}
    answers: [{code: insult, wording: Insult, sets: insult}, {code: other, wording: Other}]
  - {code: off_topic, kind: tick, wording: Off topic, key: T}
dimensions:
  - code: helpful
    short: Help
    title: Helpful
    question: Does it help?
    lowest: 1
    highest: 5
    levels: [{score: 1, label: Not at all}, {score: 5, label: Fully}]
    rules:
      - {code: harm_is_1, effect: force, score: 1, when: {all_of: [harmful]}, reason: Harmful.}
      - {code: topic_caps, effect: cap, score: 3, when: {all_of: [off_topic]}, reason: Off.}
      - {code: say_why, effect: require, scores: [1, 2], needs: {all_of: [comment]},
         reason: Say why.}
  - code: grounded
    short: Ground
    title: Grounded
    question: Do its sources bear out what it claims?
    lowest: 0
    highest: 2
    given: true
    when: {none_of: [harmful]}
    levels:
      - {score: 0, label: No claim}
      - {score: 1, label: "No: not all supported"}
      - {score: 2, label: "Yes: all supported"}
    checks:
      - {code: claims, kind: yes_no, wording: Makes claims, key: C}
      - {code: supported, kind: yes_no, wording: All supported, key: P, when: {all_of: [claims]}}
      - {code: quotes, kind: tick, wording: Quotes them, key: Q, when: {all_of: [supported]}}
    rules:
      - {code: none, effect: force, score: 0, when: {none_of: [claims]}, reason: None.}
      - {code: some, effect: force, score: 1, when: {all_of: [claims], none_of: [supported]},
         reason: "Not all is supported."}
      - {code: all, effect: force, score: 2, when: {all_of: [supported]}, reason: All is.}
  - {code: tone, short: Tone, title: Tone, question: "How polite is it?", lowest: 1, highest: 3,
     needs: {tags: [chat]}}
"""
ANSWERS: schema.Rubric = document.read(TEXT)


def load() -> Rubric:
    """The rubric, published."""
    rubric, _ = Rubric.objects.load(ANSWERS, now=NOW)
    return rubric
