"""Languages: what a line is in, and that no voice speaks a language it does not know."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.kernel.errors import LineUnspeakable
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.booth import Booth
from dramaturg.voices.coverage import languages_of, voice_for
from dramaturg.voices.languages import code_of, language_of, name_of
from dramaturg.voices.profiles import OFFLINE, cast_of
from tests.voices.sounds import BabblingVoice

LINES = {
    "en": [
        "Courage is showing up before you feel ready.",
        "Schadenfreude is a fine word.",
        "The Archivist has a point.",
    ],
    "de": ["Mut heißt, trotzdem zu gehen.", "Das stimmt so nicht.", "Hol mir den Hund.", "Nein, danke."],
    "es": ["El valor es levantarse otra vez.", "Me gusta lo que dices."],
    "fr": ["Je ne crois pas que ce soit vrai.", "C'est la vie."],
    "it": ["Grazie mille, amico mio."],
    "ar": ["الشجاعة هي البقاء."],
    "he": ["אומץ הוא להישאר."],
    "ru": ["Смелость — это остаться."],
    "ja": ["勇気とは残ることだ。"],
    "zh": ["勇气就是留下来。"],
    "ko": ["용기는 머무는 것이다."],
}
STILL_ENGLISH = (
    "OK", "Well, no.", "Bon voyage, my friend.", "Mañana, always mañana.", "The Kaiser von Hohenzollern was here.",
    "Al dente, per favore, and be quick.", "Sushi, karate, tsunami.", "Dr. Müller met Señor García.", "Adieu!",
    "Courage, mes amis, courage!", "Hallelujah!", "Brrr.",
)  # fmt: skip


@pytest.mark.parametrize(("language", "line"), [(code, line) for code, lines in LINES.items() for line in lines])
def test_a_line_is_known_by_its_own_words(language: str, line: str) -> None:
    assert language_of(line) == language


@pytest.mark.parametrize("line", [line for code, lines in LINES.items() if code != "en" for line in lines])
def test_a_line_in_another_language_is_found_among_english_ones(line: str) -> None:
    assert language_of(line, "en") != "en"


@pytest.mark.parametrize("line", STILL_ENGLISH)
def test_a_few_foreign_words_do_not_make_an_english_line_foreign(line: str) -> None:
    assert language_of(line, "en") == "en"


@pytest.mark.parametrize("line", ["Ja.", "Ach so?", "Nicht!", "12 %", "…"])
def test_a_line_too_short_to_tell_is_in_the_language_of_the_conversation(line: str) -> None:
    assert language_of(line, "de") == "de"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("tr", "Cesaret nedir?"),
        ("tr", "Yağmur yağıyor."),
        ("sv", "Vad är mod?"),
        ("pt", "Bom dia, tudo bem?"),
        ("da", "Hvorfor er vi redde for mørket?"),
        ("id", "Mengapa kita takut pada kegelapan?"),
    ],
)
def test_without_a_conversation_telling_words_letters_and_kin_decide(language: str, line: str) -> None:
    assert language_of(line) == language


@pytest.mark.parametrize(
    "line",
    ["Erdoğan?", "Is Ljubljana nice?", "Will Ayşegül Özdemir win?", "Kim, Ang and Jag.", "Tai chi", "Infinite jest"],
)
def test_a_name_does_not_make_a_line_foreign(line: str) -> None:
    assert language_of(line) in ("", "en")


def test_without_the_identifier_telling_words_still_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dramaturg.voices.extra.lacking", lambda *modules: modules)
    assert language_of("Bugün hava nasıl?") == "tr"
    assert language_of("Bugün hava nasıl?", "en") == "en"
    assert language_of("Who is Erdoğan?") == ""


def test_a_language_is_named_by_its_code_its_locale_or_its_name() -> None:
    assert [code_of(name) for name in ("de", "de-AT", "German", " german ", "Klingon")] == ["de"] * 4 + [""]
    assert name_of("de") == "German"


@pytest.mark.parametrize("engine", OFFLINE)
def test_every_offline_voice_speaks_english_alone(engine: str) -> None:
    for voice in cast_of(engine).order:
        assert languages_of(engine, "", voice, VoiceSettings()) == ("en",)
        with pytest.raises(LineUnspeakable, match="in German, and no voice"):
            voice_for("de", voice, engine, "", (), VoiceSettings())


def test_a_hosted_model_speaks_what_it_was_trained_on() -> None:
    assert voice_for("de", "x", "elevenlabs", "eleven_multilingual_v2", (), VoiceSettings()).voice == "x"
    with pytest.raises(LineUnspeakable, match="Swahili"):
        voice_for("sw", "x", "elevenlabs", "eleven_multilingual_v2", (), VoiceSettings())
    with pytest.raises(LineUnspeakable):
        voice_for("de", "x", "elevenlabs", "eleven_flash_v2", (), VoiceSettings())


def test_the_settings_say_what_a_server_speaks_and_with_which_voice() -> None:
    settings = VoiceSettings(languages={"German": "thorsten", "en": "any"})
    assert voice_for("de", "amy", "openai-compatible", "piper", (), settings).voice == "thorsten"
    assert voice_for("en", "amy", "openai-compatible", "piper", (), settings).voice == "amy"
    with pytest.raises(LineUnspeakable, match="French"):
        voice_for("fr", "amy", "openai-compatible", "piper", (), settings)


def test_a_server_with_kokoros_voices_is_known_by_their_names() -> None:
    with pytest.raises(LineUnspeakable):
        voice_for("de", "af_heart", "openai-compatible", "kokoro", (), VoiceSettings())
    assert voice_for("es", "ef_dora", "openai-compatible", "kokoro", (), VoiceSettings()).voice == "ef_dora"
    assert voice_for("de", "nova", "openai-compatible", "anything", (), VoiceSettings()).voice == "nova"


@pytest.fixture
def voice() -> BabblingVoice:
    return BabblingVoice()


@pytest.fixture
async def booth(voice: BabblingVoice, tmp_path: Path) -> AsyncIterator[Booth]:
    async with Booth(voice, Artifacts(tmp_path)) as opened:
        yield opened


async def test_an_engine_is_never_asked_for_a_language_it_does_not_speak(
    booth: Booth, voice: BabblingVoice, tmp_path: Path
) -> None:
    foreign = "Mut heißt, trotzdem zu gehen.", "אומץ הוא להישאר.", "El valor es levantarse otra vez.", "Cesaret nedir?"
    for line in foreign:
        with pytest.raises(LineUnspeakable):
            await booth.record(line, "a.wav")
    assert not voice.asked
    assert not (tmp_path / "a.wav").exists()
    assert (await booth.record("Courage is staying where you are.", "b.wav")).language == "en"


async def test_what_was_refused_does_not_hold_back_the_next_line(booth: Booth) -> None:
    for _ in range(5):
        with pytest.raises(LineUnspeakable):
            await booth.record("🎉🎉", "a.wav")
    assert (await booth.record("It goes on.", "b.wav")).bytes


async def test_a_short_line_of_a_german_conversation_stays_unspoken(booth: Booth, voice: BabblingVoice) -> None:
    with pytest.raises(LineUnspeakable, match="German"):
        await booth.record("Ja.", "a.wav", language="de")
    assert not voice.asked
