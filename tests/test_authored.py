"""Files that people write: whatever is wrong with one is the author's to fix, and the message says where."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from dramaturg.authored import AuthoredForm, known_files, named_file
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.episodes.series import all_series, named_series
from dramaturg.episodes.template import all_templates, named_template
from dramaturg.kernel.errors import AuthorError, InvalidConfig, NotFound
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_json, parse_yaml
from dramaturg.kernel.values import Value, WireValue
from dramaturg.scenes.scene import known_scenes, named_scene, scene_from

Read = Callable[[Path], object]
KINDS: dict[str, tuple[str, Read]] = {
    "scene": ("scenes/x.yaml", lambda project: named_scene(project, "x")),
    "episode": ("episodes/x.yaml", lambda project: named_template(project, "x")),
    "series": ("series/x.yaml", lambda project: named_series(project, "x")),
    "ensemble": ("ensemble.yaml", read_ensemble),
}
ALL_KINDS = pytest.mark.parametrize(("file", "read"), KINDS.values(), ids=KINDS)


def refused(project: Path, file: str, read: Read, data: bytes) -> str:
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    with pytest.raises(InvalidConfig) as error:
        read(project)
    error.value.message.encode()
    assert str(project) not in error.value.message
    assert error.value.context["file"] == file
    return error.value.message


@ALL_KINDS
@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        pytest.param(b"[" * 3000, "line 1, column 51", "more than 50 levels", id="deep in brackets"),
        pytest.param(b"- " * 3000 + b"x", "line 1, column 101", "more than 50 levels", id="deep in dashes"),
        pytest.param(b"name: x\nprompt: 2024-13-45\n", "line 2, column 9", "not a valid timestamp", id="no date"),
        pytest.param(b"prompt: !!bool maybe", "line 1, column 9", "not a valid bool", id="no boolean"),
        pytest.param(b"prompt: !!timestamp soon", "line 1, column 9", "not a valid timestamp", id="no timestamp"),
        pytest.param(b"seed: " + b"9" * 5000, "line 1, column 7", "not a valid int", id="a number too long"),
        pytest.param(b"name: !!python/object:os.system x", "line 1, column 7", "python/object", id="a tag of Python"),
        pytest.param(b'\nname: "\\ud800"', "line 2, column 7", "half of a surrogate pair", id="a lone surrogate"),
        pytest.param(b'? "\\ud800"\n: 1', "line 1, column 3", "half of a surrogate pair", id="in a key"),
        pytest.param(b"name: x\nprompt: caf\xe9\n", "line 2, byte 19", "not UTF-8", id="Latin-1"),
        pytest.param(b"name: x\n\tprompt: y", "line 2, column 1", "cannot start any token", id="a tab"),
        pytest.param(b"name: x\nprompt: a\x00b", "line 2, column 10", "U+0000", id="a control character"),
        pytest.param(b"name: &a [*a]", "line 1, column 11", "itself a part of", id="an alias of itself"),
        pytest.param(b"name: 'x", "line 1, column 9", "end of stream", id="a quotation mark too few"),
        pytest.param(b"name: 'x", "line 1, column 9", "a quotation mark is opened and not closed", id="and why"),
        pytest.param(b"name: x: y", "line 1, column 8", "put a text that contains a colon in quotes", id="a colon"),
        pytest.param(b"name: x\n\ty: z", "line 2, column 1", "indent with spaces", id="a tab for spaces"),
        pytest.param(b"name: x\n---\na: b", "line 2, column 1", "found another document; a file holds one", id="two"),
    ],
)
def test_a_file_that_cannot_be_parsed_is_named_with_the_place(
    tmp_path: Path, file: str, read: Read, text: bytes, place: str, problem: str
) -> None:
    message = refused(tmp_path, file, read, text)
    assert message.startswith(f"{file}, {place}: ")
    assert problem in message


@ALL_KINDS
@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(b"", "found nothing", id="empty"),
        pytest.param(b"- 1", "found a list", id="a list"),
        pytest.param(b"just words", "found 'just words'", id="prose"),
        pytest.param(b"name: [1, 2]", "'name': expected a text (found [1, 2])", id="the wrong type"),
        pytest.param(
            b"name: 2024-12-24", "'name': expected a text (found 2024-12-24). Put it in quotes.", id="a date for a text"
        ),
        pytest.param(
            b"name: 1999", "'name': expected a text (found 1999). Put it in quotes.", id="a number for a text"
        ),
        pytest.param(b"name: no", "YAML reads yes, no, on and off as true and false: put the word in quotes.", id="no"),
        pytest.param(b"name:", "'name': expected a text (found nothing).", id="a key without a value"),
        pytest.param(b"x: 1" + b" " * 2_000_000, "is larger than", id="a file too large"),
    ],
)
def test_a_file_that_is_something_else_is_named(tmp_path: Path, file: str, read: Read, text: bytes, said: str) -> None:
    message = refused(tmp_path, file, read, text)
    assert message.startswith(file)
    assert said in message


@ALL_KINDS
def test_a_folder_or_nothing_in_place_of_a_file_is_an_authors_error(tmp_path: Path, file: str, read: Read) -> None:
    (tmp_path / file).mkdir(parents=True)
    with pytest.raises(InvalidConfig, match=f"^{file} cannot be read"):
        read(tmp_path)


def test_a_bomb_of_aliases_is_refused_before_it_is_written_out(tmp_path: Path) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    message = refused(tmp_path, *KINDS["scene"], "\n".join(rows).encode())
    assert "scenes/x.yaml, line 5, column 5: more than 50,000 values" in message


def test_aliases_and_merges_are_read_as_ever() -> None:
    assert parse_yaml("a: &x [1]\nb: *x\n<<: {c: 2}") == {"a": [1], "b": [1], "c": 2}


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("[" * 3000, "line 1, column 51", "more than 50 levels"),
        ('{"a": "\\ud800"}', "line 1, column 8", "half of a surrogate pair"),
        ('{"a":\n "x\\udc00\\ud83d\\ude00"}', "line 2, column 4", "half of a surrogate pair"),
        ('{"a": ' + "1" * 5000 + "}", "line 1, column 7", "more than 4300 digits"),
        ('{"a": 1,\n}', "line 2, column 1", "property name"),
        ('{"a": "x', "line 1, column 7", "Unterminated string"),
    ],
)
def test_json_says_where_too(text: str, place: str, problem: str) -> None:
    with pytest.raises(MalformedTextError) as error:
        parse_json(text)
    assert error.value.place == place
    assert problem in error.value.problem


def test_json_keeps_its_surrogate_pairs_and_backslashes() -> None:
    assert parse_json('["\\ud83d\\ude00", "\\\\ud800", "[[[["]') == ["😀", "\\ud800", "[[[["]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES, st.booleans())
def test_what_was_written_as_json_is_read_back(value: object, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=120)
    | st.text("[]{}-:!&*?#'\"\\ud80\n\t x1", max_size=60)
)
def test_any_text_is_a_value_or_malformed(text: str) -> None:
    for parse in (parse_yaml, parse_json):
        place = ""
        try:
            parse(text)
        except MalformedTextError as error:
            place = error.place
        assert re.fullmatch(r"(line \d+, column \d+)?", place)


class Inner(WireValue):
    far_off: int = 0


class Outer(WireValue):
    name: str
    size: int
    inner: Inner | None = None
    parts: Mapping[str, Inner] = Field(default_factory=dict)
    many: tuple[Inner, ...] = ()


FORM = AuthoredForm(Outer, "outline")


def problems(raw: object) -> list[str]:
    with pytest.raises(InvalidConfig) as error:
        FORM.value(raw, where="o.yaml")
    return error.value.message.splitlines()


def test_every_problem_has_a_sentence() -> None:
    assert problems({"size": "big", "inner": {"far_of": 1}, "colour": "red"}) == [
        "o.yaml: 'far_of' is not a key of an outline under 'inner'. Did you mean 'far_off'?",
        "o.yaml: 'colour' is not a key of an outline. Known keys: name, size, inner, parts, many.",
        "o.yaml: 'name' is missing. Add it.",
        "o.yaml: 'size': expected a whole number (found 'big').",
    ]


def test_a_mistyped_key_is_not_also_missing() -> None:
    assert problems({"nmae": "x", "size": 1}) == ["o.yaml: 'nmae' is not a key of an outline. Did you mean 'name'?"]


@pytest.mark.parametrize(
    ("raw", "under"),
    [
        ({"parts": {"size": {"farOf": 1}}}, "parts.size"),
        ({"many": [{"farOff": 1}, {"farOf": 2}]}, "many.1"),
        ({"inner": {"farOf": 1}}, "inner"),
    ],
)
def test_keys_are_looked_up_where_they_stand(raw: dict[str, object], under: str) -> None:
    assert f"under '{under}'. Did you mean 'farOff'?" in problems({"name": "x", "size": 1} | raw)[0]


def test_a_long_list_of_problems_ends() -> None:
    found = problems({f"key{number}": 1 for number in range(9)})
    assert len(found) == 6
    assert found[-1] == "o.yaml: and 6 more."


def test_a_value_as_long_as_a_novel_is_shown_in_short() -> None:
    assert len(problems({"name": "x", "size": ["word " * 1000] * 1000})[0]) < 200


class Named(Value):
    name: str


def test_yaml_goes_before_json_and_the_nearest_name_is_offered(tmp_path: Path) -> None:
    for name in ("boat.json", "boat.yml", "boat.yaml", "mill.json", "notes.txt"):
        (tmp_path / name).write_text('{"name": "x"}', encoding="utf-8")
    assert {name: path.name for name, path in known_files(tmp_path).items()} == {
        "boat": "boat.yaml",
        "mill": "mill.json",
    }
    with pytest.raises(NotFound, match=r"^Thing 'mil' not found\. Did you mean 'mill'\?$"):
        named_file(tmp_path, "mil", "thing")
    with pytest.raises(NotFound, match=r"There is none in nowhere/ yet\."):
        named_file(tmp_path / "nowhere", "mill", "thing")


def test_what_an_empty_folder_says_is_made_only_for_an_empty_folder(tmp_path: Path) -> None:
    def unwanted() -> str:
        raise AssertionError

    (tmp_path / "scenes").mkdir()
    with pytest.raises(NotFound, match=r"Scene 'x' not found\. Nothing here\."):
        named_file(tmp_path / "scenes", "x", "scene", if_none=lambda: "Nothing here.")
    (tmp_path / "scenes" / "x.yaml").write_text("", encoding="utf-8")
    assert named_file(tmp_path / "scenes", "x", "scene", if_none=unwanted).name == "x.yaml"
    with pytest.raises(NotFound, match="Known here: x"):
        named_file(tmp_path / "scenes", "other", "scene", if_none=unwanted)


def test_a_file_may_go_without_a_name(tmp_path: Path) -> None:
    (tmp_path / "boat.yaml").write_text("{}", encoding="utf-8")
    assert AuthoredForm(Named, "boat").read(tmp_path / "boat.yaml") == Named(name="boat")
    with pytest.raises(InvalidConfig, match=r"boat\.yaml: 'name' is missing"):
        AuthoredForm(Named, "boat", named_by_file=False).read(tmp_path / "boat.yaml")
    with pytest.raises(NotFound, match=r"^Boat file .*gone\.yaml does not exist\.$"):
        AuthoredForm(Named, "boat").read(tmp_path / "gone.yaml")


def test_one_file_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    good = {
        "scenes": "prompt: They talk.\ncharacters: [a, b]",
        "episodes": "character: a",
        "series": "episodes: [good]",
    }
    for folder, text in good.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "good.yaml").write_text(text, encoding="utf-8")
        (tmp_path / folder / "bad.yaml").write_text("[" * 3000, encoding="utf-8")
    assert known_scenes(tmp_path) == ("bad", "good")
    assert named_scene(tmp_path, "good").name == "good"
    for folder in (all_templates(tmp_path), all_series(tmp_path)):
        assert [one.name for one in folder.values] == ["good"]
        assert [one.name for one in folder.unreadable] == ["bad"]
        assert "bad.yaml, line 1, column 51" in folder.unreadable[0].problem


@given(st.recursive(st.none() | st.text(max_size=5) | st.integers(), lambda inner: st.lists(inner, max_size=3)))
def test_any_value_is_a_scene_or_an_authors_error(raw: object) -> None:
    with pytest.raises(AuthorError):
        scene_from({"name": raw, "prompt": raw, "characters": raw, "parts": raw})
