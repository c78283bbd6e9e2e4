"""Laws of the ensemble, for all inputs."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.ensemble.artifacts import safe
from dramaturg.ensemble.comment_routes import MOST_COMMENTS, chosen_target, route, shuffled, wrong_target
from dramaturg.ensemble.conversation import within
from dramaturg.ensemble.events import ThreadExchange
from dramaturg.ensemble.lengths import ELLIPSIS, Length, fit_text, sentences
from dramaturg.ensemble.rehearsal.cues import Remark, TableCue, TableSeat
from dramaturg.ensemble.rehearsal.questions import read_question
from dramaturg.ensemble.rehearsal.table import TEMPERS, table_text, tempers
from dramaturg.ensemble.request import cleaned
from dramaturg.ensemble.salvage import prose_in
from dramaturg.kernel.text.escape import escaped
from tests.laws import examples

SLOTS = st.integers(1, 6)
CASTS = st.lists(SLOTS, min_size=2, max_size=6, unique=True)
SESSIONS = st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=18, max_size=18)
PROSE = st.text(st.sampled_from('ab Z.!?…,;“” "\n—1日。'), max_size=300)
LENGTHS = st.builds(Length, st.integers(1, 4), st.integers(10, 200))


@given(CASTS, SESSIONS)
def test_the_houses_choice_of_a_target_is_somebody_else_who_answered(cast: list[int], session: str) -> None:
    for slot in cast:
        target = chosen_target(session, slot, cast)
        assert wrong_target(target, slot, cast) is None
        assert target == chosen_target(session, slot, list(reversed(cast)))


@given(st.dictionaries(SLOTS, SLOTS), SESSIONS)
def test_at_most_three_comments_reach_a_slot_and_none_is_lost(targets: dict[int, int], session: str) -> None:
    routed = route(targets, session)
    everything = (*routed.assignments, *routed.dropped)
    assert {one.slot_id: one.target_slot_id for one in everything} == targets
    assert len(everything) == len(targets)
    for target in set(targets.values()):
        reached = [one for one in routed.assignments if one.target_slot_id == target]
        wanted = sum(aimed_at == target for aimed_at in targets.values())
        assert len(reached) == min(MOST_COMMENTS, wanted)
    assert routed == route(targets, session)


@given(CASTS, SESSIONS)
def test_a_shuffle_loses_nobody_and_is_the_same_again(cast: list[int], session: str) -> None:
    for slot in cast:
        assert sorted(shuffled(cast, session, slot)) == sorted(cast)
        assert shuffled(cast, session, slot) == shuffled(cast, session, slot)


@given(PROSE, LENGTHS)
def test_a_fitted_text_is_within_its_limit_and_a_beginning_of_what_was_said(text: str, limit: Length) -> None:
    fit = fit_text(text, limit)
    assert len(fit.text) <= limit.characters
    assert len(sentences(fit.text)) <= limit.sentences
    assert " ".join(text.split()).startswith(fit.text.removesuffix(ELLIPSIS).rstrip())
    assert fit.shortened == (fit.text != " ".join(text.split()))
    assert fit_text(fit.text, limit).text == fit.text


@given(PROSE)
def test_sentences_together_are_the_text(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text(max_size=80))
def test_any_name_is_safe_in_a_path(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,48}", safe(name))
    assert not safe(name).startswith(".")
    assert safe(name) == safe(name)


@given(st.text(max_size=200))
def test_what_is_cleaned_can_be_stored_and_stays_clean(message: str) -> None:
    clean = cleaned(message)
    clean.encode()
    assert cleaned(clean) == clean
    assert not any(ord(char) < 32 and char not in "\n\t" for char in clean)


@given(st.text(max_size=200))
def test_fenced_words_close_no_element(text: str) -> None:
    assert "<" not in escaped(text)
    assert ">" not in escaped(text)


@given(st.lists(st.text(max_size=60), max_size=3))
def test_what_is_salvaged_is_plain_speech(said: list[str]) -> None:
    found = prose_in(said)
    assert found is None or (len(found.split()) > 1 and not re.search(r"[{}`]", found))


@given(st.lists(st.builds(ThreadExchange, told=PROSE, answered=PROSE), max_size=8), st.integers(0, 500))
def test_a_window_keeps_the_newest(thread: list[ThreadExchange], room: int) -> None:
    kept = within(thread, room)
    assert list(kept) == thread[len(thread) - len(kept) :]


@given(st.text(max_size=120))
def test_any_question_can_be_read(text: str) -> None:
    question = read_question(text)
    assert question.kind


CAST = tuple(TableSeat(n, f"Voice {n}", "") for n in range(1, 7))
QUESTIONS = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        ["What is courage?", "Should I move to the sea?", "Wie geht es dir?", "2+2?", "My cat died.", "Tea or coffee?"]
    ),
)


@examples(40)
@given(QUESTIONS, st.integers(0, 2**40))
def test_the_company_answers_any_question_in_protocol_and_in_six_different_ways(question: str, seed: int) -> None:
    def say(turn: int, slot: int, heard: tuple[Remark, ...] = (), own: str = "") -> dict[str, object]:
        cue = TableCue(turn, slot, question, CAST, heard, own, profile="p", seed=seed)
        assert table_text(cue) == table_text(cue)
        return json.loads(table_text(cue))

    answers = {seat.slot: str(say(1, seat.slot)["text"]) for seat in CAST}
    assert len(set(answers.values())) == 6
    for slot, text in answers.items():
        assert not fit_text(text, Length(3, 400)).shortened, text
        heard = tuple(Remark(seat.slot, seat.name, answers[seat.slot]) for seat in CAST if seat.slot != slot)
        said = say(2, slot, heard, text)
        target, comment = int(str(said["targetSlotId"])), str(said["comment"])
        assert wrong_target(target, slot, list(answers)) is None
        assert not fit_text(comment, Length(1, 200)).shortened, comment
        quoted = re.findall(r"[“„«「]([^”“»」]+)[”“»」]", comment)[0]
        assert quoted.strip().casefold() in " ".join(answers[target].split()).casefold()
        reply = str(say(3, target, (Remark(slot, CAST[slot - 1].name, comment),), answers[target])["text"])
        assert CAST[slot - 1].name in reply
        assert not fit_text(reply, Length(2, 400)).shortened, reply


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_every_seat_has_a_temper_of_its_own(personas: list[str]) -> None:
    cast = tuple(TableSeat(n, "x", persona) for n, persona in enumerate(personas, start=1))
    given_ = tempers(cast)
    assert sorted(given_) == [seat.slot for seat in cast]
    assert len(set(given_.values())) == len(cast)
    assert set(given_.values()) <= set(TEMPERS)
