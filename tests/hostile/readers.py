"""Every reader of text that a model wrote, by name. A new reader is one line here."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

from pydantic import BaseModel

from dramaturg.ensemble.forms import CommentSelection, SpokenResponse
from dramaturg.ensemble.lengths import LENGTHS, fit_text
from dramaturg.ensemble.salvage import prose_in
from dramaturg.episodes.answer_stream import read_answer as read_character
from dramaturg.episodes.answer_stream import shown_text
from dramaturg.episodes.evaluation import ArchetypeClaim, MysteryClaim, SummaryClaim
from dramaturg.episodes.events import GroupMember
from dramaturg.episodes.extraction import Extraction
from dramaturg.episodes.speakers import addressed, mentioned
from dramaturg.episodes.spoken_lines import spoken_parts
from dramaturg.kernel.errors import ModelUnreadable, NotebookUnavailable, VoiceError
from dramaturg.kernel.models.providers.faults import Source, fault
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.kernel.redaction import without_secrets
from dramaturg.kernel.text.escape import cleaned, one_line, unescaped
from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.kernel.text.tension import tension_of
from dramaturg.kernel.text.words import content, stems, words
from dramaturg.model_notes.closings import without_closings
from dramaturg.model_notes.fences import unfenced
from dramaturg.model_notes.markup import without_markup
from dramaturg.model_notes.notes import without_notes, without_talk, without_thoughts
from dramaturg.model_notes.scene_text import scene_text
from dramaturg.model_notes.structured import json_values, read
from dramaturg.scenes.assisted_line import tagged
from dramaturg.scenes.cut import cut_line, part_to_tell
from dramaturg.scenes.director.evidence import QuotableLine, missing_substance
from dramaturg.scenes.director.goals import Goal, split_goal
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.negation import breaks_silence, denies, keeps_quiet
from dramaturg.scenes.director.numbers import numbers_in
from dramaturg.scenes.flaws import flaw_in, in_sentences
from dramaturg.scenes.insight.movement import word_distance
from dramaturg.scenes.judge import Idea, Judgement
from dramaturg.scenes.memory.supply import MemoryClaims
from dramaturg.scenes.response import parse_response
from dramaturg.voices.providers.pieces import pieces_of
from dramaturg.voices.spoken_text import spoken
from dramaturg.workshop.book.bible import rules_of
from dramaturg.workshop.book.pages import is_filled, key_of
from dramaturg.workshop.calibration.tournament.scores import CompanyClaims, PassageClaims, ScoreClaim, check_claims
from dramaturg.workshop.consolidation.claims import read_claims
from dramaturg.workshop.consolidation.evidence import find_passage
from dramaturg.workshop.consolidation.speech import spoken_spans
from dramaturg.workshop.dialogue.dashes import dashed_spans
from dramaturg.workshop.drafts.length import length_of
from dramaturg.workshop.drafts.previews import preview_of
from dramaturg.workshop.drafts.transcript import lines_in
from dramaturg.workshop.foreman.actions import ACTIONS
from dramaturg.workshop.foreman.actions.action import _fields, _listed
from dramaturg.workshop.foreman.answer_reader import read_answer as read_foreman
from dramaturg.workshop.foreman.citations import doubtful_quotes
from dramaturg.workshop.foreman.message_stream import MessageReader
from dramaturg.workshop.foreman.parameters import attributes_of, params_of
from dramaturg.workshop.health.record_reader import QuotableText, read_record
from dramaturg.workshop.manuscripts.speech.attribution import attributed
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.notebooks.sources import read_source
from dramaturg.workshop.patches.patch import locate, quoted_patch
from dramaturg.workshop.patches.rewrite import paragraph_patches
from dramaturg.workshop.patches.word_diff import word_diff
from dramaturg.workshop.promises.standing import sentence_about
from dramaturg.workshop.revision.patch_answer import read_patches
from dramaturg.workshop.revision.verdict import DimensionClaim
from dramaturg.workshop.scaffold.proposal import ScaffoldClaim
from dramaturg.workshop.thread.retcon import sentence_patches
from dramaturg.workshop.thread.values import Strand
from dramaturg.workshop.voice.antipatterns import check_prose
from dramaturg.workshop.voice.profile import profile_of
from dramaturg.workshop.voice.prose import read_prose
from dramaturg.workshop.voice.rule_files import house_rules

Reader = Callable[[str], object]

CAST = ("Alice", "Bob")
NAMES = CastNames(tuple(CAST))
GROUP = tuple(GroupMember(character=name.lower(), display_name=name, model="m") for name in CAST)
GOAL = Goal(id=1, text="Bob names 4,000 dollars and chooses a name")
_KNOWN = {"save_page": ("page", "key", "fields"), "advance": ("mode",)}
_NAMES = frozenset(name.lower() for name in ACTIONS)
_STRAND = Strand(kind="sentence", way="quote", where="a.md", quote="Nobody spoke for a long time.", start=0)
_SOURCE = Source("house", "character", "http://127.0.0.1:1/v1", secret="a-secret-that-is-no-word")
_SCENE = QuotableText.of("manuscript/a.md", "The lamp went out.\n\nNobody spoke for a long time.")


def form(shape: type[BaseModel]) -> Reader:
    def reader(text: str) -> object:
        with suppress(ModelUnreadable):
            return read(text, shape)
        return None

    return reader


def aloud(text: str) -> object:
    with suppress(VoiceError):
        return spoken(text)
    return None


def source(suffix: str) -> Reader:
    def reader(text: str) -> object:
        with TemporaryDirectory() as folder, suppress(NotebookUnavailable):
            path = Path(folder) / f"notes{suffix}"
            path.write_bytes(_docx(text) if suffix == ".docx" else text.encode("utf-8", "replace"))
            return read_source(path)
        return None

    return reader


def _docx(text: str) -> bytes:
    plain = escape("".join(char for char in text if char >= " " or char == "\n"))
    name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    xml = f'<w:document xmlns:w="{name}"><w:p><w:r><w:t>{plain}</w:t></w:r></w:p></w:document>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", xml.encode("utf-8", "replace"))
    return packed.getvalue()


def _scored(text: str) -> object:
    claim = ScoreClaim(dimension=text[:80], score=5, reason=text, quote=text[: len(text) // 2])
    return check_claims(CompanyClaims(passages=(PassageClaims(passage=text[:80], scores=(claim,)),)), [1], {1: text}, 1)


READERS: dict[str, Reader] = {
    "reasoning": without_reasoning,
    "notes": without_notes,
    "closings": without_closings,
    "markup": without_markup,
    "thoughts": without_thoughts,
    "thoughts aloud": without_talk,
    "scenes: a character's line": lambda text: parse_response(text, me="Alice", cast=CAST),
    "scenes: an assisted line": lambda text: in_sentences(tagged(text, "Alice", CAST), broken_off=True),
    "scenes: flaws": lambda text: flaw_in(text, "Alice", CAST, (text,)),
    "scenes: an interruption's phrase": lambda text: cut_line(text, text[-200:]),
    "scenes: judgement": form(Judgement),
    "scenes: idea": form(Idea),
    "scenes: memories": form(MemoryClaims),
    "scenes: a line in two parts": part_to_tell,
    "scenes: whether a goal denies": lambda text: (denies(text), keeps_quiet(text), breaks_silence(text)),
    "scenes: how far an answer moved": lambda text: word_distance(text, text[::-1]),
    "scenes: evidence for a goal": lambda text: missing_substance(GOAL, QuotableLine("Bob", text), NAMES),
    "scenes: a goal, split": lambda text: split_goal(text, CAST),
    "scenes: numbers": numbers_in,
    "episodes: a character's answer": read_character,
    "episodes: spoken parts": lambda text: spoken_parts(text, narrates=True),
    "episodes: what is shown": shown_text,
    "episodes: who of a group is spoken to": lambda text: (addressed(text, GROUP), mentioned(text, GROUP)),
    "episodes: extraction": form(Extraction),
    "episodes: archetype": form(ArchetypeClaim),
    "episodes: summary": form(SummaryClaim),
    "episodes: mystery": form(MysteryClaim),
    "workshop: the Foreman's answer": lambda text: read_foreman(text, _KNOWN),
    "workshop: the Foreman's message": lambda text: MessageReader(_NAMES).feed("<message>" + text),
    "workshop: parameters": lambda text: params_of(text, {"key": "key"}),
    "workshop: attributes": attributes_of,
    "workshop: a list": _listed,
    "workshop: fields": _fields,
    "workshop: citations": lambda text: list(doubtful_quotes(text, {1: NotebookPassage(file="a.md", text="a b c")})),
    "workshop: extracted facts": read_claims,
    "workshop: a quoted passage": lambda text: find_passage(text[:300], text),
    "workshop: speech": spoken_spans,
    "workshop: dialogue by dashes": lambda text: dashed_spans(f"— {text}"),
    "workshop: speakers": lambda text: attributed(text.split("\n\n")),
    "workshop: rules": rules_of,
    "workshop: patches": read_patches,
    "workshop: a variant of a scene": lambda text: length_of(scene_text(text)),
    "workshop: a variant on its way": preview_of,
    "workshop: paragraphs in patches": lambda text: paragraph_patches("a.md", text, text[len(text) // 3 :]),
    "workshop: the lines of a performance": lambda text: lines_in(f"\n---\n{text}\n---\n"),
    "workshop: the patches of a retcon": lambda text: sentence_patches(
        _STRAND, _STRAND.quote, read_patches(text).changes
    ),
    "workshop: a judge's verdict": form(DimensionClaim),
    "workshop: the plan of a scene": form(ScaffoldClaim),
    "workshop: a sentence with the words of a promise": lambda text: sentence_about(
        text[:80], read_prose(text).sentences
    ),
    "workshop: a patch's place": lambda text: locate(quoted_patch("a.md", text, text[20:90], "x"), text[5:]),
    "workshop: a word diff": lambda text: word_diff(text, text[len(text) // 2 :] + text[: len(text) // 2]),
    "workshop: a placeholder": is_filled,
    "workshop: a heading": key_of,
    "workshop: a scene's record": lambda text: read_record(text, _SCENE),
    "workshop: a scene that is quoted": lambda text: QuotableText.of("a.md", text).find(text[:200]),
    "workshop: Markdown": source(".md"),
    "workshop: text": source(".txt"),
    "workshop: docx": source(".docx"),
    "workshop: a company's scores": form(CompanyClaims),
    "workshop: scores with their quotes": _scored,
    "workshop: prose": lambda text: profile_of(read_prose(text)),
    "workshop: anti-patterns": lambda text: check_prose(read_prose(text), house_rules()),
    "ensemble: a slot's line": form(SpokenResponse),
    "ensemble: a slot's comments": form(CommentSelection),
    "ensemble: prose": lambda text: prose_in((text,)),
    "ensemble: lengths": lambda text: fit_text(text, LENGTHS[1]),
    "voices: the spoken part": aloud,
    "voices: pieces": lambda text: pieces_of(text, 600),
    "kernel: JSON in prose": lambda text: list(json_values(text)),
    "kernel: quotes": lambda text: is_quoted(text[: len(text) // 2], text + "x", elided=True),
    "kernel: sentences": sentence_ends,
    "kernel: secrets in addresses": without_secrets,
    "kernel: a provider's words": lambda text: fault(_SOURCE, 400, text),
    "kernel: words": lambda text: (words(text), content(text), stems(text)),
    "kernel: tension": lambda text: tension_of(text, "calm"),
    "kernel: tokens": estimate_tokens,
    "kernel: fences": unfenced,
    "kernel: escapes": lambda text: (cleaned(text), one_line(text), unescaped(text)),
}
