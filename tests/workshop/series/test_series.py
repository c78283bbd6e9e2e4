"""Books of a series read what they share and what came before, and never what comes later."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import DramaturgError, InvalidConfig, NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.workshop.front import Workshop
from tests.workshop.series.shelf import ELENA, FIRST, IN_SERIES, SECOND, listed, the_series, write
from tests.workshop.workroom import at_work


async def told(foreman: Workshop) -> list[str]:
    """What a prompt for a large model knows of the book."""
    await foreman.change_mode(force=True)
    await foreman.change_mode(force=True)
    snapshot = await foreman._sources.snapshot(await foreman.conversation(), 1, "Elena and Marcus")
    return [one.value for one in snapshot.book.knowledge]


async def test_a_book_is_told_what_the_series_and_earlier_books_say_and_from_where(tmp_path: Path) -> None:
    the_series(tmp_path)
    async with at_work(tmp_path / "second-wind", settings=IN_SERIES) as foreman:
        known = await told(foreman)
        assert "Elena has eyes of the colour green (from the series)" in known
        assert "Marcus owns the Meridian (2190-05-04; from first-light)" in known
        assert "Elena works as a spy (from the series)" in known
        assert not any("died" in one for one in known)
        prompt = await foreman.prompt("Elena and Marcus", model="rehearsal")
        assert "from the series" in prompt.model_dump_json()


async def test_a_page_of_the_series_that_belongs_to_a_later_book_is_not_told_to_an_earlier_one(tmp_path: Path) -> None:
    the_series(tmp_path)
    async with at_work(tmp_path / "first-light", settings=IN_SERIES) as foreman:
        known = await told(foreman)
    assert "Elena has eyes of the colour green (from the series)" in known
    assert not any("spy" in one for one in known)


async def test_what_a_character_learned_in_an_earlier_book_they_know_in_the_next(tmp_path: Path) -> None:
    the_series(tmp_path)
    async with at_work(tmp_path / "second-wind", settings=IN_SERIES) as foreman:
        found = await foreman.graph.knows("Marcus", "ch01-sc01")
        assert ("knows", "first-light") in {(one.way, one.fact.book) for one in found.facts}
        assert any(one.fact.said.startswith("Marcus knows the berth is sold") for one in found.facts)
        met = await foreman.graph.together("Elena", "Marcus")
        assert [one.scene for one in met.meetings] == ["first-light:ch01-sc01", "ch01-sc01"]


async def test_the_next_book_does_not_reach_back(tmp_path: Path) -> None:
    the_series(tmp_path)
    async with at_work(tmp_path / "first-light", settings=IN_SERIES) as foreman:
        found = await foreman.graph.who("Elena")
        shown = await foreman.series.show()
    assert {one.book for one in found.facts} == {"", "series"}
    assert {row.book for row in shown.timeline} == {"first-light"}
    assert [(one.number, one.name, one.is_own, one.facts > 0) for one in shown.books] == [
        (1, "first-light", True, True), (2, "second-wind", False, False), (3, "third-tide", False, False),
    ]  # fmt: skip


async def test_a_book_that_says_otherwise_contradicts_the_series_unless_it_gives_a_reason(tmp_path: Path) -> None:
    the_series(tmp_path)
    scene = tmp_path / "second-wind" / "manuscript" / "ch01-sc01.md"
    blue = "  - {subject: Elena, predicate: eye_colour, object: blue}\n"
    scene.write_text(SECOND.replace("facts:\n", f"facts:\n{blue}"), encoding="utf-8")
    async with at_work(tmp_path / "second-wind", settings=IN_SERIES) as foreman:
        found = await foreman.series.check()
        assert [(one.rule, one.old.book, one.old.object, one.new.object) for one in found.contradictions] == [
            ("single_value", "series", "green", "blue")
        ]
        assert any(one.check == "series_contradicted" for one in (await foreman.view()).alerts)
        reason = blue.replace("}", ", because: she wears lenses now}")
        scene.write_text(SECOND.replace("facts:\n", f"facts:\n{reason}"), encoding="utf-8")
        found = await foreman.series.check()
        assert found.contradictions == ()
        assert [one.because for one in found.overrides] == ["she wears lenses now"]
        known = await told(foreman)
        assert not any("green" in one for one in known)


async def test_a_thread_leads_through_every_book_and_changes_only_this_one(tmp_path: Path) -> None:
    the_series(tmp_path)
    write(
        tmp_path / "second-wind" / "manuscript" / "ch01-sc02.md", "Marcus praised how green the eyes of Elena were.\n"
    )
    async with at_work(tmp_path / "second-wind", settings=IN_SERIES) as foreman:
        found = await foreman.thread.pull("Elena eye colour")
        assert {(one.book, one.where) for one in found.strands} == {
            ("", "manuscript/ch01-sc02.md"), ("series", "elena.md"), ("third-tide", "manuscript/ch01-sc01.md"),
        }  # fmt: skip
        request = {"fact": "Elena eye colour", "value": "grey", "rewords": False}
        run = await foreman.works.start("retcon", foreman.works.read("retcon", request))
        await foreman.works.wait(run.id)
        shown = (await foreman.patches.patches()).patches
        detail = await foreman.works.detail(run.id)
    assert [(one.file, one.old, one.new) for one in shown] == [("manuscript/ch01-sc02.md", "green", "grey")]
    assert detail.result is not None
    assert {one["book"] for one in detail.result["to_look_at"]} == {"series", "third-tide"}  # type: ignore[index, union-attr, call-overload]


async def test_a_retcon_asks_no_model_about_a_later_book(tmp_path: Path) -> None:
    the_series(tmp_path)
    scene = tmp_path / "first-light" / "manuscript" / "ch01-sc01.md"
    eyes = "  - {subject: Elena, predicate: eye_colour, object: green, quote: The sea in March looked at him.}\n"
    text = FIRST.replace("facts:\n", f"facts:\n{eyes}") + "\nThe sea in March looked at him.\n"
    scene.write_text(text, encoding="utf-8")
    asked: list[str] = []

    def model(request: ModelRequest) -> str:
        asked.append(f"{request.system}{request.messages[0].text}")
        return "Nothing."

    async with at_work(tmp_path / "first-light", model, settings=IN_SERIES) as foreman:
        found = await foreman.thread.pull("Elena died")
        assert found.fact is not None
        assert found.fact.book == "third-tide"
        later = foreman.works.read("retcon", {"fact": "Elena died", "value": "2196"})
        with pytest.raises(InvalidConfig, match="found: none"):
            await foreman.works.price("retcon", later)
        request = {"fact": "Elena eye colour", "value": "grey"}
        run = await foreman.works.start("retcon", foreman.works.read("retcon", request))
        await foreman.works.wait(run.id)
        detail = await foreman.works.detail(run.id)
    assert len(asked) == 1
    assert not any(word in asked[0] for word in ("spy", "2195", "fell from", "third-tide"))
    assert detail.result is not None
    assert "third-tide" in str(detail.result["to_look_at"])
    assert "third-tide" not in detail.said


async def test_a_book_without_a_series_says_how_to_name_one(tmp_path: Path) -> None:
    the_series(tmp_path)
    async with at_work(tmp_path / "first-light") as foreman:
        with pytest.raises(NotFound, match=r"belongs to no series.*series ="):
            await foreman.series.show()


BAD = {
    "two books of one number": (
        ("{folder: first-light, number: 2}", "{folder: second-wind}"), InvalidConfig, "both book 2",
    ),
    "a book listed twice": (("{folder: first-light}", "{folder: first-light}"), InvalidConfig, "same folder"),
    "a path": (("{folder: ../elsewhere}",), InvalidConfig, "no path"),
    "a path inside": (("{folder: a/b}",), InvalidConfig, "no path"),
    "the series itself": (("{folder: series}",), InvalidConfig, "no name of a folder"),
    "a series in a series": (("{folder: first-light, series: ../other}",), InvalidConfig, "series"),
    "no book": ((), InvalidConfig, "books"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
async def test_a_list_of_books_that_makes_no_sense_is_refused_and_the_book_goes_on(name: str, tmp_path: Path) -> None:
    rows, error, words = BAD[name]
    listed(the_series(tmp_path), rows)
    async with at_work(tmp_path / "first-light", settings=IN_SERIES) as foreman:
        with pytest.raises(error, match=words):
            await foreman.series.show()
        view = await foreman.view()
        assert any(one.check == "series" for one in view.alerts)
        assert (await foreman.graph.who("Elena")).facts


async def test_a_folder_that_is_missing_and_a_book_that_is_not_there_are_told_and_worked_around(tmp_path: Path) -> None:
    the_series(tmp_path)
    listed(tmp_path, ("{folder: lost-one}", "{folder: first-light}", "{folder: second-wind}"))
    async with at_work(tmp_path / "second-wind", settings=IN_SERIES) as foreman:
        shown = await foreman.series.show()
        assert shown.problems == ("Book 1 of the series, lost-one: there is no such folder beside series/.",)
        assert "Marcus owns the Meridian (2190-05-04; from first-light)" in await told(foreman)
        for place in (tmp_path / "series").iterdir():
            place.unlink()
        (tmp_path / "series").rmdir()
        with pytest.raises(NotFound, match=r"no folder .* for the series"):
            await foreman.series.show()
        assert any("cannot be read" in one.text for one in (await foreman.view()).alerts)


async def test_a_book_that_is_not_listed_reads_the_pages_and_no_other_book(tmp_path: Path) -> None:
    the_series(tmp_path)
    listed(tmp_path, ("{folder: first-light}",))
    async with at_work(tmp_path / "second-wind", settings=IN_SERIES) as foreman:
        known = await told(foreman)
        assert "Elena has eyes of the colour green (from the series)" in known
        assert not any("first-light" in one for one in known)
        assert "not listed" in (await foreman.series.show()).problems[0]


async def test_a_link_to_elsewhere_is_no_book(tmp_path: Path) -> None:
    the_series(tmp_path / "shelf")
    write(tmp_path / "diary" / "manuscript" / "ch01-sc01.md", "Dear diary.")
    (tmp_path / "shelf" / "linked").symlink_to(tmp_path / "diary")
    listed(tmp_path / "shelf", ("{folder: linked}", "{folder: first-light}"))
    async with at_work(tmp_path / "shelf" / "first-light", settings=IN_SERIES) as foreman:
        with pytest.raises(InvalidConfig, match="leads elsewhere"):
            await foreman.series.show()


async def test_a_series_around_the_book_goes_in_a_circle(tmp_path: Path) -> None:
    the_series(tmp_path)
    settings = IN_SERIES.model_copy(update={"series": Path("..")})
    async with at_work(tmp_path / "first-light", settings=settings) as foreman:
        with pytest.raises(DramaturgError, match="contains this book"):
            await foreman.series.show()


async def test_a_name_that_two_people_bear_joins_nobody(tmp_path: Path) -> None:
    pages = {"elena.md": ELENA.replace("name: Elena", "name: Helena\naliases: [Elena, Will]")}
    books = {"first-light": "---\ncast: [Elena, Will]\n---\nWill met Elena.\n"}
    the_series(tmp_path, books, pages)
    async with at_work(tmp_path / "first-light", settings=IN_SERIES) as foreman:
        assert (await foreman.graph.who("Elena")).entity.name == "Elena"
        assert (await foreman.graph.who("Will")).entity.name == "Will"


async def test_a_fact_of_the_series_is_listed_without_a_number_since_numbers_are_those_of_the_book(
    tmp_path: Path,
) -> None:
    the_series(tmp_path)
    blue = "---\nfacts:\n  - {subject: Elena, predicate: eye_colour, object: blue}\n---\nElena has blue eyes.\n"
    write(tmp_path / "second-wind/manuscript/ch09-sc01.md", blue)
    async with at_work(tmp_path / "second-wind", settings=IN_SERIES) as foreman:
        request = foreman.works.read("retcon", {"fact": "Elena eye colour", "value": "grey"})
        with pytest.raises(InvalidConfig, match="or more of its words") as refused:
            await foreman.works.price("retcon", request)
        listed_ = refused.value.message.partition("found: ")[2].split("; ")
        assert any(one.startswith("Elena has eyes of the colour green (from the series)") for one in listed_)
        assert any(one.startswith("#") and "blue" in one for one in listed_)
        assert (await foreman.thread.pull("Elena eye colour green")).fact is not None
