"""Reading what a model claims to have found: whatever it writes, something is read or nothing, and nothing raises."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.consolidation.claims import MOST_CLAIMS, FactClaim, read_claims

FACT = {"subject": "Elena", "predicate": "Eye Colour", "object": "green", "quote": "her green eyes"}
READ = FactClaim(subject="Elena", predicate="eye_colour", object="green", quote="her green eyes")


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"facts": [FACT]}),
        json.dumps([FACT]),
        json.dumps(FACT),
        f"Here is what I found:\n```json\n{json.dumps({'facts': [FACT]}, indent=2)}\n```\nI hope this helps.",
        f"<think>maybe {{'facts'}}</think>{json.dumps({'claims': [FACT]})}",
        json.dumps({"facts": [FACT, FACT]}),
        json.dumps({"facts": [FACT, {**FACT, "subject": "Ruth"}]})[:-60],
        json.dumps({"nodes": [], "edges": [{"source": "Elena", "relation": "eye colour", "target": "green"} | FACT]}),
    ],
)
def test_a_claim_is_read_however_it_is_wrapped(answer: str) -> None:
    assert read_claims(answer).facts == (READ,)


def test_claims_without_words_are_counted_and_surplus_ones_too() -> None:
    bare = [{"subject": "Elena", "predicate": "age", "object": 41}, {"quote": "x"}, 7, None, ["a"], {"subject": {}}]
    read = read_claims(json.dumps({"facts": [*bare, FACT]}))
    assert (read.facts, read.unreadable) == ((READ,), 4)  # what says nothing counts once
    many = read_claims(json.dumps({"facts": [{**FACT, "object": str(number)} for number in range(5000)]}))
    assert (len(many.facts), many.surplus) == (MOST_CLAIMS, 5000 - MOST_CLAIMS)


def test_further_names_are_read_beside_facts() -> None:
    names = [{"name": "Elena", "alias": "Lena", "quote": "Elena, called Lena"}]
    names += [{"name": "Elena", "aliases": ["Mrs Vance", 3], "quote": "Elena, Mrs Vance"}, {"name": "Ruth"}]
    read = read_claims(json.dumps({"names": names, "facts": []}))
    assert [one.alias for one in read.names] == ["Lena", "Mrs Vance", "3"]
    assert read.unreadable == 1


def test_prose_alone_is_no_answer_and_an_empty_list_is_one() -> None:
    assert not read_claims("Elena has green eyes, and that is all.").found
    assert read_claims('{"facts": []}').found
    assert read_claims("[]").found


@given(st.text(max_size=400) | st.recursive(st.none() | st.text() | st.floats(), st.lists).map(json.dumps))
def test_any_answer_is_read_without_an_error(answer: str) -> None:
    read = read_claims(answer)
    assert all(one.subject and one.predicate and one.quote for one in read.facts)


def test_an_empty_answer_is_no_claim() -> None:
    read = read_claims("{}")
    assert (read.found, read.unreadable, read.facts) == (True, 0, ())
