"""Readers of what a model says."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from random import Random

from pydantic import BaseModel

from dramaturg.ensemble.forms import CommentSelection, SpokenResponse
from dramaturg.ensemble.salvage import prose_in
from dramaturg.episodes.answer_names import AnswerNames
from dramaturg.episodes.answer_stream import AnswerReader
from dramaturg.episodes.evaluation import ArchetypeClaim, MysteryClaim, SummaryClaim, UnprovenAnswer, check_summary
from dramaturg.episodes.events import GroupMember
from dramaturg.episodes.extraction import Extraction
from dramaturg.episodes.speakers import addressed, mentioned
from dramaturg.kernel.errors import ModelUnreadable
from dramaturg.model_notes import structured
from dramaturg.model_notes.scene_text import scene_text
from dramaturg.scenes.assisted_line import tagged
from dramaturg.scenes.director.verdict import Judgement
from dramaturg.scenes.flaws import flaw_in, in_sentences
from dramaturg.scenes.judge import Idea
from dramaturg.scenes.memory.supply import MemoryClaims
from dramaturg.scenes.response import parse_response, render_response
from dramaturg.workshop.calibration.tournament.scores import CompanyClaims
from dramaturg.workshop.consolidation.checked_claims import CheckedClaims, check_claims
from dramaturg.workshop.consolidation.claims import NameClaim, read_claims
from dramaturg.workshop.consolidation.texts import StoryText, TextPiece
from dramaturg.workshop.foreman.actions import ACTIONS, KNOWN
from dramaturg.workshop.foreman.answer_reader import read_answer as read_foreman
from dramaturg.workshop.foreman.citations import doubtful_quotes
from dramaturg.workshop.foreman.message_stream import MessageReader
from dramaturg.workshop.graph.register import Register
from dramaturg.workshop.graph.values import Entity, StoryGraph
from dramaturg.workshop.health.record_reader import QuotableText, read_record
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.patches.patch import Place, Unplaced, locate
from dramaturg.workshop.revision.patch_answer import read_patches
from dramaturg.workshop.revision.proposals import SceneProposals
from dramaturg.workshop.revision.verdict import DimensionClaim
from dramaturg.workshop.scaffold.proposal import ScaffoldClaim
from dramaturg.workshop.voice.antipatterns import check_prose
from dramaturg.workshop.voice.profile import profile_of
from dramaturg.workshop.voice.prose import read_prose
from dramaturg.workshop.voice.rule_files import house_rules
from tests.hostile.fuzz.target import Target, answer_of, tokens

CAST = ("Alice", "Bob", "Old Tom")
GROUP = tuple(GroupMember(character=name.lower(), display_name=name, model="m") for name in (*CAST, "Åsa", "愛"))
NAMES = AnswerNames(own="Alice", player="Bob Reed", others=("Old Tom",))
SCENE = QuotableText.of("manuscript/a.md", "The lamp went out.\n\nNobody spoke for a long time.")
PROSE = StoryText("manuscript/a.md", "Elena had green eyes. She was 41, and Ruth owned the Meridian.", scene="a")
STORY = StoryGraph((Entity(1, "character", "Elena", ("Lena",)), Entity(2, "character", "Ruth")))
PASSAGE = NotebookPassage(file="ships.md", place="line 4", text="The lamp on the headland was lit at dusk every night.")


def _pieces(data: bytes, text: str) -> Iterator[str]:
    """The text in pieces; which ones depends on the input alone."""
    random = Random(zlib.crc32(data))
    at = 0
    while at < len(text):
        size = random.choice((1, 1, 2, 3, 7, 30, 500))
        yield text[at : at + size]
        at += size


def _scene_response(data: bytes) -> None:
    text = answer_of(data)
    parsed, warnings = parse_response(text, me="Alice", cast=CAST)
    assert all(isinstance(warning, str) for warning in warnings)
    render_response(parsed)


def _assisted_line(data: bytes) -> None:
    parsed, _ = parse_response(tagged(answer_of(data), "Alice", CAST), me="Alice", cast=CAST)
    spoken = in_sentences(parsed.content, broken_off=len(data) % 2 == 1)
    flaw_in(spoken, "Alice", CAST, ["I never left the house."])


def _chat_answer(data: bytes) -> None:
    text = answer_of(data)
    whole, pieces = AnswerReader(NAMES), AnswerReader(NAMES)
    shown = whole.feed(text) + whole.close()
    assert "".join(pieces.feed(piece) for piece in _pieces(data, text)) + pieces.close() == shown, (
        "the pieces change what is shown"
    )
    assert pieces.answer == whole.answer, "the pieces change what is read"
    assert -1.0 <= whole.answer.tension_shift <= 1.0


def _addressee(data: bytes) -> None:
    text = answer_of(data)
    spoken_to, named = addressed(text, GROUP), mentioned(text, GROUP)
    assert set(spoken_to) <= set(named) <= {member.character for member in GROUP}
    assert "alice" in addressed(f"{text}\nAlice, come here.", GROUP), "what stands before a row changes how it is read"


def _foreman_answer(data: bytes) -> None:
    answer = read_foreman(answer_of(data), KNOWN)
    list(doubtful_quotes(answer.message, {1: PASSAGE}))
    for request in answer.actions:
        action = ACTIONS.get(request.type)
        if action is not None:
            action.read(request.params)


def _foreman_stream(data: bytes) -> None:
    text = answer_of(data)
    names = frozenset(KNOWN)
    whole, pieces = MessageReader(names), MessageReader(names)
    whole.feed(text)
    for piece in _pieces(data, text):
        pieces.feed(piece)
    assert pieces.shown == whole.shown, "the pieces change what is shown"


def _claims(data: bytes) -> None:
    text = answer_of(data)
    claims, register = read_claims(text), Register(STORY)
    checked = check_claims(claims, PROSE, TextPiece(1, 0, PROSE.text), register)
    assert len(checked.facts) + len(checked.refused) == len(claims.facts) + _refused_names(checked)
    assert all(one.quote in PROSE.text for one in checked.facts), "a fact whose words do not stand in the text"


def _refused_names(checked: CheckedClaims) -> int:
    return sum(isinstance(one.claim, NameClaim) for one in checked.refused)


def _patches(data: bytes) -> None:
    scene = "The lamp on the headland was lit at dusk. “No,” said Ruth -- and went.\r\nThe lamp was lit."
    proposals = SceneProposals("manuscript/ch01-sc01.md", scene)
    taken = proposals.take(read_patches(answer_of(data)).changes)
    assert all(_is_there(locate(one, scene)) for one in taken), "a patch is kept whose words are not in the scene"
    proposals.made()


def _is_there(found: Place | Unplaced) -> bool:
    return isinstance(found, Place) or (found.reason == "twice" and found.times > 1)


def _form(form: type[BaseModel]) -> Target:
    def read(data: bytes) -> None:
        value = structured.read(answer_of(data), form)
        if isinstance(value, SummaryClaim):
            with suppress(UnprovenAnswer):
                check_summary(value, ())

    return Target(f"form-{form.__name__.lower()}", read, tokens("json"), allowed=(ModelUnreadable,))


def _passage(data: bytes) -> None:
    text = scene_text(answer_of(data))
    prose = read_prose(text)
    assert scene_text(text) == scene_text(scene_text(text))
    check_prose(prose, house_rules())
    profile_of(prose)


def _unproven(data: bytes) -> None:
    prose_in([answer_of(data)])
    list(structured.json_values(answer_of(data)))


def _scene_record(data: bytes) -> None:
    found = read_record(answer_of(data), SCENE)
    told = (found.tension, found.beat, found.place, found.time, found.resonance, *found.cast, *found.symbols)
    assert all(one.evidence.paragraph for one in told if one is not None), "a value without words of the scene"


TARGETS = (
    # A bracket of one letter is looked at as a tag, a gesture, a thought and the mark of an aside. See ADR 98.
    Target("scene-response", _scene_response, tokens("scene-line"), lines_per_byte=150),
    Target("scene-assisted-line", _assisted_line, tokens("scene-line"), lines_per_byte=150),
    # Each character goes through ten stages, twice: in an answer that comes whole, and in pieces. See ADR 98.
    Target("chat-answer", _chat_answer, tokens("chat-answer"), lines_per_byte=360, short=12),
    Target("addressee", _addressee, tokens("addressee")),
    # A tag of one letter may be an action, a role, code or the end of reasoning. See ADR 98.
    Target("foreman-answer", _foreman_answer, tokens("foreman"), lines_per_byte=120),
    Target("foreman-stream", _foreman_stream, tokens("foreman"), lines_per_byte=180, short=12),
    Target("scene-record", _scene_record, tokens("json", "scene-record")),
    Target("extracted-claims", _claims, tokens("json", "claims")),
    Target("patches", _patches, tokens("patch")),
    Target("json-in-prose", _unproven, tokens("json")),
    *map(_form, (Judgement, Idea, MemoryClaims, Extraction, ArchetypeClaim, SummaryClaim, MysteryClaim)),
    *map(_form, (SpokenResponse, CommentSelection, CompanyClaims, DimensionClaim, ScaffoldClaim)),
    # A sentence of two characters is measured and checked like any other. See ADR 98.
    Target("voice-passage", _passage, tokens("markdown"), lines_per_byte=280, short=12),
)
