"""Manuscripts on their way in and out, as JSON for clients."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.events import ActionDone
from dramaturg.workshop.manuscripts.front import SceneSpeech
from dramaturg.workshop.manuscripts.intake.plan import ChangeKind, ImportPlan
from dramaturg.workshop.manuscripts.remarks import WordReview
from dramaturg.workshop.patches.wire import DiffWords, diff_words


class ImportedFile(WireValue):
    """What an import does with one file."""

    path: str
    kind: ChangeKind
    title: str = ""
    words: int = 0
    was: str = Field("", description="its path before, if that changes")


class ImportResult(WireValue):
    """What an import did, or would do."""

    files: tuple[ImportedFile, ...]
    written: bool
    problems: tuple[str, ...] = ()


class LineView(WireValue):
    """A quoted line and its speaker; null if nobody can be named. `how` and `reason` say why."""

    scene: str
    paragraph: int
    text: str
    speaker: str | None
    how: str
    reason: str
    certain: bool


class SpeakerList(WireValue):
    """Who says what."""

    lines: tuple[LineView, ...]


class ReviewedWords(WireValue):
    """A change of a review, word by word."""

    number: int
    words: tuple[DiffWords, ...]


class ReviewView(WireValue):
    """What an edited Word document brings back, or brought."""

    review: WordReview
    words: tuple[ReviewedWords, ...] = Field((), description="of each change")
    changed: tuple[str, ...] = Field((), description="the files that were changed")
    acts: tuple[str, ...] = Field((), description="what undoes the change of each file, as `act` of an undo")


def review_view(review: WordReview, made: Sequence[ActionDone] = ()) -> ReviewView:
    """What a document brings, or what these actions have made of it."""
    return ReviewView(
        review=review,
        words=tuple(
            ReviewedWords(number=one.number, words=diff_words(one.patch.anchor.quote, one.patch.new))
            for one in review.patches
        ),
        changed=tuple(file.path for one in made for file in one.outcome.files),
        acts=tuple(one.act for one in made),
    )


def import_result(plan: ImportPlan, *, written: bool, problems: tuple[str, ...] = ()) -> ImportResult:
    files = tuple(
        ImportedFile(path=one.path, kind=one.kind, title=one.title, words=one.words, was=one.was) for one in plan.files
    )
    return ImportResult(files=files, written=written, problems=(*plan.problems, *problems))


def speaker_list(found: tuple[SceneSpeech, ...]) -> SpeakerList:
    return SpeakerList(
        lines=tuple(
            LineView(
                scene=one.scene.name,
                paragraph=line.paragraph + 1,
                text=line.text,
                speaker=line.speaker,
                how=line.how,
                reason=line.reason,
                certain=line.is_certain,
            )
            for one in found
            for line in one.speech.lines
        )
    )
