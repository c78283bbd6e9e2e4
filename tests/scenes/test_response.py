"""Reading what a character answered: the six forms, and everything models write instead."""

import pytest

from dramaturg.scenes.response import EMPTY, OTHER_EARS, ParsedResponse, parse_response

CAST = ("Alice", "Bob", "Charlie")


def read(raw: str) -> ParsedResponse:
    return parse_response(raw, me="Bob", cast=CAST)[0]


def warnings(raw: str) -> tuple[str, ...]:
    return parse_response(raw, me="Bob", cast=CAST)[1]


FORMS = {
    '[TO: Alice, TONE: angry] "Why?"': ParsedResponse(action="speak", target="Alice", tone="angry", content="Why?"),
    '[TONE: nervous] "Um, maybe..."': ParsedResponse(action="speak", tone="nervous", content="Um, maybe..."),
    '[TO: Alice, TONE: sad, *looks down*] "Sorry."': ParsedResponse(
        action="speak", target="Alice", tone="sad", nonverbal="looks down", content="Sorry."
    ),
    '[INTERRUPT after "I think", TONE: angry] "No!"': ParsedResponse(
        action="interrupt", interrupt_after="I think", tone="angry", content="No!"
    ),
    "[SILENT]": ParsedResponse(action="silent"),
    "[SILENT, *crosses arms*]": ParsedResponse(action="silent", nonverbal="crosses arms"),
    "[REACT, TONE: shocked, *gasps*]": ParsedResponse(action="react", tone="shocked", nonverbal="gasps"),
}


@pytest.mark.parametrize("raw", FORMS, ids=lambda raw: raw)
def test_the_forms_of_the_quick_reference_are_read_without_assuming_anything(raw: str) -> None:
    assert parse_response(raw, me="Bob", cast=CAST) == (FORMS[raw], ())


VARIANTS = {
    "fields in another order": '[*looks down*, TONE: sad, TO: Alice] "Sorry."',
    "fields in lower case": '[to: Alice, tone: sad, *looks down*] "Sorry."',
    "typographic quotes": "[TO: Alice, TONE: sad, *looks down*] “Sorry.”",
    "guillemets": "[TO: Alice, TONE: sad, *looks down*] «Sorry.»",
    "no quotes": "[TO: Alice, TONE: sad, *looks down*] Sorry.",
    "a quote that is not closed": '[TO: Alice, TONE: sad, *looks down*] "Sorry.',
    "several brackets": '[TO: Alice] [TONE: sad] [*looks down*] "Sorry."',
    "the gesture outside": '[TO: Alice, TONE: sad] *looks down* "Sorry."',
    "the gesture last": '[TO: Alice, TONE: sad] "Sorry." *looks down*',
    "no comma before the gesture": '[TO: Alice, TONE: sad *looks down*] "Sorry."',
    "bold": '**[TO: Alice, TONE: sad, *looks down*]** "Sorry."',
    "its own name before it": 'Bob: [TO: Alice, TONE: sad, *looks down*] "Sorry."',
    "its own name without a colon": 'Bob [TO: Alice, TONE: sad, *looks down*] "Sorry."',
    "several lines": '[TO: Alice, TONE: sad,\n *looks down*]\n"Sorry."',
    "thoughts before it": '<think>He is sad. [SILENT]</think>[TO: Alice, TONE: sad, *looks down*] "Sorry."',
    "a code fence": '```text\n[TO: Alice, TONE: sad, *looks down*] "Sorry."\n```',
    "JSON": '{"target": "Alice", "tone": "sad", "nonverbal": "looks down", "content": "Sorry."}',
}


@pytest.mark.parametrize("raw", VARIANTS.values(), ids=VARIANTS.keys())
def test_the_same_answer_is_read_however_it_is_dressed(raw: str) -> None:
    assert read(raw) == FORMS['[TO: Alice, TONE: sad, *looks down*] "Sorry."']


def test_plain_prose_is_spoken_with_a_neutral_tone_and_a_warning() -> None:
    assert read("Just some text without formatting") == ParsedResponse(
        action="speak", content="Just some text without formatting"
    )
    assert warnings("Just some text without formatting") == ("no tone given",)


def test_an_answer_in_another_characters_name_is_refused() -> None:
    assert read('Alice: "I accept."') == ParsedResponse(action="silent")
    assert warnings('Alice: "I accept."') == ("spoke for Alice, refused",)


def test_words_added_for_another_character_are_cut_off() -> None:
    raw = '[TONE: sad] "Sorry."\nAlice [TONE: warm] "I accept."'
    assert read(raw).content == "Sorry."
    assert warnings(raw) == ("went on to speak for Alice, cut off there",)


@pytest.mark.parametrize("raw", ["As an AI language model, I do not argue.", "I can't assist with that request."])
def test_a_refusal_to_play_is_silence_with_a_warning(raw: str) -> None:
    assert read(raw) == ParsedResponse(action="silent")
    assert warnings(raw) == ("declined to play, taken as silence",)


@pytest.mark.parametrize("raw", ["", "   \n ", "<think>never closed", "\x00"])
def test_an_empty_answer_is_silence(raw: str) -> None:
    assert read(raw) == ParsedResponse(action="silent")


def test_an_interruption_without_a_phrase_is_speech() -> None:
    assert read('[INTERRUPT, TONE: angry] "Stop!"').action == "speak"
    assert "interruption without a phrase, taken as speech" in warnings('[INTERRUPT, TONE: angry] "Stop!"')


def test_quotes_and_brackets_inside_the_words_stay() -> None:
    assert read('[TONE: dry] "He said "never" [sic] again."').content == 'He said "never" [sic] again.'


def test_a_comma_inside_a_gesture_or_a_phrase_divides_nothing() -> None:
    parsed = read('[INTERRUPT after "well, I", TONE: cold, *stands up, slowly*] "Enough."')
    assert (parsed.interrupt_after, parsed.nonverbal) == ("well, I", "stands up, slowly")


def test_silence_swallows_words_that_come_with_it() -> None:
    assert read('[SILENT] "..."') == ParsedResponse(action="silent")


def test_silence_behind_words_takes_none_of_them_back() -> None:
    said = ParsedResponse(action="speak", target="Alice", tone="dry", content="Hello.")
    assert read('[TO: Alice, TONE: dry] "Hello." [SILENT]') == said
    assert read('[TO: Alice, TONE: dry] "Hello."\n[SILENT, *nods*]') == said.model_copy(update={"nonverbal": "nods"})
    assert read('*shrugs* [SILENT] "..."') == ParsedResponse(action="silent", nonverbal="shrugs")


def test_what_stands_before_anothers_turn_is_kept() -> None:
    assert read('"Hello." Alice says: "I accept."').content == "Hello."
    assert read('"Hello."\nAlice says: "I accept."').content == "Hello."
    assert read('"Hello," Alice says. "Come in."').content == ""


@pytest.mark.parametrize("end", ["", "<|return|>", "<|im_end|>"])
def test_the_first_word_behind_a_channel_is_kept(end: str) -> None:
    thought = "<|start|>assistant<|channel|>analysis<|message|>SECRET<|end|>"
    raw = f"{thought}<|start|>assistant<|channel|>final<|message|>The ferry stays.{end}"
    assert read(raw).content == "The ferry stays."
    assert read(f"<|im_start|>bob\nThe ferry stays.{end}").content == "The ferry stays."


def test_a_hundred_kilobytes_of_junk_are_read_only_so_far() -> None:
    parsed, warned = parse_response("[TONE: x " * 12_000, me="Bob", cast=CAST)
    assert len(parsed.content) <= 4_000
    assert any("only the first" in warning for warning in warned)


SECRET, OPEN = '"The cellar key is mine."', '"Sit down, please."'


@pytest.mark.parametrize(
    "raw",
    [
        f"[ASIDE TO: myself, TONE: low] {SECRET}\n[TO: Walter, TONE: calm] {OPEN}",
        f"[TO: Walter, TONE: calm] {OPEN}\n[ASIDE TO: myself, TONE: low] {SECRET}",
        f"[ASIDE TO: nobody, TONE: low] {SECRET}\n\n[TONE: calm] {OPEN}",
        f"[ASIDE TO: Bob, TONE: low] {SECRET} [TO: Walter, TONE: calm] {OPEN}",
        f"(aside to Bob) {SECRET}\n[TO: Walter, TONE: calm] {OPEN}",
    ],
)
def test_of_an_aside_and_a_line_for_all_only_the_latter_is_said(raw: str) -> None:
    parsed, warnings = parse_response(raw, me="Iris", cast=("Iris", "Walter", "Bob"))
    assert (parsed.content, parsed.tone, parsed.aside) == (OPEN.strip('"'), "calm", False)
    assert OTHER_EARS in warnings


def test_of_two_asides_only_the_first_is_said() -> None:
    raw = f"[ASIDE TO: Bob, TONE: low] {SECRET}\n[ASIDE TO: Walter, TONE: calm] {OPEN}"
    parsed, warnings = parse_response(raw, me="Iris", cast=("Iris", "Walter", "Bob"))
    assert (parsed.target, parsed.aside, parsed.content) == ("Bob", True, SECRET.strip('"'))
    assert OTHER_EARS in warnings


@pytest.mark.parametrize(
    ("raw", "target", "aside", "said"),
    [
        (f"[ASIDE TO: Bob]\n[TONE: low]\n{SECRET}", "Bob", True, SECRET),
        (f"[ASIDE TO: Bob, TONE: low] {SECRET}\n[TONE: low] {SECRET}", "Bob", True, f"{SECRET[:-1]} {SECRET[1:]}"),
        (f"[TO: Bob, TONE: low] {OPEN}\n[TO: Walter] {OPEN}", "Walter", False, f"{OPEN[:-1]} {OPEN[1:]}"),
        ('[ASIDE TO: Bob, TONE: low] "He wrote [TO: Walter] on it."', "Bob", True, '"He wrote [TO: Walter] on it."'),
    ],
)
def test_rows_for_the_same_ears_are_one_line(raw: str, target: str, aside: bool, said: str) -> None:
    parsed, warnings = parse_response(raw, me="Iris", cast=("Iris", "Walter", "Bob"))
    assert (parsed.target, parsed.aside, parsed.content, warnings) == (target, aside, said[1:-1], ())


def test_a_literal_of_a_program_is_no_answer() -> None:
    assert parse_response("null") == (ParsedResponse(action="silent"), (EMPTY,))
