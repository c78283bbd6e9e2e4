"""Problems in an author's and a client's words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

import dramaturg
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.problems import first_problem, real_problems, worded_problem
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.directions.direction import Direction
from dramaturg.server.completions.request import CompletionRequest
from dramaturg.server.routes.scenes import InlineScene
from dramaturg.server.routes.speech import SpeechWish
from dramaturg.workshop.foreman.actions.read_scene import ACTION as READ_SCENE
from dramaturg.workshop.graph.exchange import FORMAT, VERSION, from_json

Numbers = Annotated[tuple[int, ...], Field(min_length=2)]


def problems(value: object, kind: Any = Numbers) -> list[ErrorDetails]:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter[Any](kind).validate_python(value)
    return refused.value.errors()


def told(kind: Any, value: object) -> list[tuple[str, str]]:
    """Where each problem is, and what is wrong there."""
    found = real_problems(problems(value, kind), value)
    return [(".".join(map(str, one["loc"])), worded_problem(one)) for one in found]


def test_a_list_with_a_wrong_entry_is_not_called_too_short_and_a_short_one_is() -> None:
    assert [one["type"] for one in real_problems(problems([1, "x"]), [1, "x"])] == ["int_parsing"]
    assert [worded_problem(one) for one in real_problems(problems([1]), [1])] == ["expected at least 2 entries"]


def test_a_list_is_described_as_it_is_written_there() -> None:
    (found,) = problems("two")
    assert worded_problem(found) == "expected a list in brackets, such as [1, 2]"
    assert worded_problem(found, in_json=False) == "expected a list, one entry per line after a dash"


WHO = "expected a text"
LIST = "a list in brackets, such as [1, 2]"
MESSAGES = [{"role": "user", "content": [{"type": "text", "text": 3}]}, {"role": "user", "content": 4}]
SCENE = {"name": "x", "prompt": "x", "characters": ["a", "b"]}
SPEECH = {"model": "voice/default", "input": "Hello."}


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        # Of several kinds, the one that was written counts; if it is none of them, all are named.
        (CompletionRequest, {"model": "a", "messages": MESSAGES[:1]}, [("messages.0.content.0.text", WHO)]),
        (CompletionRequest, {"model": "a", "messages": MESSAGES[1:]}, [("messages.0.content", f"{WHO}, or {LIST}")]),
        (SpeechWish, SPEECH | {"voice": 3}, [("voice", f'{WHO}, or an object, such as {{"key": "value"}}')]),
        (SpeechWish, SPEECH | {"voice": {}}, [("voice.id", "this is missing; add it")]),
        # The tag that tells kinds apart is a value, not a place.
        (Direction, {"do": "exit"}, [("who", "this is missing; add it")]),
        (Direction, {"do": "exit", "who": 3}, [("who", WHO)]),
        (Direction, {}, [("", "'do' is missing; add it")]),
        (Settings, {"ensemble": {"osc": 3}}, [("ensemble.osc", f"{WHO}, or {LIST}")]),
        (Settings, {"ensemble": {"osc": ["10.0.0.5:7000", 3]}}, [("ensemble.osc.1", WHO)]),
        # What is wrong with a key and what is wrong with its value are two problems.
        (
            Settings,
            {"workshop": {"models": {"foo": 3}}},
            [
                (
                    "workshop.models.foo",
                    "expected 'architect', 'voice_calibration', 'director' or 'editor', "
                    "or 'tournament', 'drafting', 'judge' or 'extraction'",
                ),
                ("workshop.models.foo", WHO),
            ],
        ),
        # Both spellings of a key are the writer's.
        *(
            (InlineScene, SCENE | {key: "many"}, [(key, "expected a whole number")])
            for key in ("maxBeats", "max_beats")
        ),
    ],
)  # fmt: skip
def test_a_place_has_only_what_was_written(kind: Any, given: object, expected: list[tuple[str, str]]) -> None:
    assert told(kind, given) == expected


def test_a_tag_that_there_is_not_is_answered_with_those_that_there_are() -> None:
    ((where, problem),) = told(Direction, {"do": "dance" * 10})
    assert where == ""
    assert problem.startswith(f"'do' cannot be '{'dance' * 8}'; expected 'event', 'note', ")


def test_a_key_that_happens_to_be_called_like_a_type_is_a_place() -> None:
    assert told(dict[str, int | tuple[int, ...]], {"str": [1, "x"]}) == [("str.1", "expected a whole number")]


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (Numbers, [1, "x"], "'1': expected a whole number (found 'x')"),
        (Numbers, [1], "'the numbers': expected at least 2 entries (found [1])"),
        (SpeechWish, SPEECH | {"voice": {}}, "'voice.id' is missing"),
        (Direction, {"do": "dance", "who": 3}, "'the numbers': 'do' cannot be 'dance'; expected 'event', "),
        (Settings, {"ensemble": {"ocs": 3}}, "'ensemble.ocs': there is no such field; remove it, or correct its name"),
    ],
)
def test_the_first_problem_is_said_with_its_place_and_what_was_found(kind: Any, given: object, said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter[Any](kind).validate_python(given)
    assert first_problem(refused.value, given, "the numbers").startswith(said)


def test_an_action_of_the_foreman_and_a_graph_name_places_that_were_written() -> None:
    with pytest.raises(InvalidConfig) as action:
        READ_SCENE.read({"target": "1.1", "From": "soon"})
    assert action.value.message == "read_scene: 'from': expected a whole number (found 'soon')."
    graph = {"format": FORMAT, "version": VERSION, "entities": [3]}
    with pytest.raises(InvalidConfig) as entity:
        from_json(json.dumps(graph).encode())
    assert entity.value.message == (
        '\'entities.0\': expected an object, such as {"key": "value"} (found 3). Nothing was imported.'
    )


def test_the_validators_own_words_are_read_in_one_module_only() -> None:
    source = Path(dramaturg.__file__).parent
    readers = [file for file in source.rglob("*.py") if '["msg"]' in (text := file.read_text()) or "['msg']" in text]
    assert readers == [source / "kernel" / "problems.py"]
