"""What is read from files is read once, and never believed when it may have changed."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book import file_cache
from dramaturg.workshop.book.file_cache import TICK_SECONDS, FileCache, FileStamp, markdown_in, one_look, stamp_of

LATER = 4e9
"""A time long after every file of a test was written."""


class Disk:
    """A file whose stamp changes only once a tick, as on a file system with a coarse clock."""

    def __init__(self, tick: float = 1.0) -> None:
        self.now, self.text, self.tick = 1000.0, "0", tick
        self._stamped = 1000.0
        self.reads = 0

    def write(self, text: str) -> None:
        self.text, self._stamped = text, self.now // self.tick * self.tick

    def read(self) -> str:
        self.reads += 1
        return self.text

    def look(self, names: Sequence[str]) -> tuple[FileStamp, ...]:
        time = int(self._stamped * 1e9)
        return tuple(FileStamp(time, time, len(self.text), 1) for _ in names)


@given(
    st.lists(st.tuples(st.sampled_from(["write", "read", "wait"]), st.floats(0, 3)), max_size=60),
    st.sampled_from([0.004, 1.0, TICK_SECONDS]),
)
def test_what_is_believed_is_what_is_there_whatever_the_clock_of_the_disk(
    steps: list[tuple[str, float]], tick: float
) -> None:
    disk, number = Disk(tick), 0
    cache = FileCache(lambda: disk.now, disk.look)
    for step, seconds in steps:
        if step == "wait":
            disk.now += seconds
        elif step == "write":
            number = (number + 1) % 10
            disk.write(str(number))
        else:
            assert cache.read("x", [Path("x")], disk.read) == disk.text


def test_a_file_that_has_settled_is_read_once() -> None:
    disk = Disk()
    cache = FileCache(lambda: disk.now, disk.look)
    disk.now += 10
    for _ in range(5):
        assert cache.read("x", [Path("x")], disk.read) == "0"
    assert disk.reads == cache.reads == 1


def test_a_file_that_had_just_changed_is_read_again_until_it_has_settled() -> None:
    disk = Disk()
    cache = FileCache(lambda: disk.now, disk.look)
    for _ in range(3):
        cache.read("x", [Path("x")], disk.read)
    assert disk.reads == 3
    disk.now += 10
    for _ in range(3):
        cache.read("x", [Path("x")], disk.read)
    assert disk.reads == 4


def test_a_text_of_the_same_length_and_time_is_told_by_its_inode(tmp_path: Path) -> None:
    place, cache = tmp_path / "a.md", FileCache(lambda: LATER)
    place.write_text("green", encoding="utf-8")
    before = place.stat()
    assert cache.text(place, lambda: place.read_text(encoding="utf-8")) == "green"
    other = tmp_path / "b.md"
    other.write_text("black", encoding="utf-8")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(place)
    assert cache.text(place, lambda: place.read_text(encoding="utf-8")) == "black"


def test_a_file_that_cannot_be_read_is_not_tried_again_until_it_changes(tmp_path: Path) -> None:
    place, cache, tried = tmp_path / "a.md", FileCache(lambda: LATER), []

    def load() -> str:
        tried.append(1)
        raise InvalidConfig("not text")

    place.write_bytes(b"\xff")
    for _ in range(3):
        with pytest.raises(InvalidConfig):
            cache.text(place, load)
    assert len(tried) == 1
    place.write_text("mended", encoding="utf-8")
    assert cache.text(place, lambda: "mended") == "mended"


def test_a_file_that_comes_and_goes_is_seen(tmp_path: Path) -> None:
    place, cache = tmp_path / "a.md", FileCache(lambda: LATER)

    def load() -> str | None:
        return place.read_text(encoding="utf-8") if place.exists() else None

    assert stamp_of(str(place)) is None
    assert cache.text(place, load) == ""
    place.write_text("here", encoding="utf-8")
    assert cache.text(place, load) == "here"
    place.unlink()
    assert cache.text(place, load) == ""


def test_one_look_sees_a_file_as_it_was_when_it_was_first_met(tmp_path: Path) -> None:
    place, cache = tmp_path / "a.md", FileCache(lambda: LATER)
    place.write_text("one", encoding="utf-8")
    with one_look():
        assert (cache.text(place, place.read_text), markdown_in(tmp_path)) == ("one", (place,))
        place.write_text("another", encoding="utf-8")
        (tmp_path / "b.md").write_text("new", encoding="utf-8")
        assert (cache.text(place, place.read_text), markdown_in(tmp_path)) == ("one", (place,))
    assert (cache.text(place, place.read_text), len(markdown_in(tmp_path))) == ("another", 2)


def test_what_was_read_from_a_file_that_changed_during_a_look_is_read_again(tmp_path: Path) -> None:
    place, cache = tmp_path / "a.md", FileCache(lambda: LATER)
    place.write_text("one", encoding="utf-8")
    with one_look():
        cache.made("size", [place], lambda: 3)
        place.write_text("another", encoding="utf-8")
        assert cache.text(place, place.read_text) == "another"
    place.write_text("one", encoding="utf-8")
    assert cache.text(place, place.read_text) == "one"


@pytest.mark.parametrize("alone_first", [True, False])
def test_one_look_sees_a_file_as_it_was_whether_it_is_met_alone_or_in_its_folder(
    tmp_path: Path, alone_first: bool
) -> None:
    place, cache = tmp_path / "in" / "a.md", FileCache(lambda: LATER)
    place.parent.mkdir()

    def alone() -> str:
        return cache.made("alone", [Path(str(place))], lambda: place.read_text(encoding="utf-8"))

    def folder() -> list[str]:
        listing = markdown_in(tmp_path)
        return cache.made("folder", listing, lambda: [one.read_text(encoding="utf-8") for one in listing])

    place.write_text("one", encoding="utf-8")
    assert (alone(), folder()) == ("one", ["one"])
    with one_look():
        asked = (alone, folder) if alone_first else (folder, alone)
        asked[0]()
        place.write_text("another", encoding="utf-8")
        asked[1]()
        assert (alone(), folder()) == ("one", ["one"])
    assert (alone(), folder()) == ("another", ["another"])


def test_a_change_to_one_file_of_a_folder_is_seen_in_the_next_look(tmp_path: Path) -> None:
    cache = FileCache(lambda: LATER)
    places = [tmp_path / "a.md", tmp_path / "in" / "b.md"]
    places[1].parent.mkdir()

    def told() -> list[str]:
        with one_look():
            listing = markdown_in(tmp_path)
            return cache.made("told", listing, lambda: [one.read_text(encoding="utf-8") for one in listing])

    for place in places:
        place.write_text("one", encoding="utf-8")
    assert (told(), told()) == (["one", "one"], ["one", "one"])
    places[1].write_text("two!", encoding="utf-8")
    assert told() == ["one", "two!"]
    places[0].unlink()
    assert told() == ["two!"]


async def test_a_look_is_that_of_its_own_task(tmp_path: Path) -> None:
    place, cache = tmp_path / "a.md", FileCache(lambda: LATER)
    place.write_text("one", encoding="utf-8")
    looking, changed = asyncio.Event(), asyncio.Event()

    async def look() -> str:
        with one_look():
            cache.text(place, place.read_text)
            looking.set()
            await changed.wait()
            return await asyncio.to_thread(cache.text, place, place.read_text)

    task = asyncio.create_task(look())
    await looking.wait()
    place.write_text("another", encoding="utf-8")
    assert cache.text(place, place.read_text) == "another"
    place.write_text("a third", encoding="utf-8")
    changed.set()
    assert await task in ("one", "a third")
    assert cache.text(place, place.read_text) == "a third"


NAMES = st.sampled_from(["a", "a.md", "a-b.md", "b.md", "B.md", ".md", ".hidden.md", "c.txt", "d.md.md", "ä.md", "a b"])


@given(st.lists(st.lists(NAMES, min_size=1, max_size=3), max_size=12))
def test_markdown_is_found_as_a_recursive_pattern_finds_it_and_in_the_order_of_its_parts(
    paths: list[list[str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for parts in paths:
            place = root.joinpath(*parts)
            with suppress(OSError):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch()
        (root / "link").symlink_to(root, target_is_directory=True)
        assert list(markdown_in(root)) == sorted(root.rglob("*.md"), key=lambda place: place.parts)
        assert not markdown_in(root / "nowhere")


@given(
    st.lists(
        st.tuples(st.sampled_from(["a.md", "b.md", "in/c.md", "in/d.md", "in/deep/e.md"]), st.booleans()), max_size=20
    )
)
def test_what_comes_into_a_folder_that_had_rested_or_goes_is_seen(steps: list[tuple[str, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(file_cache, "time", SimpleNamespace(time=lambda: LATER))
        root = Path(folder)
        (root / "in" / "deep").mkdir(parents=True)
        for tick, (name, comes) in enumerate(steps):
            place = root / name
            place.touch() if comes else place.unlink(missing_ok=True)
            os.utime(place.parent, ns=(tick, tick))
            assert list(markdown_in(root)) == sorted(root.rglob("*.md"), key=lambda found: found.parts)


def test_a_folder_that_rests_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").touch()
    listed: list[str] = []
    scan = os.scandir
    monkeypatch.setattr(file_cache, "time", SimpleNamespace(time=lambda: LATER))
    monkeypatch.setattr(file_cache.os, "scandir", lambda folder: (listed.append(str(folder)), scan(folder))[1])
    for _ in range(3):
        assert list(markdown_in(tmp_path)) == [tmp_path / "a.md"]
    assert listed == [str(tmp_path)]


def test_a_folder_that_has_only_just_changed_is_listed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").touch()
    now = tmp_path.stat().st_mtime
    monkeypatch.setattr(file_cache, "time", SimpleNamespace(time=lambda: now + TICK_SECONDS / 2))
    assert list(markdown_in(tmp_path)) == [tmp_path / "a.md"]
    (tmp_path / "b.md").touch()
    os.utime(tmp_path, (now, now))
    assert list(markdown_in(tmp_path)) == [tmp_path / "a.md", tmp_path / "b.md"]
