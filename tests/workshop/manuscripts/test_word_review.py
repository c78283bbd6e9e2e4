"""What an editor did in Word comes back onto the right lines, also after the manuscript moved on."""

from __future__ import annotations

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.manuscripts.acceptance import accepted
from dramaturg.workshop.manuscripts.book_text import SceneText, scene_text
from dramaturg.workshop.manuscripts.remarks import ManuscriptNote, ManuscriptPatch, QuoteAnchor, WordReview
from dramaturg.workshop.manuscripts.word.review import read_review
from dramaturg.workshop.manuscripts.word.writer import WordOptions, write_docx
from tests.workshop.manuscripts.books import AT, HARBOUR, LETTER, exported, the_book
from tests.workshop.manuscripts.word_editor import WordEditor

ONE, TWO = "manuscript/ch01-sc01.md", "manuscript/ch01-sc02.md"
SCENES = (scene_text(ONE, HARBOUR), scene_text(TWO, LETTER))


def edited() -> WordEditor:
    return WordEditor(exported(*SCENES))


def back(editor: WordEditor, *scenes: SceneText) -> WordReview:
    return read_review("edited.docx", editor.saved(), scenes or SCENES)


def made(review: WordReview, *scenes: SceneText) -> dict[str, str]:
    return dict(accepted(review, scenes or SCENES, [one.number for one in review.patches if one.state == "ready"]))


def test_words_that_two_editors_replaced_come_back_with_their_names() -> None:
    editor = edited()
    editor.replace("early", "late", "Mara")
    editor.replace("kettle", "wind", "Ben")
    review = back(editor)
    assert [(one.patch.author, one.patch.anchor.quote, one.patch.new) for one in review.patches] == [
        ("Mara", "early", "late"),
        ("Ben", "kettle", "wind"),
    ]
    assert [one.line for one in review.patches] == [10, 3]
    assert made(review) == {ONE: HARBOUR.replace("early", "late"), TWO: LETTER.replace("kettle", "wind")}


def test_a_change_over_a_line_break_and_emphasis_keeps_the_marks_right() -> None:
    editor = edited()
    editor.replace("harbour before the", "quay after")
    assert made(back(editor))[ONE].startswith(
        HARBOUR.split("Ruth came")[0] + "Ruth came down to the *quay after* light"
    )


@pytest.mark.parametrize("words", ["harbour", "four", "light did", "Dear Ruth, it"])
def test_deleted_words_take_their_own_marks_along_and_nothing_else(words: str) -> None:
    editor = edited()
    editor.replace(words, "")
    text = made(back(editor))[ONE]
    marks = {"harbour": "*harbour*", "four": "**four**"}
    assert text == HARBOUR.replace(marks.get(words, words), "")


def test_new_and_joined_paragraphs_come_back() -> None:
    editor = edited()
    editor.insert_paragraph("said Tomas", "He did not look up.", "Mara")
    editor.join_with_next("Nobody had", "Mara")
    review = back(editor)
    text = made(review)
    assert text[ONE] == HARBOUR.replace("said Tomas.\n", "said Tomas.\n\nHe did not look up.\n")
    assert text[TWO] == LETTER.replace("door.\n\nThe", "door.The")


def test_moved_words_come_back_as_two_changes() -> None:
    editor = edited()
    editor.replace("The boats were in.", "", "Mara", moved=True)
    editor.insert("kettle sang.", " The boats were in.", "Mara")
    assert [(one.patch.anchor.path, one.patch.new) for one in back(editor).patches] == [
        (ONE, ""),
        (TWO, " The boats were in."),
    ]


def test_changes_without_tracking_and_new_italics_are_noticed() -> None:
    editor = edited()
    editor.type_over("counted", "lit")
    editor.slant("kettle")
    review = back(editor)
    assert {one.patch.reason for one in review.patches} == {"changed without tracking"}
    assert made(review) == {ONE: HARBOUR.replace("counted", "lit"), TWO: LETTER.replace("kettle", "*kettle*")}


def test_comments_and_their_replies_stand_on_their_lines() -> None:
    editor = edited()
    asked = editor.comment("counted the lamps", "Why lamps?", "Mara")
    editor.comment("lamps", "Because of the tide.", "Ben", answers=asked)
    notes = back(editor).notes
    assert sorted((one.note.author, one.line, one.note.anchor.quote) for one in notes) == [
        ("Ben", 14, "lamps"),
        ("Mara", 14, "counted the lamps"),
    ]
    reply = next(one for one in notes if one.note.author == "Ben")
    assert reply.answers == next(one.number for one in notes if one.note.author == "Mara")


def test_changes_find_their_words_after_the_manuscript_moved_on() -> None:
    editor = edited()
    editor.replace("counted", "lit")
    editor.insert("lamps", " slowly")
    editor.comment("The boats were in.", "All of them?")
    later = HARBOUR.replace("Ruth came down", "A new first line.\n\nRuth Ames came down").replace("nothing", "no word")
    now = (scene_text(ONE, later), SCENES[1])
    review = back(editor, *now)
    assert [one.state for one in review.patches] == ["ready", "ready"]
    assert made(review, *now)[ONE] == later.replace("counted the lamps", "lit the lamps slowly")
    assert [one.line for one in review.notes] == [10]


def test_words_that_are_gone_or_stand_there_twice_wait_and_say_so() -> None:
    editor = edited()
    editor.replace("Four,", "Three,")
    editor.replace("Nobody had opened the letter.", "Somebody had.")
    now = (
        scene_text(ONE, HARBOUR.replace("“Four,” she said.", "She was silent.")),
        scene_text(TWO, "Nobody had opened the letter.\n\n" * 3),
    )
    review = back(editor, *now)
    assert [(one.state, bool(one.why)) for one in review.patches] == [("gone", True), ("ambiguous", True)]
    with pytest.raises(InvalidConfig, match="Patch 1 waits: the words are no longer there"):
        accepted(review, now, [1])


def test_a_change_that_was_made_meanwhile_is_not_made_twice() -> None:
    editor = edited()
    editor.replace("counted", "lit")
    review = back(editor, scene_text(ONE, HARBOUR.replace("counted", "lit")), SCENES[1])
    assert [one.state for one in review.patches] == ["made"]


def test_a_scene_that_was_renamed_is_known_by_its_words() -> None:
    editor = edited()
    editor.replace("counted", "lit")
    moved = scene_text("manuscript/ch07-sc03.md", HARBOUR.replace("early", "late"))
    assert [one.patch.anchor.path for one in back(editor, moved, SCENES[1]).patches] == ["manuscript/ch07-sc03.md"]


def test_a_program_that_drops_our_part_costs_nothing_while_the_scene_is_the_same() -> None:
    editor = edited()
    editor.without_our_part()
    assert back(editor).patches == ()
    editor.type_over("counted", "lit")
    assert made(back(editor)) == {ONE: HARBOUR.replace("counted", "lit")}


def test_a_program_that_drops_our_part_leaves_the_tracked_changes_when_the_scene_moved_on() -> None:
    editor = edited()
    editor.without_our_part()
    editor.replace("counted", "lit")
    now = scene_text(ONE, HARBOUR.replace("early", "late"))
    review = back(editor, now, SCENES[1])
    assert made(review, now, SCENES[1]) == {ONE: now.source.replace("counted", "lit")}
    assert "only tracked changes and comments are read" in review.problems[0]


def proposed() -> bytes:
    anchor = QuoteAnchor(path=ONE, quote="counted the lamps")
    patch = ManuscriptPatch(anchor=anchor, new="lit the lamps", reason="Action, not counting.", source="patch 3")
    note = ManuscriptNote(
        anchor=QuoteAnchor(path=TWO, quote="kettle"), text="It was sold in chapter 2.", source="conflict 4"
    )
    return write_docx(the_book(HARBOUR, LETTER), WordOptions(at=AT), [note], [patch]).data


def test_what_we_proposed_ourselves_does_not_come_back_as_somebody_elses() -> None:
    review = read_review("out.docx", proposed(), SCENES)
    assert (review.patches, review.notes) == ((), ())


def test_a_proposed_change_that_the_editor_accepted_comes_back_as_accepted() -> None:
    editor = WordEditor(proposed())
    editor.accept_all()
    review = back(editor)
    assert {one.patch.reason for one in review.patches} == {"proposed change, accepted in Word"}
    assert made(review) == {ONE: HARBOUR.replace("counted the lamps", "lit the lamps")}


def test_a_patch_without_a_place_goes_out_as_a_comment() -> None:
    patch = ManuscriptPatch(anchor=QuoteAnchor(path=TWO, quote="Nobody had opened the"), new="Who opened the")
    out = write_docx(the_book(HARBOUR, LETTER), WordOptions(at=AT), (), [patch])
    assert out.unplaced == (f"{TWO}: no single place for “Nobody had opened the”",)
    assert read_review("out.docx", out.data, SCENES).patches == ()


def test_words_in_front_matter_and_comments_of_the_writer_do_not_go_out() -> None:
    from dramaturg.workshop.manuscripts.word.reader import read_docx

    data = exported(*SCENES)
    document = read_docx("out.docx", data)
    shown = "\n".join(one.current.text for one in document.paragraphs) + document.carried.decode()
    assert "nobody must see this" not in shown
    assert "check the tide" not in shown


def test_two_patches_of_the_same_words_are_not_both_made() -> None:
    review = WordReview.model_validate(
        {
            "name": "x", "scenes": 1, "untouched": 0,
            "patches": [
                {"number": n, "state": "ready", "start": 0,
                 "patch": {"anchor": {"path": TWO, "quote": "Nobody"}, "new": new}}
                for n, new in ((1, "Who"), (2, "Everybody"))
            ],
        }
    )  # fmt: skip
    with pytest.raises(InvalidConfig, match="Patches 1 and 2 change the same words"):
        accepted(review, SCENES, [1, 2])


def test_a_byte_order_mark_stays_where_the_first_word_is_changed() -> None:
    scene = scene_text("manuscript/ch01-sc01.md", "\ufeffBlue eyes were all that she had.\r\n")
    editor = WordEditor(exported(scene))
    editor.replace("Blue", "Grey")
    review = back(editor, scene)
    (patch,) = review.patches
    assert (patch.patch.anchor.quote, patch.patch.new) == ("Blue", "Grey")
    assert made(review, scene) == {scene.path: "\ufeffGrey eyes were all that she had.\r\n"}
