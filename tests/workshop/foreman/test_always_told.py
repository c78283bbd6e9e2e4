"""What no prompt may lose: the protagonist's flaw and lie, what a mode always tells, and a refusal."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.models.profiles import Tier
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.workshop.book.book import Antipattern, HealthAlert, Mishap, VoiceContext
from dramaturg.workshop.book.knowledge import known_facts
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book.ranked_knowledge import Knowledge
from dramaturg.workshop.book.retrieval import ranked
from dramaturg.workshop.book.scaffold import FIELDS, LISTS, Scaffold
from dramaturg.workshop.foreman.budgets import BUDGETS
from dramaturg.workshop.foreman.session_state import SCAFFOLD_TOKENS, session_state
from tests.workshop.books import decision, the_last_starship

TIERS = get_args(Tier)
ALWAYS = {
    Mode.ARCHITECT: {"project", "work_order", "notebooks"},
    Mode.VOICE_CALIBRATION: {"project", "work_order", "voice_context"},
    Mode.DIRECTOR: {"project", "active_context", "voice_context", "scene_context"},
    Mode.EDITOR: {"project", "active_context", "voice_context"},
}
MICKEY = [
    decision(1, "mickey_fatal_flaw", "Mickey's fatal flaw is pride"),
    decision(2, "mickey_the_lie", "Nobody loves a loser"),
]
OTHERS = ["ann", "bo", "cy", "dee", "eve", "fay", "gus", "hal"]


@st.composite
def crowds(draw: st.DrawFn):  # type: ignore[no-untyped-def]
    """Any number of other characters, decisions, corrections, refusals, alerts and phrases that are banned."""
    words = st.text(min_size=1, max_size=200) | st.just("word " * 200)
    said = draw(st.lists(words, min_size=1, max_size=6))
    kinds = draw(st.lists(st.sampled_from(["fact", "correction", "preference", "continuity"]), max_size=40))
    others = [decision(10 + n, f"{name}_fatal_flaw", f"{name} drinks") for n, name in enumerate(OTHERS)]
    more = [decision(100 + n, f"thing_{n}", said[n % len(said)], "character", kind) for n, kind in enumerate(kinds)]
    severities = st.sampled_from(["zero_tolerance", "deduction"])
    phrases = [Antipattern(severity=draw(severities), text=said[0]) for _ in range(draw(st.integers(0, 40)))]
    refused = [Mishap(what=f"save_decision: {one}", quote=one) for one in said[: draw(st.integers(0, 6))]]
    alerts = [HealthAlert(severity="critical", check="unreadable_file", text=one) for one in said]
    return [*others, *more], phrases, refused, alerts


@pytest.mark.parametrize("tier", TIERS)
@given(crowd=crowds(), mode=st.sampled_from(Mode))
def test_the_protagonists_flaw_and_lie_and_what_a_mode_always_tells_are_in_every_prompt(  # type: ignore[no-untyped-def]
    tier: Tier, crowd, mode: Mode
) -> None:
    decisions, phrases, refused, alerts = crowd
    book = the_last_starship(mode)
    known = known_facts((), [*decisions, *MICKEY], "Mickey Bardot").entries
    full = book.model_copy(
        update={
            "project": book.project.model_copy(update={"protagonist": "Mickey Bardot"}),
            "knowledge": ranked(known, "What does Ann drink?"),
            "voice": VoiceContext(locked=True, antipatterns=tuple(phrases)),
            "mishaps": tuple(refused),
            "alerts": tuple(alerts),
            "bundle": None,
            "scaffold": book.scaffold,
        }
    )
    told = session_state(full, tier, BUDGETS[tier].session_state)
    root = ET.fromstring(told.xml)
    entries = [one.text for one in root.iter("entry")]
    assert {"Mickey's fatal flaw is pride", "Nobody loves a loser"} <= set(entries)
    if tier != "minimal":
        assert ALWAYS[mode] <= {part.tag for part in root}
    assert bool(refused) == (root.find(".//refused") is not None)
    assert estimate_tokens(told.xml) <= BUDGETS[tier].session_state + told.apart


def test_of_forty_banned_phrases_the_most_severe_are_told_first() -> None:
    phrases = [Antipattern(severity="deduction", text=f"a slack habit {n}") for n in range(40)]
    phrases += [Antipattern(severity="zero_tolerance", text=f"a word never used {n}") for n in range(6)]
    book = the_last_starship(Mode.EDITOR)
    book = book.model_copy(update={"voice": VoiceContext(locked=True, antipatterns=tuple(phrases)), "bundle": None})
    for tier, fewest in (("full", 10), ("medium", 3)):
        root = ET.fromstring(session_state(book, tier, BUDGETS[tier].session_state).xml)
        told = [one.get("severity") for one in root.iter("pattern")]
        assert len(told) >= fewest
        assert told[: min(6, len(told))] == ["zero_tolerance"] * min(6, len(told))


def test_a_flaw_of_ten_thousand_words_is_told_by_its_beginning_and_that_is_a_blind_spot() -> None:
    long = "She trusts nobody. " + "And this goes on without an end in sight, " * 500
    known = known_facts((), [decision(1, "elena_fatal_flaw", long[:4000])], "Elena Vance").entries
    book = the_last_starship(Mode.ARCHITECT).model_copy(update={"knowledge": Knowledge(known)})
    for tier in TIERS:
        told = session_state(book, tier, BUDGETS[tier].session_state)
        assert "She trusts nobody." in told.xml
        assert [one.key for one in told.cut] == ["elena_fatal_flaw"]


@pytest.mark.parametrize("tier", ["full", "medium", "minimal"])
@pytest.mark.parametrize(
    "text", ["The lamp goes out and nobody says a word. " * 60, "漢字かな交じり文。" * 200, "<&>x" * 300]
)
def test_a_scaffold_of_long_fields_keeps_to_its_own_budget(tier: Tier, text: str) -> None:
    long = Scaffold.model_validate(
        {"scaffold_id": "ch04-sc02" * 20, "notes": {f"note {number}": text for number in range(30)}}
        | {name: [f"{text}{number}" for number in range(9)] if name in LISTS else text for name in FIELDS}
        | {"word_target": 2500}
    )
    book = the_last_starship(Mode.DIRECTOR).model_copy(update={"scaffold": long, "bundle": None})
    told = session_state(book, tier, BUDGETS[tier].session_state)
    assert told.apart <= SCAFFOLD_TOKENS[tier]
    assert estimate_tokens(told.xml) <= BUDGETS[tier].session_state + SCAFFOLD_TOKENS[tier]
    plan = ET.fromstring(told.xml).find("active_scaffold")
    assert plan is not None
    assert {"beat_alignment", "scene_goal", "protagonist_constraint"} <= {part.tag for part in plan}
