"""What of a book's actions can be undone, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.text.digits import whole_number
from dramaturg.workshop.book.files import FileChange, ProjectFiles
from dramaturg.workshop.events import ActionDone
from dramaturg.workshop.patches.pages import PatchedFiles
from dramaturg.workshop.revision.patch_review import set_undo_problem, undo_problem
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.wire import UndoRow

MOST_NAMED = 8


def undo_rows(state: ForemanState, files: ProjectFiles, patched: PatchedFiles) -> tuple[UndoRow, ...]:
    """The actions that can be undone, latest first, each with what stands in its way."""
    return tuple(
        UndoRow(
            act=one.act,
            turn=one.turn,
            by=one.by,
            action=one.action,
            said=one.outcome.said,
            blocked=file_in_the_way(one, files)
            or later_in_the_way(one, state)
            or (undo_problem(state.review, one.outcome.patch, patched) if one.outcome.patch is not None else ""),
        )
        for one in state.undoable
    )


def action_to_undo(state: ForemanState, act: str | None) -> ActionDone:
    """The action with this id, or the last one. Raises NotFound if there is none."""
    found = next((one for one in state.undoable if act is None or one.act == act), None)
    if found is None and act is None:
        raise NotFound("There is nothing left to undo.")
    if found is None:
        known = ", ".join(one.act for one in state.undoable[:MOST_NAMED]) or "none"
        raise NotFound(f"There is no action '{act}' to undo (there is: {known}). See: dramaturg foreman undo --list")
    return found


def actions_to_undo(state: ForemanState, act: str | None, files: PatchedFiles) -> tuple[ActionDone, ...]:
    """The action to undo; of a set such as `s3`, all accepted patches, the last one first.

    Raises NotFound if there is none, InvalidConfig if one patch of a set cannot be undone: then none of it is.
    """
    number = whole_number(act[1:]) if act is not None and act.startswith("s") else None
    if number is None:
        return (action_to_undo(state, act),)
    its_set = next((one for one in state.review.sets if one.number == number), None)
    if its_set is None:
        known = ", ".join(f"s{one.number}" for one in state.review.sets[-MOST_NAMED:]) or "none"
        raise NotFound(f"There is no set '{act}' (there is: {known}). See: dramaturg foreman patches --all")
    own = {one.number for one in its_set.patches}
    accepted = tuple(one for one in state.undoable if one.outcome.patch in own)
    if not accepted:
        raise NotFound(f"Nothing of set {number} is accepted.", set=number)
    numbers = [one.outcome.patch for one in accepted if one.outcome.patch is not None]
    if problem := set_undo_problem(state.review, numbers, files):
        raise InvalidConfig(f"{problem} Nothing of set {number} was undone.", set=number)
    return accepted


class Interrupted(NamedTuple):
    """An action of the writer's own whose process died before it was done, and the files that it had changed."""

    act: str
    said: str
    changes: tuple[FileChange, ...]
    made: Mapping[str, str]


def interrupted(state: ForemanState, files: ProjectFiles) -> Iterator[Interrupted]:
    """Every such action that was not taken back yet. Those of a turn are done again by the turn itself."""
    over = {one.act for one in state.done} | state.undone
    for act, kept in state.kept.items():
        if act in over or not act.startswith("w"):
            continue
        held = [one for one in kept.values() if files.holds(one.kept_at or one.path, one.made)]
        changes = tuple(one.change for one in held)
        said = f"It was interrupted, and nothing of it stands: {', '.join(sorted(kept))}"
        yield Interrupted(act, said, changes, {one.path: one.made for one in held})


def check_later(action: ActionDone, state: ForemanState) -> None:
    """Raises InvalidConfig if the mode has changed again since, or another voice was chosen."""
    if blocked := later_in_the_way(action, state):
        raise InvalidConfig(blocked, act=action.act)


def later_in_the_way(action: ActionDone, state: ForemanState) -> str:
    if action.outcome.chose_voice:
        chosen = next(
            one.act for one in reversed(state.done) if one.outcome.chose_voice and one.act not in state.undone
        )
        return "" if chosen == action.act else f"Another voice was chosen since; undo {chosen} first."
    if action.outcome.advanced is None:
        return ""
    later = [one.act for one in state.modes if one.act not in state.undone]
    last = later[-1] if later else action.act
    return "" if last == action.act else f"The mode has changed again since; undo {last} first."


def file_in_the_way(action: ActionDone, files: ProjectFiles) -> str:
    changed = [one.path for one in action.outcome.files if files.is_changed(one)]
    if not changed:
        return ""
    it = "it as it is" if len(action.outcome.files) == 1 else "all its files as they are"
    has = "has" if len(changed) == 1 else "have"
    return f"{', '.join(changed)} {has} changed since; --keep-file leaves {it}."
