"""Cards of other programs, read from their files and written to each of them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from PIL import Image

from dramaturg.characters.tavern.card import tavern_card
from dramaturg.characters.tavern.file import (
    charx_file,
    json_file,
    members_of,
    picture_of,
    png_file,
    read_card_file,
    with_icon,
    without_archive,
)
from dramaturg.characters.tavern.png import read_chunks
from dramaturg.characters.tavern.portrait import drawn_portrait
from dramaturg.characters.tavern.versions import converted
from dramaturg.kernel.errors import CharacterLoadError
from tests.characters.foreign import CARDS, V1, V2, V3, card_png, charx, packed_json, png, refuse


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_card_is_read_from_json_and_from_a_picture_and_says_the_same(version: int) -> None:
    word = "ccv3" if version == 3 else "chara"
    for data in (json.dumps(CARDS[version]).encode(), card_png(CARDS[version], word)):
        file = read_card_file(data, refuse)
        assert file.card.version == version
        assert file.card.source == CARDS[version]
        assert file.card.data.name == "Mara Voss"
        assert file.card.data.greetings[0].startswith("*She does not look up.*")
        assert file.data == data


def test_fields_that_are_missing_or_null_read_as_empty() -> None:
    card = tavern_card({"spec": "chara_card_v2", "data": {"name": "Ann", "tags": None, "extensions": None}}, refuse)
    assert (card.data.name, card.data.tags, card.data.extensions, card.data.description) == ("Ann", (), {}, "")
    assert card.data.talkativeness == 0.5
    assert card.data.depth_prompt.prompt == ""


def test_a_card_of_tavernai_is_read_as_what_it_is() -> None:
    card = tavern_card({**V1, "spec": "tavern_ai", "spec_version": "1.0", "categories": ["Story"]}, refuse)
    assert (card.version, card.data.name, card.source["categories"]) == (1, "Mara Voss", ["Story"])


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"kind": "character", "name": "Ann", "persona": {"kind": "text"}, "greeting": "Hi"}, "a character of Agnai"),
        ({"char_name": "Ann", "char_persona": "Shy.", "char_greeting": "Hi"}, "a character of Pygmalion"),
        ({"name": "Exported", "scenario": "", "messages": [{"msg": "Hi"}]}, "it is a chat, not a card"),
        ({"description": "A schema", "type": "object"}, "it is not a character card"),
    ],
)
def test_what_other_programs_call_a_character_is_refused_by_its_name(source: dict[str, Any], said: str) -> None:
    with pytest.raises(CharacterLoadError) as caught:
        tavern_card(source, refuse)
    assert said in str(caught.value)


@pytest.mark.parametrize("word", ["chara", "Chara", "CHARA", "ccv3", "CCV3"])
def test_the_keyword_of_a_picture_is_read_in_any_case(word: str) -> None:
    assert read_card_file(card_png(V3, word), refuse).card.version == 3


def test_of_two_cards_in_a_picture_the_newer_form_is_read() -> None:
    data = png(("chara", packed_json(V2)), ("ccv3", packed_json(V3)))
    assert read_card_file(data, refuse).card.version == 3
    twice = read_card_file(png(("chara", packed_json(V2)), ("chara", packed_json(V1))), refuse)
    assert twice.card.version == 2
    assert "more than one card" in twice.remarks[0]


def test_a_charx_archive_is_read_alone_and_behind_a_jpeg() -> None:
    archive = charx(V3, ("assets/icon/images/main.png", png()))
    assert read_card_file(archive, refuse).card.source == V3
    behind = read_card_file(b"\xff\xd8\xff\xe0" + bytes(100) + archive, refuse)
    assert behind.form == "charx"
    assert behind.card.source == V3


def test_code_in_an_archive_is_kept_and_remarked_on() -> None:
    file = read_card_file(charx(V3, ("assets/other/code/run.js", b"alert(1)"), ("module.risum", b"x")), refuse)
    assert file.remarks == ("It contains code (assets/other/code/run.js, module.risum), which is kept but never run.",)
    assert dict(members_of(file, refuse)) == {"assets/other/code/run.js": b"alert(1)", "module.risum": b"x"}


def test_a_newer_version_is_read_with_a_remark() -> None:
    card = tavern_card({**V3, "spec_version": "3.7"}, refuse)
    assert "newer version (3.7)" in card.remarks[0]
    assert tavern_card({**V3, "spec": "chara_card_v4", "spec_version": "4.0"}, refuse).version == 3


@pytest.mark.parametrize("version", [1, 2, 3])
def test_what_is_written_to_json_and_to_a_picture_is_read_back_as_the_same_data(version: int) -> None:
    card = tavern_card(CARDS[version], refuse)
    assert json.loads(json_file(card)) == CARDS[version]
    again = read_card_file(png_file(card, None, refuse), refuse)
    assert (again.card.version, again.card.source) == (version, CARDS[version])


def test_what_is_written_to_an_archive_is_read_back_with_its_members() -> None:
    members = (("assets/emotion/images/joy.png", png()), ("x_meta/joy.json", b"{}"))
    file = read_card_file(charx_file(tavern_card(V3, refuse), members), refuse)
    assert file.card.source == V3
    assert members_of(file, refuse) == members


def test_a_picture_keeps_its_pixels_and_loses_every_other_metadata() -> None:
    image = Image.effect_noise((40, 30), 90).convert("RGBA")
    before = io.BytesIO()
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("parameters", "a secret prompt")
    info.add_text("Chara", "stale")
    info.add_itxt("Comment", "made here")
    image.save(before, "PNG", pnginfo=info, exif=Image.Exif())
    written = png_file(tavern_card(V3, refuse), before.getvalue(), refuse)
    after = Image.open(io.BytesIO(written))
    assert after.tobytes() == image.tobytes()
    assert sorted(after.text) == ["ccv3", "chara"]
    assert b"secret prompt" not in written
    chunks = read_chunks(written, refuse)
    assert [chunk.kind for chunk in chunks][-3:] == [b"tEXt", b"tEXt", b"IEND"]


def test_an_animated_picture_keeps_its_frames() -> None:
    frames = [Image.new("RGB", (8, 8), (shade, 0, 0)) for shade in (10, 90, 200)]
    out = io.BytesIO()
    frames[0].save(out, "PNG", save_all=True, append_images=frames[1:], duration=40)
    written = Image.open(io.BytesIO(png_file(tavern_card(V2, refuse), out.getvalue(), refuse)))
    assert written.n_frames == 3
    for place, frame in enumerate(frames):
        written.seek(place)
        assert written.convert("RGB").tobytes() == frame.tobytes()


def test_a_portrait_is_drawn_for_whoever_has_none_and_differs_by_name() -> None:
    portrait = Image.open(io.BytesIO(drawn_portrait("Mara")))
    portrait.load()
    assert portrait.size == (256, 384)
    assert len(portrait.convert("RGB").getcolors(1000) or []) > 20
    assert drawn_portrait("Mara") == drawn_portrait("Mara") != drawn_portrait("Iris")
    assert len(drawn_portrait("Mara")) < 8000


def test_a_v3_card_in_a_picture_stands_there_for_older_programs_too() -> None:
    texts = Image.open(io.BytesIO(png_file(tavern_card(V3, refuse), None, refuse))).text
    import base64

    old, new = (json.loads(base64.b64decode(texts[word])) for word in ("chara", "ccv3"))
    assert new == V3
    assert old["spec"] == "chara_card_v2"
    assert old["data"]["character_book"]["entries"][0]["content"] == "The ferry runs until ten."


def test_the_main_icon_of_an_archive_is_the_picture_and_a_picture_becomes_one() -> None:
    assets = [
        {"type": "icon", "uri": "embeded://assets/icon/images/2.png", "name": "other", "ext": "png"},
        {"type": "icon", "uri": "embeded://assets/icon/images/1.png", "name": "main", "ext": "png"},
    ]
    card = {**V3, "data": {**V3["data"], "assets": assets}}
    main = png(extra=b"")
    file = read_card_file(charx(card, ("assets/icon/images/1.png", main), ("assets/icon/images/2.png", b"x")), refuse)
    assert picture_of(file, refuse) == main
    with_main = with_icon(tavern_card(V3, refuse), refuse)
    assert [asset.uri for asset in with_main.data.assets] == ["embeded://assets/icon/images/main.png"]
    assert with_icon(file.card, refuse) is file.card


def test_what_an_archive_holds_goes_into_the_json_where_there_is_no_archive_or_is_reported() -> None:
    assets = [
        {"type": "emotion", "uri": "embeded://assets/joy.png", "name": "joy", "ext": "png", "x": 1},
        {"type": "x_song", "uri": "embedded://assets/song.ogg", "name": "song", "ext": "ogg"},
        {"type": "icon", "uri": "https://example.org/a.png", "name": "main", "ext": "png"},
    ]
    card = tavern_card({**V3, "data": {**V3["data"], "assets": assets}}, refuse)
    members = (("assets/joy.png", b"joy"), ("assets/song.ogg", bytes(5 * 1024 * 1024)))
    alone = without_archive(card, members, refuse)
    assert [asset.uri for asset in alone.data.assets] == [
        "data:image/png;base64,am95",
        "https://example.org/a.png",
    ]
    assert "left out: 1" in alone.remarks[0]


def test_up_and_down_the_versions_nothing_is_lost_that_the_older_one_has_a_place_for() -> None:
    third = tavern_card(V3, refuse)
    second = converted(third, 2, refuse)
    data: Any = second.source["data"]
    assert not {"nickname", "assets", "group_only_greetings", "source", "creation_date"} & set(data)
    assert data["extensions"]["dramaturg"]["v3"]["nickname"] == "Mara"
    entry = data["character_book"]["entries"][0]
    assert (entry["content"], "use_regex" in entry) == ("The ferry runs until ten.", False)
    assert converted(second, 3, refuse).source == V3
    assert converted(converted(tavern_card(V2, refuse), 3, refuse), 2, refuse).source == V2


def test_v1_keeps_the_six_fields_and_says_what_was_left_out() -> None:
    first = converted(tavern_card(V3, refuse), 1, refuse)
    assert first.source == V1
    assert first.remarks == (
        "V1 has no fields for creator_notes, system_prompt, alternate_greetings, tags, character_book, extensions; "
        "they were left out.",
    )
    odd = {**V1, "creatorcomment": "Be kind.", "talkativeness": "0.9", "avatar": "none", "tags": ["a"]}
    second = converted(tavern_card(odd, refuse), 2, refuse)
    assert (second.data.creator_notes, second.data.talkativeness, second.data.tags) == ("Be kind.", 0.9, ("a",))
    back = converted(second, 1, refuse)
    assert back.source == odd
