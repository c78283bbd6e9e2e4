"""Directions as people type them."""

from __future__ import annotations

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.scenes.author.typed import COMMANDS, read_direction
from dramaturg.scenes.directions.direction import DIRECTIONS
from dramaturg.scenes.events import CastMember, SceneOpened
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.state import SceneState

NAMES = {"ruth": "Ruth Calloway", "bob": "Bob", "old-tom": "Old Tom"}


@pytest.fixture(scope="module")
def state() -> SceneState:
    cast = tuple(CastMember(name=name, display_name=shown, model="m") for name, shown in NAMES.items())
    config = scene_from({"name": "s", "prompt": "p", "characters": list(NAMES)})
    opened = SceneOpened(config=config, cast=cast, opener="bob", goals=(), director="m", seed=1, folder="f")
    return SceneState(opened=opened, members={member.name: member for member in cast})


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("/event The lights go out.", {"do": "event", "text": "The lights go out."}),
        ("EVENT  rain ", {"do": "event", "text": "rain"}),
        ("/note Bob Whisper.", {"do": "note", "to": "bob", "text": "Whisper."}),
        ("/note Bob: Whisper.", {"do": "note", "to": "bob", "text": "Whisper."}),
        ("/note Ruth Calloway Bob is lying", {"do": "note", "to": "ruth", "text": "Bob is lying"}),
        ("/note ruth Bob is lying", {"do": "note", "to": "ruth", "text": "Bob is lying"}),
        ("/note old-tom sit", {"do": "note", "to": "old-tom", "text": "sit"}),
        ("/note Old Tom sit", {"do": "note", "to": "old-tom", "text": "sit"}),
        ("/note all Faster.", {"do": "note", "text": "Faster."}),
        ("/note Everybody: faster", {"do": "note", "text": "faster"}),
        ("/next Calloway", {"do": "next", "who": "ruth"}),
        ("mute tom", {"do": "mute", "who": "old-tom"}),
        ("/unmute Bob", {"do": "unmute", "who": "bob"}),
        ("/enter Ruth", {"do": "enter", "who": "ruth"}),
        ("/exit Ruth Calloway Ruth slams the door", {"do": "exit", "who": "ruth", "text": "Ruth slams the door"}),
        ("/pause", {"do": "pause"}),
        ("/step", {"do": "step"}),
        ("/go", {"do": "go"}),
        ("/more 5", {"do": "more", "beats": 5}),
        ("/end", {"do": "end"}),
        ("/budget 2.50", {"do": "budget", "usd": 2.5}),
        ("/budget $3", {"do": "budget", "usd": 3.0}),
        ("/budget 20,000 tokens", {"do": "budget", "tokens": 20000}),
        ("/budget 20000", {"do": "budget", "tokens": 20000}),
        ("/budget 1 250 000", {"do": "budget", "tokens": 1250000}),
        ("/budget 2.5", {"do": "budget", "usd": 2.5}),
        ("/budget .75", {"do": "budget", "usd": 0.75}),
        ("/budget $1,250.50", {"do": "budget", "usd": 1250.5}),
        ("/budget 3 USD", {"do": "budget", "usd": 3.0}),
        ("/budget $0.005", {"do": "budget", "usd": 0.005}),
        ("/goal Ruth confesses; Bob leaves", {"do": "goal", "text": "Ruth confesses; Bob leaves"}),
    ],
)
def test_a_direction_is_read_as_it_is_meant(typed: str, asked: dict[str, object], state: SceneState) -> None:
    assert read_direction(typed, state) == DIRECTIONS.validate_python(asked)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("/evnt rain", "no direction 'evnt'. Did you mean 'event'?"),
        ("/dance", "There are: event, note, next"),
        ("/event", "'event' needs more: event TEXT"),
        ("/note Bpb whisper", "'Bpb' is nobody of this scene (Ruth Calloway, Bob, Old Tom). Did you mean 'Bob'?"),
        ("/note Bob", "cannot be read"),
        ("/more many", "'more many' cannot be read"),
        ("/more 0", "expected at least 1."),
        ("/more 99999", "expected at most 200."),
        ("/budget lots", "'lots' is no budget"),
        ("/budget $nan", "'$nan' is no budget"),
        ("/budget $inf", "'$inf' is no budget"),
        ("/budget 0", "'0' is no budget"),
        ("/budget 2", "too few for one answer. Write $2 for dollars."),
        ("/budget 1.5.5", "no budget"),
        ("/budget 20.000", "'20.000' can be read in two ways. Write 20000 for tokens, or $20.00 for dollars."),
        ("/budget 20.000 tokens", "'20.000 tokens' can be read in two ways. Write 20000 for tokens"),
        ("/budget $20.000", "'$20.000' can be read in two ways. Write $20000 or $20.00."),
        ("/budget 2,50", "'2,50' is no budget"),
        ("/budget 0.0125", "'0.0125' is no budget"),
        ("/budget 2.50 tokens", "'2.50 tokens' is no budget"),
        ("/budget $3 tokens", "'$3 tokens' is no budget"),
        ("/mute", "'mute' needs more: mute NAME"),
    ],
)
def test_what_cannot_be_read_is_said_with_the_way_to_put_it(typed: str, says: str, state: SceneState) -> None:
    with pytest.raises(InvalidConfig) as refused:
        read_direction(typed, state)
    assert says in refused.value.message


def test_every_direction_can_be_typed() -> None:
    choices = {variant["properties"]["do"]["const"] for variant in DIRECTIONS.json_schema()["$defs"].values()}
    assert set(COMMANDS) == choices
