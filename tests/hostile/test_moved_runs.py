"""A run leaves as one file and arrives unchanged; a file that was touched does not arrive at all."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.runs import LocalEngine, Run, RunLibrary
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.kernel.store import Artifacts, Store, open_store
from dramaturg.studio import Studio
from dramaturg.transfer.moves import Imported, export_run, import_run
from dramaturg.transfer.run_file import FIRST, chained, read_run_file
from tests.laws import examples
from tests.said import KINDS, Said, Thought

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60)
LINES = st.lists(
    st.one_of(
        st.builds(Said, text=TEXTS),
        st.builds(Thought, text=TEXTS, weight=st.floats(allow_nan=False, allow_infinity=False)),
    ),
    min_size=1,
    max_size=12,
)


@asynccontextmanager
async def a_library(project: Path) -> AsyncIterator[RunLibrary]:
    store = await open_store(Settings(project=project))
    try:
        yield RunLibrary(store, StillClock(), KINDS)
    finally:
        await store.close()


async def brought(library: RunLibrary, project: Path, file: Path, *, as_new: bool = False) -> Imported:
    return await import_run(library, Artifacts(project / "data"), file, as_new=as_new)


async def exported(library: RunLibrary, run: Run, folder: Path) -> Path:
    await export_run(library, Artifacts(folder / "data"), run.id, folder / "run.jsonl")
    return folder / "run.jsonl"


@pytest.fixture
async def two_libraries(tmp_path: Path) -> AsyncIterator[tuple[RunLibrary, RunLibrary]]:
    async with a_library(tmp_path / "here") as here, a_library(tmp_path / "there") as there:
        yield here, there


@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=LINES)
async def test_a_run_arrives_as_it_left_whatever_was_said(
    two_libraries: tuple[RunLibrary, RunLibrary], tmp_path: Path, events: list[Said | Thought]
) -> None:
    here, there = two_libraries
    run = await here.create("said", "hello", seed=7, config='{"a":1}')
    await run.append(*events)
    file = await exported(here, run, tmp_path)
    done = await brought(there, tmp_path / "there", file)
    copy = await there.open(run.id)
    assert (done.is_new, list(copy.entries)) == (True, list(run.entries))
    held = {name: getattr(run.record, name) for name in ("status", "player", "generation", "lease")}
    assert copy.record.model_copy(update=held) == run.record
    before = file.read_bytes()
    again = await exported(there, copy, tmp_path)
    assert again.read_bytes().partition(b"\n")[2].count(b"\n") == before.partition(b"\n")[2].count(b"\n")
    assert not (await brought(there, tmp_path / "there", again)).is_new


async def test_a_run_moves_between_databases_and_plays_on_there(
    store: Store, store_settings: Settings, tmp_path: Path
) -> None:
    async with a_library(tmp_path / "here") as here:
        run = await here.create("said", "hello")
        await run.append(Said(text="0"))
        file = await exported(here, run, tmp_path)
    there = RunLibrary(store, StillClock(), KINDS)
    done = await brought(there, store_settings.project, file)
    assert (done.record.status, done.record.player) == ("stopped", "")
    await (await LocalEngine(there).resume(run.id))
    assert (await there.get(run.id)).status == "ended"
    fork = await there.fork(run.id, 1)
    assert fork.seq == 2
    back = await exported(there, await there.open(run.id), tmp_path)
    async with a_library(tmp_path / "back") as home:
        await brought(home, tmp_path / "back", back)
        kind = home.kind_of(done.record)
        assert kind.show(await home.open(run.id)) == "0\n1\n2\n"


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    async with a_library(tmp_path / "here") as here:
        run = await here.create("said", "hello")
        await run.append(*(Said(text=f"line {n}") for n in range(1, 7)))
        return await exported(here, run, tmp_path)


def _swapped(lines: list[bytes]) -> list[bytes]:
    return [*lines[:3], lines[4], lines[3], *lines[5:]]


TOUCHED = {
    "cut after a line": (lambda lines: lines[:4], "middle"),
    "cut in a line": (lambda lines: [*lines[:4], lines[4][:20]], "entry 4"),
    "without its last newline": (lambda lines: [*lines[:-1], lines[-1].rstrip()], "line 8"),
    "a line twice": (lambda lines: [*lines[:4], lines[3], *lines[4:]], "entry 4"),
    "two lines swapped": (_swapped, "entry 3"),
    "a line left out": (lambda lines: [*lines[:3], *lines[4:]], "entry 3"),
    "a word changed": (lambda lines: [line.replace(b"line 3", b"line x") for line in lines], "entry 3"),
    "the first digest changed": (lambda lines: [lines[0].replace(lines[0][11:15], b"0000"), *lines[1:]], "line 1"),
    "another name": (lambda lines: [lines[0].replace(b"hello", b"hallo"), *lines[1:]], "line 1"),
    "no header": (lambda lines: lines[1:], "line 1"),
    "the header twice": (lambda lines: [lines[0], *lines], "line 2"),
    "something after the end": (lambda lines: [*lines, lines[-1]], "follows the end"),
    "empty": (lambda lines: [], "middle"),
    "blank lines": (lambda lines: [lines[0], b"\n", *lines[1:]], "line 2"),
    "another file": (lambda lines: [b"PK\x03\x04\x00\xff\n"], "line 1"),
    "Windows newlines": (lambda lines: [line.replace(b"\n", b"\r\n") for line in lines], "line 1"),
}


@pytest.mark.parametrize("how", TOUCHED)
async def test_a_file_that_was_touched_is_refused_with_its_place_and_nothing_is_imported(
    file: Path, how: str, tmp_path: Path
) -> None:
    touch, said = TOUCHED[how]
    file.write_bytes(b"".join(touch(file.read_bytes().splitlines(keepends=True))))
    async with a_library(tmp_path / "there") as there:
        with pytest.raises(InvalidConfig, match=said):
            await brought(there, tmp_path / "there", file)
        assert await there.find() == []


async def test_any_changed_byte_is_noticed(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    async with a_library(tmp_path / "there") as there:
        for place in random.Random(1).sample(range(len(whole)), 120):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            with pytest.raises(InvalidConfig):
                await brought(there, tmp_path / "there", file)
        assert await there.find() == []


def rewritten(file: Path, change) -> None:
    """The lines changed by a forger who knows how the digests are made."""
    digest, lines = FIRST, []
    for line in file.read_bytes().splitlines():
        [(part, content)] = [(name, value) for name, value in orjson.loads(line).items() if name != "digest"]
        for made_part, made in change(part, content):
            packed = orjson.dumps(made)
            digest = chained(digest, packed)
            lines.append(b'{"digest":"%s","%s":%s}\n' % (digest.encode(), made_part.encode(), packed))
    file.write_bytes(b"".join(lines))


HEADER = {
    "format": "dramaturg-run",
    "version": 2,
    "run": {
        "id": "0" * 26,
        "kind": "said",
        "name": "x",
        "status": "ended",
        "created_at": 0,
        "updated_at": 0,
        "seed": 0,
        "player": "",
        "config": "{}",
    },
}
FORGED = {
    "an id that leads away": lambda p, c: [(p, {**c, "run": {**c["run"], "id": "../../etc"}} if p == "header" else c)],
    "an unknown kind": lambda p, c: [(p, {**c, "run": {**c["run"], "kind": "opera"}} if p == "header" else c)],
    "an immense seed": lambda p, c: [(p, {**c, "run": {**c["run"], "seed": 2**63 + 5}} if p == "header" else c)],
    "a date that no calendar has": lambda p, c: (
        [(p, {**c, "run": {**c["run"], "created_at": 1e13}} if p == "header" else c)]
    ),
    "an entry of a time that no calendar has": lambda p, c: [(p, {**c, "at": -1e300} if p == "entry" else c)],
    "a header that is a list": lambda p, c: [(p, [c] if p == "header" else c)],
    "another version": lambda p, c: [(p, {**c, "version": 3} if p == "header" else c)],
    "a second run in a file for one": lambda p, c: [("header", HEADER), (p, c)] if p == "end" else [(p, c)],
    "the same run twice": lambda p, c: [(p, {**c, "version": 2})] * 2 if p == "header" else [(p, c)],
    "a second run without a log": lambda p, c: (
        [("header", HEADER), (p, c)] if p == "end" else [(p, {**c, "version": 2} if p == "header" else c)]
    ),
    "a gap": lambda p, c: [(p, {**c, "seq": c["seq"] + 1} if p == "entry" else c)],
    "an event of another kind": lambda p, c: [(p, {**c, "body": {"type": "sung"}} if p == "entry" else c)],
    "a label that lies": lambda p, c: [(p, {**c, "type": "thought"} if p == "entry" else c)],
    "a file where none belongs": lambda p, c: (
        [("file", {"path": "dramaturg.db", "data": "AAAA"}), (p, {**c, "files": 1})] if p == "end" else [(p, c)]
    ),
    "a file outside": lambda p, c: (
        [("file", {"path": "../../x", "data": "AAAA"}), (p, {**c, "files": 1})] if p == "end" else [(p, c)]
    ),
    "no entries": lambda p, c: [] if p == "entry" else [(p, {**c, "entries": 0} if p == "end" else c)],
}


@pytest.mark.parametrize("how", FORGED)
async def test_a_forged_file_with_fitting_digests_is_refused_for_what_it_holds(
    file: Path, how: str, tmp_path: Path
) -> None:
    rewritten(file, FORGED[how])
    async with a_library(tmp_path / "there") as there:
        with pytest.raises(InvalidConfig):
            await brought(there, tmp_path / "there", file)
        assert await there.find() == []
    assert sorted(path.name for path in (tmp_path / "there" / "data").iterdir()) == ["dramaturg.db"]


SAID: dict[str, tuple[Callable[[dict], dict], str]] = {
    "a version to come": (
        lambda c: {**c, "version": 3},
        "line 1: it has version 3, and this dramaturg reads versions 1 and 2",
    ),
    "a version that is no number": (lambda c: {**c, "version": True}, "has version True, and this dramaturg reads"),
    "a date that no calendar has": (
        lambda c: {**c, "run": {**c["run"], "created_at": 1e300}},
        "line 1: it cannot be read ('created_at' is 1e+300, a time that no calendar has)",
    ),
}


@pytest.mark.parametrize("what", SAID)
async def test_what_is_wrong_with_a_header_is_said(file: Path, what: str, tmp_path: Path) -> None:
    change, said = SAID[what]
    rewritten(file, lambda part, content: [(part, change(content) if part == "header" else content)])
    async with a_library(tmp_path / "there") as there:
        with pytest.raises(InvalidConfig, match=re.escape(said)):
            await brought(there, tmp_path / "there", file)


ENTRIES: dict[str, tuple[dict, str]] = {
    "no time": ({"at": -1e300}, "('at' is -1e+300, a time that no calendar has)"),
    "no number": ({"seq": "9" * 5000}, "(its number is none)"),
}


@pytest.mark.parametrize("what", ENTRIES)
async def test_what_is_wrong_with_an_entry_is_said(file: Path, what: str, tmp_path: Path) -> None:
    change, said = ENTRIES[what]
    rewritten(file, lambda part, content: [(part, {**content, **change} if part == "entry" else content)])
    async with a_library(tmp_path / "there") as there:
        with pytest.raises(InvalidConfig, match=re.escape(f"line 2 (entry 1): it cannot be read {said}")):
            await brought(there, tmp_path / "there", file)


async def test_a_run_that_is_here_already_is_kept_unless_it_gets_a_new_id(file: Path, tmp_path: Path) -> None:
    async with a_library(tmp_path / "here") as here:
        [record] = await here.find()
        assert not (await brought(here, tmp_path / "here", file)).is_new
        await (await here.open(record.id)).append(Said(text="more"))
        with pytest.raises(InvalidConfig, match=r"differs from entry 7 on \(7 entries here, 6 in the file\)"):
            await brought(here, tmp_path / "here", file)
        copy = await brought(here, tmp_path / "here", file, as_new=True)
        assert copy.record.id != record.id
        assert [(await here.open(run.id)).seq for run in (record, copy.record)] == [7, 6]


async def test_of_imports_at_once_one_adds_the_run_and_the_others_find_it(file: Path, tmp_path: Path) -> None:
    async with a_library(tmp_path / "there") as there, a_library(tmp_path / "there") as too:
        done = await asyncio.gather(*(brought(one, tmp_path / "there", file) for one in (there, too) * 4))
        assert sorted(one.is_new for one in done) == [False] * 7 + [True]
        assert len(await there.find()) == 1


async def test_an_ensemble_carries_its_sound(tmp_path: Path) -> None:
    from dramaturg.ensemble.request import ChatRequest

    def project(name: str) -> Settings:
        (tmp_path / name).mkdir()
        (tmp_path / name / "dramaturg.toml").write_text(
            '[models]\ndefault = "rehearsal"\n[voices]\nengine = "silent"\n', encoding="utf-8"
        )
        return read_settings(tmp_path / name, {})

    async with Studio.open(project("here")) as here:
        run = await here.ensemble.ask(ChatRequest(message="What is a door for?"))
        await here.engine.join()
        done = await here.export_log(run.id, tmp_path / "run.jsonl")
        shown = here.ensemble.kind.show(await here.ensemble.open_run(run.id))
    assert done.files > 1
    async with Studio.open(project("there")) as there:
        await there.import_log(tmp_path / "run.jsonl")
        assert there.ensemble.kind.show(await there.ensemble.open_run(run.id)) == shown
    assert _files(tmp_path / "there") == _files(tmp_path / "here")


def _files(project: Path) -> dict[str, bytes]:
    root = project / "data" / "artifacts" / "tts" / "sessions"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_reading_a_folder_or_nothing_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(DramaturgError, match="cannot be read"):
            list(read_run_file(path))
