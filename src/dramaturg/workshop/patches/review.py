"""The review of a book: its patches with what became of each, and the versions of every scene that they changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from dramaturg.kernel.errors import NotFound
from dramaturg.workshop.patches.applied import Applied, applied_patch, followed, with_patch, without_patch
from dramaturg.workshop.patches.events import PatchesProposed, PatchesRejected, SceneChanged, SceneDrafted, SceneWritten
from dramaturg.workshop.patches.patch import Patch, PatchSource

PatchState = Literal["waiting", "accepted", "rejected", "undone"]
FOUND = "The text as it stood."
EDITED = "The writer's own edit."
REPLACED = "The text before it was changed."
REPLACED_BY = {
    "writer": "The text before the writer changed it.",
    "foreman": "The text before the Foreman changed it.",
}
MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class ProposedSet:
    """A set of patches that waits to be taken in. `act` tells it from every other."""

    act: str
    title: str
    source: PatchSource
    patches: tuple[Patch, ...]


@dataclass(frozen=True, slots=True)
class SceneVersion:
    """A text that a scene has had, with the patches that stood in it."""

    number: int
    at: float
    said: str
    text: str
    applied: Applied = ()
    accepted: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SceneHistory:
    """A file as the log last knew it, and every text before."""

    path: str
    text: str
    applied: Applied = ()
    accepted: frozenset[int] = frozenset()
    """The patches that were accepted in it and not undone, also where the writer has rewritten their words since."""
    versions: tuple[SceneVersion, ...] = ()

    def seen(self, text: str, at: float, said: str) -> SceneHistory:
        """The history with the text that was found in the file."""
        if self.versions and text == self.text:
            return self
        applied = followed(self.applied, self.text, text) if self.versions else ()
        return replace(self, text=text, applied=applied).kept(at, said)

    def kept(self, at: float, said: str) -> SceneHistory:
        """The history with its text as a version."""
        version = SceneVersion(len(self.versions) + 1, at, said, self.text, self.applied, self.accepted)
        return replace(self, versions=(*self.versions, version))

    def version(self, number: int) -> SceneVersion:
        if not 1 <= number <= len(self.versions):
            known = f"1 to {len(self.versions)}" if self.versions else "none yet"
            raise NotFound(f"{self.path} has no version {number} (there is: {known}).", path=self.path, version=number)
        return self.versions[number - 1]


@dataclass(frozen=True, slots=True)
class Review:
    """Everything proposed for a book. Immutable; a fold over the events of patches."""

    sets: tuple[PatchesProposed, ...] = ()
    states: Mapping[int, PatchState] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    """Why the writer rejected a patch, where they said so."""
    scenes: Mapping[str, SceneHistory] = field(default_factory=dict)
    changes: int = 0
    unfinished: SceneChanged | None = None
    """A change that may not be in its file yet."""

    @property
    def texts(self) -> tuple[str, str]:
        """The text of the unfinished change's file before and after it."""
        assert self.unfinished is not None
        before, after = self.scenes[self.unfinished.path].versions[-2:]
        return before.text, after.text

    @property
    def patches(self) -> dict[int, Patch]:
        return {patch.number: patch for one in self.sets for patch in one.patches}

    @property
    def next_number(self) -> int:
        return sum(len(one.patches) for one in self.sets) + 1

    def patch(self, number: int) -> Patch:
        found = self.patches.get(number)
        if found is None:
            waiting = [str(one) for one, state in self.states.items() if state == "waiting"]
            named = ", ".join(waiting[:MOST_NAMED]) + (" …" if len(waiting) > MOST_NAMED else "")
            raise NotFound(f"There is no patch {number} (waiting: {named or 'none'}).", patch=number)
        return found

    def set_of(self, act: str) -> PatchesProposed | None:
        """What an act has proposed already."""
        return next((one for one in self.sets if one.act == act), None)

    def siblings(self, number: int) -> frozenset[int]:
        """The patches that were proposed together with one."""
        its_set = next(one.patches for one in self.sets if any(patch.number == number for patch in one.patches))
        return frozenset(one.number for one in its_set)

    def scene_of(self, number: int) -> SceneHistory | None:
        """The file that an accepted patch stands in."""
        return next((one for one in self.scenes.values() if number in one.accepted), None)


def proposal(
    review: Review, act: str, title: str, source: PatchSource, patches: Sequence[Patch]
) -> PatchesProposed | None:
    """A set of patches with their numbers; the one that an act has proposed already; None without patches."""
    known = review.set_of(act)
    if known is not None or not patches:
        return known
    first = review.next_number
    numbered = tuple(one.model_copy(update={"number": number}) for number, one in enumerate(patches, start=first))
    return PatchesProposed(number=len(review.sets) + 1, act=act, title=title, source=source, patches=numbered)


def proposed(review: Review, event: PatchesProposed) -> Review:
    waiting = [one.number for one in event.patches]
    return _marked(replace(review, sets=(*review.sets, event)), waiting, "waiting")


def rejected(review: Review, event: PatchesRejected) -> Review:
    reasons = {**review.reasons, **dict.fromkeys(event.numbers, event.reason)}
    return replace(_marked(review, event.numbers, "rejected"), reasons=reasons)


def replaced(review: Review, path: str, before: str, at: float) -> Review:
    """The review with a text that an action replaces; `attributed` says whose it was."""
    scene = review.scenes.get(path, SceneHistory(path, before)).seen(before, at, REPLACED)
    return replace(review, scenes={**review.scenes, path: scene})


def attributed(review: Review, paths: Iterable[str], by: str) -> Review:
    """The review with the texts that an action replaced named after whoever replaced them."""
    scenes = dict(review.scenes)
    for path in paths:
        scene = scenes.get(path)
        if scene is not None and scene.versions and scene.versions[-1].said == REPLACED:
            last = replace(scene.versions[-1], said=REPLACED_BY.get(by, REPLACED))
            scenes[path] = replace(scene, versions=(*scene.versions[:-1], last))
    return replace(review, scenes=scenes)


def drafted(review: Review, event: SceneDrafted, at: float) -> Review:
    """The review with the text of a new scene."""
    scene = review.scenes.get(event.path, SceneHistory(event.path, event.text)).seen(event.text, at, event.said)
    return replace(review, scenes={**review.scenes, event.path: scene})


def changed(review: Review, event: SceneChanged, at: float) -> Review:
    scene = review.scenes.get(event.was or event.path, SceneHistory(event.path, event.before or ""))
    if event.before is not None:
        scene = scene.seen(event.before, at, EDITED if scene.versions else FOUND)
    scene = replace(_made(scene, event), path=event.path)
    after = scene.kept(at, event.said)
    scenes = {path: one for path, one in review.scenes.items() if path != event.was}
    review = replace(review, scenes={**scenes, event.path: after}, changes=event.number, unfinished=event)
    if event.restored is None:
        return _marked(_marked(review, event.accepted, "accepted"), event.undone, "undone")
    here = frozenset().union(*(one.accepted for one in after.versions))
    return _marked(_marked(review, here - after.accepted, "undone"), after.accepted, "accepted")


def written(review: Review, event: SceneWritten) -> Review:
    done = review.unfinished is not None and review.unfinished.number == event.number
    return replace(review, unfinished=None) if done else review


def _made(scene: SceneHistory, event: SceneChanged) -> SceneHistory:
    if event.restored is not None:
        version = scene.version(event.restored)
        return replace(scene, text=version.text, applied=version.applied, accepted=version.accepted)
    text, applied = scene.text, scene.applied
    for number, one in zip(event.accepted, event.changes, strict=False):
        text, applied = one.made(text), with_patch(applied, number, one)
    for number, one in zip(event.undone, event.changes, strict=False):
        applied = without_patch(applied, number) if applied_patch(applied, number) else applied
        text = one.made(text)
    accepted = (scene.accepted | set(event.accepted)) - set(event.undone)
    return replace(scene, text=text, applied=applied, accepted=accepted)


def _marked(review: Review, numbers: Iterable[int], state: PatchState) -> Review:
    return replace(review, states={**review.states, **dict.fromkeys(numbers, state)})
