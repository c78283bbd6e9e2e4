"""Every tier knows what it may do: the actions with the values they accept, an example, and all guardrails."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from dramaturg.kernel.models.profiles import Tier
from dramaturg.kernel.text.words import content
from dramaturg.workshop.book.bible import TEMPLATES
from dramaturg.workshop.book.decisions import Category
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.action_list import action_list
from dramaturg.workshop.foreman.actions import actions_offered
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.notebooks import NotebookListing
from tests.workshop.books import the_last_starship

OURS = PromptFiles(Path("no-project"))
TIERS = get_args(Tier)


def rules(mode: Mode, tier: Tier) -> str:
    book = the_last_starship(mode)
    return OURS.mode_rules(book, tier, actions_offered(book))


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("mode", Mode)
def test_a_model_of_any_tier_is_told_the_six_categories(mode: Mode, tier: Tier) -> None:
    told = rules(mode, tier)
    assert all(re.search(rf"\b{category}\b", told) for category in get_args(Category))


@pytest.mark.parametrize("tier", TIERS)
def test_a_model_of_any_tier_is_told_the_four_templates_and_their_fields(tier: Tier) -> None:
    told = rules(Mode.ARCHITECT, tier)
    for name, template in TEMPLATES.items():
        assert re.search(rf"\b{name}\b", told)
        named = [field for field in template.fields if not re.fullmatch(r"beat_(?:[2-9]|1[0-4])", field)]
        assert all(re.search(rf"\b{field}\b", told) for field in named)


def test_a_notebook_is_named_where_it_can_be_asked() -> None:
    book = the_last_starship(Mode.EDITOR)
    book = book.model_copy(update={"notebooks": (NotebookListing(id="tides", role="world_building"),)})
    for tier in ("medium", "minimal"):
        assert "notebook_id: tides" in OURS.mode_rules(book, tier, actions_offered(book))


@pytest.mark.parametrize("tier", TIERS)
def test_every_tier_has_a_whole_example_of_an_action(tier: Tier) -> None:
    told = OURS.protocols(tier)
    assert re.search(r'<action type="save_decision">\s*<category>character</category>.*?</action>', told, re.S)


def never_lines(mode: Mode) -> list[str]:
    """The guardrails of a mode, as its whole rules list them."""
    listed = rules(mode, "full").partition("NEVER\n")[2].partition("\n\n")[0]
    return [line.removeprefix("- ") for line in listed.splitlines()]


def test_there_are_fifteen_guardrails() -> None:
    assert sum(len(never_lines(mode)) for mode in Mode) == 15


@pytest.mark.parametrize("mode", Mode)
def test_the_short_rules_have_every_guardrail_of_the_mode(mode: Mode) -> None:
    assert all(line in rules(mode, "medium") for line in never_lines(mode))
    short = rules(mode, "minimal").partition("NEVER ")[2].partition(". ALWAYS")[0].split(";")
    assert len(short) == len(never_lines(mode))
    for brief, line in zip(short, never_lines(mode), strict=True):
        assert set(content(brief)) & set(content(line))


@pytest.mark.parametrize("room", [0, 60, 120, 250])
def test_where_room_is_short_what_is_optional_goes_and_the_values_stay(room: int) -> None:
    book = the_last_starship(Mode.ARCHITECT)
    offered: Any = actions_offered(book)
    told = action_list(offered, book, room, in_full=True)
    assert "beat_1 to beat_15" in told
    assert "character|world" in told
    assert ("source" in told) == (room == 250)
