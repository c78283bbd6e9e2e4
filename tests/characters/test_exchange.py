"""A foreign card in a project: imported, played, edited and given back."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from dramaturg.characters import known_cards, load_card, load_cast, parse_card
from dramaturg.characters.exchange import export_card, import_card, load_character_files
from dramaturg.characters.lorebook import load_book, load_books
from dramaturg.characters.tavern.card import tavern_card
from dramaturg.characters.tavern.file import CardFormat, members_of, read_card_file
from dramaturg.characters.tavern.markdown import MATTER_KEPT, markdown_of
from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig
from tests.characters.foreign import BOOK, CARDS, V1, V2, V3, card_png, charx, png, refuse
from tests.work_count import WorkCount

CARD_FORMS: tuple[CardFormat, ...] = ("png", "charx", "json")
EXPECTED = """\
---
tempo: 0.8
greetings:
- '*She does not look up.* "We''re closed, {{user}}."'
- '"You again."'
---
# Mara Voss

Mara Voss keeps the ferry at Low Haven.

## Personality
Blunt and loyal.

## Scenario
The ferry house, after the last crossing.

## Lines
- The river does not care.

## Examples
{{user}}: Angry?
Mara Voss: *shrugs* Once.

## Keep in mind
Mara Voss never apologises first.
"""


def brought(project: Path, card: object, name: str | None = None) -> Path:
    return import_card(project, json.dumps(card).encode(), stem="download", name=name).written


def exported(project: Path, name: str, **options: Any) -> Any:
    return json.loads(export_card(project, name, "json", **options).data)


def test_an_imported_card_becomes_a_file_of_ours_and_the_original_is_kept(tmp_path: Path) -> None:
    data = json.dumps(V2).encode()
    imported = import_card(tmp_path, data, stem="download")
    assert imported.written == tmp_path / ".claude" / "agents" / "mara-voss.md"
    assert imported.written.read_text(encoding="utf-8") == EXPECTED
    assert imported.kept == tmp_path / "characters" / "mara-voss.json"
    assert imported.kept.read_bytes() == data
    assert imported.remarks == (
        "Its system prompt is for episodes; scenes do not use it.",
        "The creator's notes are for people; models never see them.",
    )
    assert known_cards(tmp_path) == ("mara-voss",)


def test_what_is_not_for_models_is_in_no_card(tmp_path: Path) -> None:
    brought(tmp_path, V3)
    card = load_card(tmp_path, "mara")
    for hidden in ("patience", "drama", "wren", "Be Mara", "example.org"):
        assert hidden not in card.raw
    assert card.display_name == "Mara"


def test_whom_a_card_means_is_said_when_it_is_played(tmp_path: Path) -> None:
    brought(tmp_path, V2)
    on_stage, with_ann = load_cast(tmp_path, ["mara-voss"])[0], load_card(tmp_path, "mara-voss", user="Ann\n# X")
    assert "the other person: Angry?" in on_stage.text
    assert "Ann # X: Angry?" in with_ann.text
    assert with_ann.greetings[0].endswith('closed, {{user}}."')
    assert on_stage.raw.endswith(on_stage.text)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_import_and_export_give_the_same_data_in_the_same_version(tmp_path: Path, version: int) -> None:
    brought(tmp_path, CARDS[version], "mara")
    assert exported(tmp_path, "mara") == CARDS[version]
    png_again = read_card_file(export_card(tmp_path, "mara", "png").data, refuse)
    assert png_again.card.source == CARDS[version]
    if version == 3:
        assert read_card_file(export_card(tmp_path, "mara", "charx").data, refuse).card.source == V3


def test_what_the_author_changed_is_in_the_export_and_everything_else_as_it_was(tmp_path: Path) -> None:
    path = brought(tmp_path, {**V2, "personality": "Blunt and loyal."}, "mara")
    changed = (
        path.read_text(encoding="utf-8").replace("Blunt and loyal.", "Tender.").replace("tempo: 0.8", "tempo: 1.3")
    )
    path.write_text(changed, encoding="utf-8")
    now = exported(tmp_path, "mara")
    assert now["data"]["personality"] == now["personality"] == "Tender."
    assert now["data"]["extensions"].pop("dramaturg")["card"] == changed
    assert now["data"]["extensions"]["talkativeness"] == 0.8
    for field in set(V2["data"]) - {"personality", "extensions"}:
        assert now["data"][field] == V2["data"][field], field
    again = tmp_path / "elsewhere"
    brought(again, exported(tmp_path, "mara"), "mara")
    assert load_card(again, "mara").raw == load_card(tmp_path, "mara").raw


def test_a_reminder_that_was_reworded_keeps_its_depth_and_the_macros_around_the_change(tmp_path: Path) -> None:
    reminder = {"prompt": "{{char}} never apologises first.", "depth": 2, "role": "user"}
    extensions = {**V2["data"]["extensions"], "depth_prompt": reminder}
    path = brought(tmp_path, {**V2, "data": {**V2["data"], "extensions": extensions}}, "mara")
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace("first", "at all").replace("keeps the ferry", "owns the ferry"), encoding="utf-8")
    now = exported(tmp_path, "mara")["data"]
    assert now["description"] == "{{char}} owns the ferry at Low Haven."
    assert now["extensions"]["depth_prompt"] == {**reminder, "prompt": "{{char}} never apologises at all."}
    assert now["extensions"]["talkativeness"] == "0.3"


def test_a_reminder_and_a_tempo_that_were_taken_out_are_gone_from_the_export(tmp_path: Path) -> None:
    path = brought(tmp_path, V2, "mara")
    text = path.read_text(encoding="utf-8").replace("tempo: 0.8\n", "")
    path.write_text(text.partition("## Keep in mind")[0], encoding="utf-8")
    extensions = exported(tmp_path, "mara")["data"]["extensions"]
    assert extensions["depth_prompt"]["prompt"] == ""
    assert extensions["talkativeness"] == 0.5


def test_a_name_that_the_author_had_written_out_stays_written_out(tmp_path: Path) -> None:
    card = {**V1, "description": "{{char}} keeps the ferry. Mara Voss is no saint."}
    path = brought(tmp_path, card, "mara")
    path.write_text(path.read_text(encoding="utf-8").replace("no saint", "a saint"), encoding="utf-8")
    assert exported(tmp_path, "mara")["description"] == "Mara Voss keeps the ferry. Mara Voss is a saint."


def test_a_card_of_ours_goes_out_and_comes_back_to_the_last_letter(tmp_path: Path) -> None:
    head = "---\ntempo: 1.2\nsecrets: [took it]\ngreetings: [Aye., No.]\n---\n"
    raw = f"{head}# Tom - Sailor\n\n## Personality\n- Gruff\n\n## Past\n- Sea\n"
    path = tmp_path / ".claude" / "agents" / "tom.md"
    path.parent.mkdir(parents=True)
    path.write_text(raw, encoding="utf-8")
    out = export_card(tmp_path, "tom", "json")
    assert out.remarks == ("The file contains the character's secrets, under extensions.dramaturg.",)
    data = json.loads(out.data)["data"]
    assert (data["name"], data["personality"], data["first_mes"]) == ("Tom", "- Gruff", "Aye.")
    assert data["alternate_greetings"] == ["No."]
    assert data["description"] == "Tom: Sailor.\n\n## Past\n- Sea"
    assert data["extensions"]["talkativeness"] == 0.7
    elsewhere = tmp_path / "elsewhere"
    assert import_card(elsewhere, out.data, stem="x").written.read_text(encoding="utf-8") == raw
    card = json.loads(out.data)
    card["data"]["personality"] = "Changed elsewhere."
    brought(elsewhere, card, "tom2")
    assert "Changed elsewhere." in load_card(elsewhere, "tom2").text


def test_a_foreign_card_in_the_folder_plays_as_it_is_and_a_file_of_ours_goes_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "characters"
    folder.mkdir()
    (folder / "mara.png").write_bytes(card_png(V2))
    assert load_card(tmp_path, "Mara").raw == EXPECTED.replace("{{user}}: Angry", "the other person: Angry")
    assert known_cards(tmp_path) == ("mara",)
    ours = tmp_path / ".claude" / "agents" / "mara.md"
    ours.parent.mkdir(parents=True)
    ours.write_text("# Mara - Ours\n", encoding="utf-8")
    assert load_card(tmp_path, "mara").role == "Ours"
    assert known_cards(tmp_path) == ("mara",)


def test_a_foreign_card_that_is_broken_says_so_when_it_is_called_and_not_before(tmp_path: Path) -> None:
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters" / "mara.json").write_text("{", encoding="utf-8")
    assert known_cards(tmp_path) == ("mara",)
    with pytest.raises(CharacterLoadError, match="Character 'mara' cannot be read: it is not JSON"):
        load_card(tmp_path, "mara")
    (tmp_path / "characters" / "mara.png").write_bytes(png())
    with pytest.raises(CharacterLoadError, match=r"it could be mara\.json or mara\.png"):
        load_card(tmp_path, "mara")


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps(V1), encoding="utf-8")
    folder = tmp_path / "story" / "characters"
    folder.mkdir(parents=True)
    (folder / "mara.json").symlink_to(outside)
    with pytest.raises(CharacterLoadError, match="a link out of the project"):
        load_card(tmp_path / "story", "mara")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = brought(tmp_path, V2)
    before = path.read_bytes()
    with pytest.raises(CharacterLoadError, match=r"already has a character 'mara-voss'.*--name"):
        brought(tmp_path, V1)
    orphan = tmp_path / "characters" / "ann.json"
    (tmp_path / ".claude" / "agents" / "ann.md").mkdir()
    with pytest.raises(CharacterLoadError, match="Nothing was changed"):
        brought(tmp_path, V1, "ann")
    assert path.read_bytes() == before
    assert not orphan.exists()


@pytest.mark.parametrize("name", ["..", "CON", "😀", "", "///"])
def test_cards_whose_names_no_file_can_have_are_called_as_their_file_and_do_not_meet(name: str, tmp_path: Path) -> None:
    data = json.dumps({**V1, "name": name}).encode()
    first, second = (import_card(tmp_path, data, stem="a") for _ in range(2))
    assert (first.card.name, second.card.name) == ("a", "a-2")
    assert "it is 'a-2' here" in second.remarks[0]
    assert ascii(name) in second.remarks[0] or not name
    assert import_card(tmp_path, data, stem="CON").card.name == "character"
    with pytest.raises(CharacterLoadError, match=r"already has a character 'a'\. Choose another name with --name"):
        import_card(tmp_path, data, stem="b", name="a")


def test_a_path_as_a_name_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(
        CharacterLoadError, match=r"'/abs' cannot be .*: it was given with a slash in front, like a path"
    ):
        brought(tmp_path, V1, "/abs")


def test_a_number_of_thousands_of_digits_is_told_in_words(tmp_path: Path) -> None:
    number = "9" * 6000
    for card in (f'{{"spec":"chara_card_v2","data":{{"name":"x","extensions":{{"n":{number}}}}}}}', f"[-{number}]"):
        with pytest.raises(CharacterLoadError, match=r"an invalid number \(it has 6,00\d digits\)\. Correct or remove"):
            import_card(tmp_path, card.encode(), stem="x")
    with pytest.raises(CharacterLoadError, match=r"\(a number of thousands of digits\)\. Put it in quotes"):
        parse_card("x", f"---\nsize: {number}\n---\n# X\n")


def test_greetings_that_do_not_fit_are_counted_without_trying_each(tmp_path: Path) -> None:
    work = WorkCount("yaml")

    def calls(many: int) -> int:
        card = {**V1, "spec": "chara_card_v2", "data": {**V1, "alternate_greetings": ["x"] * many}}
        with work.installed(), work.counting():
            imported = import_card(tmp_path, json.dumps(card).encode(), stem="x", name=f"x{many}")
        assert any("greetings fit" in remark for remark in imported.remarks) is (many > 7500)
        return work.calls

    assert calls(9000) < 2 * calls(7000)


@pytest.mark.parametrize(
    "greeting", ["x", "- x\n- y", "'\n- '", "🎭\t" * 3, "a\n" * 40, "word " * 60, "a\x85b", "#", "key: value"]
)
def test_as_many_greetings_are_kept_as_fit(greeting: str) -> None:
    def written(many: int) -> int:
        return len(yaml.safe_dump([greeting] * many, allow_unicode=True, width=110))

    data = {"name": "X", "description": "d", "first_mes": "", "alternate_greetings": [greeting] * 9000}
    card = tavern_card({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}, refuse)
    kept = len(parse_card("x", markdown_of(card, "x")).greetings)
    assert written(kept) <= MATTER_KEPT < written(kept + 1)


def test_names_that_no_file_can_have_are_made_fit(tmp_path: Path) -> None:
    for name, stem in (("../../etc/passwd", "etc-passwd"), ("☃", "download"), ("Zoë  von_Ü", "zoë-von-ü")):
        assert brought(tmp_path, {**V1, "name": name}).stem == stem
    with pytest.raises(CharacterLoadError, match="cannot be the name of a character"):
        brought(tmp_path, V1, "a/b")


def test_the_files_of_a_character_are_the_card_the_original_and_the_book(tmp_path: Path) -> None:
    brought(tmp_path, V2, "mara")
    files = load_character_files(tmp_path, "mara", user="Ann")
    assert files.original is not None
    assert files.original.data.system_prompt == "Be {{char}}. {{original}}"
    assert files.book is not None
    assert (files.book.name, len(files.book.entries)) == ("Low Haven", 1)
    ours = tmp_path / ".claude" / "agents" / "tom.md"
    ours.write_text("# Tom\n", encoding="utf-8")
    tom = load_character_files(tmp_path, "tom")
    assert (tom.original, tom.book) == (None, None)


def test_a_card_with_a_broken_book_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    card = {**V2, "data": {**V2["data"], "character_book": {"entries": [{"keys": "ferry"}]}}}
    with pytest.raises(CharacterLoadError, match=r"entries\[0\]\.keys"):
        brought(tmp_path, card)
    assert list(tmp_path.iterdir()) == []


def test_the_lorebooks_of_a_project_are_found_and_a_broken_one_is_named(tmp_path: Path) -> None:
    assert load_books(tmp_path) == ()
    (tmp_path / "lorebooks").mkdir()
    nameless = {key: value for key, value in BOOK.items() if key != "name"}
    (tmp_path / "lorebooks" / "harbour.json").write_text(json.dumps(nameless), encoding="utf-8")
    assert [book.name for book in load_books(tmp_path)] == ["harbour"]
    (tmp_path / "lorebooks" / "worse.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InvalidConfig, match=r"Lorebook 'lorebooks/worse\.json' cannot be read: it is a list"):
        load_books(tmp_path)
    with pytest.raises(InvalidConfig, match="No such file"):
        load_book(tmp_path / "none.json")


def test_the_book_of_a_card_is_read_from_a_picture_and_an_archive_too(tmp_path: Path) -> None:
    for name, data in (("mara.png", card_png(V2)), ("mara.charx", charx(V3))):
        (tmp_path / name).write_bytes(data)
        assert load_book(tmp_path / name).name == "Low Haven"
    (tmp_path / "plain.png").write_bytes(card_png(V1))
    with pytest.raises(InvalidConfig, match=r"Lorebook 'plain\.png' cannot be read: it is a card without a lorebook"):
        load_book(tmp_path / "plain.png")


def test_an_archive_keeps_its_members_and_its_picture_goes_into_a_png(tmp_path: Path) -> None:
    icon = {"type": "icon", "uri": "embeded://assets/icon/images/main.png", "name": "main", "ext": "png"}
    card = {**V3, "data": {**V3["data"], "assets": [icon]}}
    members = (("assets/icon/images/main.png", png()), ("module.risum", b"\0x"))
    data = charx(card, *members)
    imported = import_card(tmp_path, data, stem="x", name="mara")
    assert imported.kept.name == "mara.charx"
    again = read_card_file(export_card(tmp_path, "mara", "charx").data, refuse)
    assert again.card.source == card
    assert members_of(again, refuse) == members
    picture = Image.open(io.BytesIO(export_card(tmp_path, "mara", "png").data))
    assert picture.size == (2, 2)
    inline = exported(tmp_path, "mara")["data"]["assets"][0]["uri"]
    assert inline.startswith("data:image/png;base64,")


def test_a_picture_given_to_an_export_is_used_and_one_that_is_none_is_refused(tmp_path: Path) -> None:
    brought(tmp_path, V2, "mara")
    out = read_card_file(export_card(tmp_path, "mara", "charx", image=png()).data, refuse)
    assert dict(members_of(out, refuse)) == {"assets/icon/images/main.png": png()}
    assert out.card.data.assets[0].uri == "embeded://assets/icon/images/main.png"
    assert Image.open(io.BytesIO(export_card(tmp_path, "mara", "png", image=png()).data)).size == (2, 2)
    for form in CARD_FORMS:
        with pytest.raises(CharacterLoadError, match="The picture for 'mara' cannot be used: it is not a PNG picture"):
            export_card(tmp_path, "mara", form, image=b"\xff\xd8 jpeg")
    assert "JSON holds no picture; --image was not used." in export_card(tmp_path, "mara", "json", image=png()).remarks
    with pytest.raises(InvalidConfig, match="CharX files hold V3 cards"):
        export_card(tmp_path, "mara", "charx", version=2)


def test_what_a_card_says_in_headings_and_fences_cannot_break_out_of_its_section(tmp_path: Path) -> None:
    odd = {**V1, "description": "# Boss\n## Personality\nx\n```\nopen", "personality": "Mild.", "mes_example": ""}
    brought(tmp_path, odd, "mara")
    card = load_card(tmp_path, "mara")
    assert card.display_name == "Mara Voss"
    assert "### Boss" in card.text
    assert "Mild." in card.sections[-2].text
    assert exported(tmp_path, "mara") == odd


def test_a_card_that_is_too_long_to_be_one_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(CharacterLoadError, match="over 256 kB"):
        brought(tmp_path, {**V1, "description": "word " * 60_000})
    assert list(tmp_path.iterdir()) == []


def test_macros_that_are_not_known_are_named_at_the_import(tmp_path: Path) -> None:
    card = {**V1, "description": "It is {{time}}. {{// note}}{{random:a,b}}"}
    imported = import_card(tmp_path, json.dumps(card).encode(), stem="x")
    assert imported.remarks == ("Unknown macros are left as they are: time.",)
    many = "".join(f"{{{{macro_{letter}}}}}" for letter in "abcdefghijk")
    imported = import_card(tmp_path / "many", json.dumps({**V1, "description": many}).encode(), stem="x")
    assert imported.remarks[0].endswith("macro_g, macro_h and 3 more.")
    imported = import_card(tmp_path / "rolls", json.dumps({**V1, "description": "{{roll:a}}"}).encode(), stem="x")
    assert imported.remarks == ("Unknown macros are left as they are: roll:a.",)


def test_scripts_of_other_programs_are_kept_and_it_is_said_that_they_do_nothing(tmp_path: Path) -> None:
    extensions = {"regex_scripts": [{"scriptName": "hide"}, {}], "tavern_helper": {"scripts": []}}
    card = {**V2, "data": {**V2["data"], "extensions": extensions}}
    imported = import_card(tmp_path, json.dumps(card).encode(), stem="x", name="mara")
    assert "Its scripts (regex_scripts, tavern_helper) are kept and never run." in imported.remarks
    assert exported(tmp_path, "mara") == card
    assert "note" not in imported.card.text
