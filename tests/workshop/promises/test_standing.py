"""Where a promise stands follows from the ledger, the scaffolds and the words of the scenes."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.workshop.book.file_cache import FileCache
from dramaturg.workshop.promises.alerts import promise_alerts
from dramaturg.workshop.promises.material import read_promises
from dramaturg.workshop.promises.wire import Promise
from tests.workshop.promises.shelf import PLANS, SCENES, shelf

NOTED = "promises:\n  - promise: the_photograph\n    planted: {scene: ch01-sc01, quote: Ada slid the photograph}\n"


def only(folder: Path) -> Promise:
    (one,) = read_promises(folder).promises
    return one


def test_a_scaffold_alone_makes_a_promise_and_its_words_are_found_in_the_scenes(tmp_path: Path) -> None:
    one = only(shelf(tmp_path))
    assert (one.name, one.state) == ("the_photograph", "echoed")
    assert one.planted is not None
    assert one.planted.quote == "Ada slid the photograph behind the chart."
    assert [(place.scene, place.found) for place in one.echoed] == [("ch01-sc02", True)]
    assert one.planned_in == ("ch01-sc01", "ch01-sc02", "ch02-sc01")


@pytest.mark.parametrize(
    ("due", "written", "state"),
    [
        ("", (), "echoed"),
        ("ch03-sc01", (), "echoed"),
        ("ch02-sc01", (), "due"),
        ("Midpoint", (), "due"),
        ("Chapter 1, Scene 2", (), "overdue"),
        ("ch02-sc01", ("ch03-sc01",), "due"),
        ("ch02-sc01", ("ch02-sc01",), "overdue"),
        ("", ("ch02-sc01", "ch03-sc01"), "overdue"),
        ("end", ("ch02-sc01", "ch03-sc01"), "overdue"),
        ("end", ("ch02-sc01",), "echoed"),
    ],
)
def test_a_promise_is_due_in_its_scene_and_overdue_once_that_is_written(
    tmp_path: Path, due: str, written: tuple[str, ...], state: str
) -> None:
    scenes = {**SCENES, **dict.fromkeys(written, "Something else happens here.")}
    ledger = f"{NOTED}    due: {due}\n" if due else NOTED
    assert only(shelf(tmp_path, scenes, ledger=ledger)).state == state


def test_words_that_do_not_stand_in_the_scene_do_not_count(tmp_path: Path) -> None:
    one = only(shelf(tmp_path, ledger=NOTED.replace("Ada slid", "Ada burned")))
    assert (one.state, one.planted) == ("planned", None)
    assert "do not stand there" in one.problems[0]


def test_a_payment_with_false_words_is_none(tmp_path: Path) -> None:
    paid = NOTED + "    due: ch01-sc02\n    paid: {scene: ch01-sc02, quote: She showed it to everybody.}\n"
    assert only(shelf(tmp_path, ledger=paid)).state == "overdue"
    true = paid.replace("She showed it to everybody.", "Nobody spoke of it.")
    assert only(shelf(tmp_path, ledger=true)).state == "paid"


def test_a_promise_that_is_dropped_has_its_reason(tmp_path: Path) -> None:
    one = only(shelf(tmp_path, ledger=NOTED + "    due: ch01-sc02\n    dropped: The mother is cut.\n"))
    assert (one.state, one.dropped) == ("dropped", "The mother is cut.")


async def test_an_overdue_promise_of_a_scene_that_is_gone_is_an_alert_that_says_so(tmp_path: Path) -> None:
    shelf(tmp_path, ledger=f"{NOTED}    due: ch01-sc03\n", scenes={**SCENES, "ch02-sc01": "Later."})
    (alert,) = [one for one in await promise_alerts(tmp_path, FileCache(lambda: 0.0)) if one.check == "promise_overdue"]
    assert "was due in ch01-sc03" in alert.text
    assert "neither planned nor written" in alert.text
    assert "promises pay|drop the_photograph" in alert.text


async def test_a_promise_whose_planting_scene_is_deleted_is_told_as_lost(tmp_path: Path) -> None:
    shelf(tmp_path, scenes={"ch01-sc02": SCENES["ch01-sc02"]}, ledger=NOTED)
    told = await promise_alerts(tmp_path, FileCache(lambda: 0.0))
    assert [one.check for one in told] == ["promise_without_words"]
    assert "not there any more" in told[0].text


async def test_a_ledger_that_cannot_be_read_is_told_with_its_place_and_hides_nothing_else(tmp_path: Path) -> None:
    shelf(tmp_path, ledger="promises:\n  - promise: x\n    due: [\n")
    told = await promise_alerts(tmp_path, FileCache(lambda: 0.0))
    assert "story-bible/promises.yaml, line" in told[0].text
    assert only(tmp_path).state == "echoed"


def test_two_entries_of_one_name_are_refused(tmp_path: Path) -> None:
    shelf(tmp_path, plans=PLANS, ledger=f"{NOTED}  - promise: The Photograph\n")
    assert "stands twice" in read_promises(tmp_path).problem
