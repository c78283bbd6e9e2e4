"""A patch finds its place by its words, or says why it has none."""

from __future__ import annotations

from dramaturg.workshop.patches.patch import Patch, Place, Unplaced, locate, patch_at, places, quoted_patch

SCENE = (
    "Ruth put the letter down. The harbour was quiet.\n\n"
    "“You never asked,” said Tom. He did not look at her.\n\n"
    "The rain began again—softly at first. The harbour was quiet.\n"
)


def _patch(old: str, new: str = "x", text: str = SCENE, nth: int = 0) -> Patch:
    start = -1
    for _ in range(nth + 1):
        start = text.index(old, start + 1)
    return patch_at("manuscript/ch01-sc01.md", text, start, start + len(old), new)


def _words(found: Place | Unplaced, text: str) -> str:
    assert isinstance(found, Place), found
    return text[found.start : found.end]


def test_words_that_stand_twice_are_told_apart_by_what_stands_around_them() -> None:
    first, second = _patch("The harbour was quiet."), _patch("The harbour was quiet.", nth=1)

    assert locate(first, SCENE) == Place(26, 48)
    assert locate(second, SCENE) == Place(SCENE.rindex("The harbour"), len(SCENE) - 1)


def test_a_patch_finds_its_words_after_the_text_around_them_has_changed() -> None:
    patch = _patch("He did not look at her.")
    for edited in (
        "A new beginning. " + SCENE,
        SCENE.replace("Ruth put the letter down.", ""),
        SCENE.replace("said Tom", "Tom said"),
        SCENE.replace("The rain began again", "Rain came"),
        SCENE.replace("said Tom", "Tom said").replace("The rain began again", "Rain came"),
    ):
        assert _words(locate(patch, edited), edited) == "He did not look at her."


def test_a_short_word_is_not_looked_for_elsewhere_when_its_own_place_is_gone() -> None:
    patch = _patch("Tom", "Thomas")
    edited = SCENE.replace("“You never asked,” said Tom. He did not look at her.", "Nobody spoke.") + "\nTom slept.\n"

    assert locate(patch, edited) == Unplaced("gone")


def test_a_patch_whose_words_are_rewritten_is_gone_and_says_so() -> None:
    found = locate(_patch("softly at first"), SCENE.replace("softly at first", "hard"))

    assert found == Unplaced("gone")
    assert str(found) == "Its words no longer stand there."


def test_a_passage_that_was_copied_whole_is_there_twice() -> None:
    verse = "The tide is out. The tide is in. The bell on the buoy rings for nobody at all tonight, and nobody comes. "
    patch = _patch("rings for nobody", text=f"Before.\n{verse}\nAfter.")
    found = locate(patch, f"{verse}\n\n{verse}")

    assert found == Unplaced("twice", 2)
    assert "2 times" in str(found)
    assert len(places(patch, f"{verse}\n\n{verse}")) == 2


def test_a_place_at_the_beginning_or_the_end_of_a_file_stays_the_first_and_the_last_one() -> None:
    song = "La la la.\n" * 12
    first, last = patch_at("a.md", song, 0, 2, "Oh"), patch_at("a.md", song, len(song) - 4, len(song) - 2, "oh")

    assert locate(first, song) == Place(0, 2)
    assert locate(last, song) == Place(len(song) - 4, len(song) - 2)
    middle = song.index("la", 50)
    assert isinstance(locate(patch_at("a.md", song, middle, middle + 2, "x"), song), Place | Unplaced)


def test_an_insertion_finds_the_gap_between_its_neighbours() -> None:
    at = SCENE.index("He did")
    patch = patch_at("a.md", SCENE, at, at, "Then nothing. ")

    assert locate(patch, "Once. " + SCENE) == Place(at + 6, at + 6)
    assert locate(patch, SCENE.replace("He did not look at her.", "He looked away.")) == Place(at, at)
    assert locate(patch, SCENE.replace("said Tom. He", "said Tom. She wept. He")) == Unplaced("gone")


def test_a_file_with_windows_line_breaks_is_the_same_text() -> None:
    windows = "\ufeff" + SCENE.replace("\n", "\r\n")
    patch = _patch("quiet.\n\n“You", "loud.\n\n“You")
    found = locate(patch, windows)

    assert _words(found, windows) == "quiet.\r\n\r\n“You"
    mixed = SCENE.replace("\n\n", "\r\n\n", 1)
    assert _words(locate(patch, mixed), mixed) == "quiet.\r\n\n“You"
    assert _words(locate(_patch("He did"), windows), windows) == "He did"


def test_a_quotation_with_other_marks_and_spaces_finds_the_words_as_they_stand() -> None:
    patch = quoted_patch("a.md", SCENE, '"You never  asked," said Tom.', '"You did not ask," said Tom.')
    assert (patch.old, patch.new) == ("“You never asked,”", '"You did not ask,"')

    dashed = quoted_patch("a.md", SCENE, "again--softly at first", "again, hard at first")
    assert _words(locate(dashed, SCENE), SCENE) == "—softly"
    assert dashed.new == ", hard"


def test_a_quotation_that_stands_nowhere_or_twice_is_kept_without_a_place() -> None:
    assert locate(quoted_patch("a.md", SCENE, "Ruth wept bitterly", "x"), SCENE) == Unplaced("gone")
    assert locate(quoted_patch("a.md", SCENE, "The harbour was quiet.", "x"), SCENE) == Unplaced("twice", 2)
    assert locate(quoted_patch("a.md", SCENE, "", "x"), SCENE) == Unplaced("gone")
    assert locate(quoted_patch("a.md", "", "words", "x"), "") == Unplaced("gone")


def test_words_of_a_quotation_that_do_not_change_are_left_out_of_the_patch() -> None:
    patch = quoted_patch("a.md", SCENE, "Ruth put the letter down.", "Ruth laid the letter down.")
    assert (patch.old, patch.new) == ("put", "laid")
    again = quoted_patch("a.md", SCENE, "He did not look at her.", "He did not look.")
    assert (again.old, again.new) == (" at her", "")
