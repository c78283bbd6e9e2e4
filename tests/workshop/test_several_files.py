"""An action that changes several files: all are kept before the first is changed, and undo takes back all or none."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig, NotFound, StoreUnavailable
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.files import FileChange, PlannedChange, ProjectFiles, digest_of
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.events import ActionDone, FileKept
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.bench import BookBench
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.turn_context import TurnContext, changes_made
from tests.workshop.workroom import at_work, heard, saying

SCENES = {f"manuscript/ch01-sc{number:02}.md": f"Elena's eyes are green, {number}.\n" for number in range(1, 21)}
RETCON = {path: text.replace("green", "grey") for path, text in SCENES.items()}


def write(project: Path) -> None:
    for path, text in SCENES.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")


def held(project: Path) -> dict[str, str]:
    return {path: (project / path).read_text(encoding="utf-8") for path in SCENES if (project / path).exists()}


async def retcon(foreman: Workshop, act: str = "w9") -> Outcome:
    """The writer's own retcon of all scenes, as an action would do it."""
    async with foreman._hold.alone() as performance:
        context = TurnContext(performance, foreman._sources, foreman.works)
        snapshot = await context.snapshot(performance.state.next_turn)
        bench = context.bench(act, snapshot, dict(snapshot.seen), is_writers=True)
        outcome = Outcome.of_files("Elena's eyes are grey.", await bench.write_files(RETCON))
        await performance.write(ActionDone(act=act, turn=0, action="retcon", outcome=outcome, by="writer"))
    return outcome


async def test_undo_takes_back_every_file_of_an_action(tmp_path: Path) -> None:
    write(tmp_path)
    async with at_work(tmp_path, []) as foreman:
        outcome = await retcon(foreman)
        assert len(outcome.files) == 20
        assert held(tmp_path) == RETCON
        await foreman.undo()
        assert held(tmp_path) == SCENES
        assert await foreman.undoable() == ()


@pytest.mark.parametrize(("mark", "newline"), [("", "\r\n"), ("\ufeff", "\n"), ("\ufeff", "\r\n")])
async def test_files_keep_the_line_breaks_and_the_byte_order_mark_that_they_have(
    tmp_path: Path, mark: str, newline: str
) -> None:
    def as_typed(texts: dict[str, str]) -> dict[str, bytes]:
        return {path: f"{mark}{text}".replace("\n", newline).encode() for path, text in texts.items()}

    (tmp_path / "manuscript").mkdir()
    for path, data in as_typed(SCENES).items():
        (tmp_path / path).write_bytes(data)
    async with at_work(tmp_path, []) as foreman:
        await retcon(foreman)
        assert {path: (tmp_path / path).read_bytes() for path in SCENES} == as_typed(RETCON)
        await foreman.undo()
        assert {path: (tmp_path / path).read_bytes() for path in SCENES} == as_typed(SCENES)


async def test_one_file_that_was_edited_since_blocks_the_undo_of_all(tmp_path: Path) -> None:
    write(tmp_path)
    async with at_work(tmp_path, []) as foreman:
        await retcon(foreman)
        last = list(SCENES)[-1]
        (tmp_path / last).write_text("Mine.\n", encoding="utf-8")
        (row,) = await foreman.undoable()
        assert last in row.blocked
        with pytest.raises(InvalidConfig, match=last):
            await foreman.undo()
        assert held(tmp_path) == {**RETCON, last: "Mine.\n"}
        await foreman.undo(keep_file=True)
        assert held(tmp_path) == {**RETCON, last: "Mine.\n"}
        assert await foreman.undoable() == ()


async def test_a_file_that_changed_meanwhile_stops_the_action_before_the_first_is_changed(tmp_path: Path) -> None:
    write(tmp_path)
    async with at_work(tmp_path, []) as foreman, foreman._hold.alone() as performance:
        context = TurnContext(performance, foreman._sources, foreman.works)
        snapshot = await context.snapshot(1)
        last = list(SCENES)[-1]
        (tmp_path / last).write_text("Mine.\n", encoding="utf-8")
        bench = context.bench("w9", snapshot, dict(snapshot.seen), is_writers=True)
        with pytest.raises(InvalidConfig, match=last):
            await bench.write_files(RETCON)
        assert held(tmp_path) == {**SCENES, last: "Mine.\n"}
        assert performance.state.kept == {}


class Death(BaseException):
    """What nobody catches."""


class DyingFiles(ProjectFiles):
    """Files of a process that dies, or whose disk fails, at the n-th change."""

    def __init__(self, project: Path, at: int, error: BaseException) -> None:
        super().__init__(project)
        self._at, self._error = at, error

    def put(self, planned: PlannedChange) -> FileChange:
        self._at -= 1
        if self._at == 0:
            raise self._error
        return super().put(planned)


def bench_of(project: Path, files: ProjectFiles, kept: list[PlannedChange]) -> BookBench:
    async def keep(changes: object) -> None:
        assert held(project) == SCENES, "nothing is changed before all is kept"
        kept.extend(changes)  # type: ignore[call-overload]

    return BookBench(
        act="1.1.1",
        mode=Mode.EDITOR,
        files=files,
        bible=StoryBible(project),
        manuscript=Manuscript(project),
        knowledge=None,  # type: ignore[arg-type]
        notebooks=None,  # type: ignore[arg-type]
        clock=None,  # type: ignore[arg-type]
        look=None,  # type: ignore[arg-type]
        keep=keep,
        start=None,  # type: ignore[arg-type]
        propose=None,  # type: ignore[arg-type]
        voice=None,  # type: ignore[arg-type]
        seen={path: digest_of(text) for path, text in SCENES.items()},
    )


@pytest.mark.parametrize("at", [1, 2, 11, 20])
async def test_a_disk_that_fails_at_any_file_leaves_all_as_they_were(tmp_path: Path, at: int) -> None:
    write(tmp_path)
    kept: list[PlannedChange] = []
    bench = bench_of(tmp_path, DyingFiles(tmp_path, at, StoreUnavailable("The disk is full.")), kept)
    with pytest.raises(StoreUnavailable):
        await bench.write_files(RETCON)
    assert len(kept) == 20
    assert held(tmp_path) == SCENES


@pytest.mark.parametrize("at", [1, 2, 11, 20])
async def test_a_process_that_dies_between_two_files_is_taken_back_and_done_again(tmp_path: Path, at: int) -> None:
    write(tmp_path)
    kept: list[PlannedChange] = []
    with pytest.raises(Death):
        await bench_of(tmp_path, DyingFiles(tmp_path, at, Death()), kept).write_files(RETCON)
    assert (held(tmp_path) != SCENES) == (at > 1)
    logged = {
        one.path: FileKept(act="1.1.1", path=one.path, before=one.before, digest=one.digest, made=digest_of(one.text))
        for one in kept
    }
    assert changes_made(logged, ProjectFiles(tmp_path)) == ()
    assert held(tmp_path) == SCENES
    bench = bench_of(tmp_path, ProjectFiles(tmp_path), [])
    assert len(await bench.write_files(RETCON)) == 20
    assert held(tmp_path) == RETCON
    assert len(changes_made(logged, ProjectFiles(tmp_path))) == 20


async def test_an_own_action_that_died_before_it_was_done_is_taken_back_once(tmp_path: Path) -> None:
    write(tmp_path)
    async with at_work(tmp_path, [saying("Yes.")]) as foreman:
        async with foreman._hold.alone() as performance:
            context = TurnContext(performance, foreman._sources, foreman.works)
            snapshot = await context.snapshot(1)
            await context.bench("w9", snapshot, dict(snapshot.seen), is_writers=True).write_files(RETCON)
        assert held(tmp_path) == RETCON
        with pytest.raises(NotFound, match="nothing left to undo"):
            await foreman.undo()
        assert held(tmp_path) == SCENES
        await retcon(foreman, "w30")
        await heard(foreman, "Go on.")
        assert [row.act for row in await foreman.undoable()] == ["w30"]
        assert held(tmp_path) == RETCON


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.integers(1, 4))
async def test_whatever_files_held_is_there_again_to_the_byte(texts: list[str], at: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "manuscript").mkdir()
        before = {f"manuscript/s{n}.md": text.encode("utf-8", "replace") for n, text in enumerate(texts)}
        for path, data in before.items():
            (project / path).write_bytes(data)
        files = DyingFiles(project, at, StoreUnavailable("full"))
        planned = [PlannedChange(path=path, before=data.decode(), text="new\n") for path, data in before.items()]
        with suppress(StoreUnavailable):
            files.restore_all(files.put_all(planned), {})
        assert {path: (project / path).read_bytes() for path in before} == before
