"""Profiles by name, pins, and a voice for each seat."""

import pytest

from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.voices.port import VoiceListing
from dramaturg.voices.profiles import cast_of, casting, choose_voice, narrator, profile, profiles
from dramaturg.voices.providers import hibari_voice, kokoro_voice

ENGINES = ("kokoro", "hibari", "elevenlabs", "openai-compatible")
OFFLINE = {"kokoro": tuple(kokoro_voice.VOICES), "hibari": tuple(hibari_voice.VOICES)}
NOTHING = VoiceSettings()


def listed(engine: str) -> tuple[VoiceListing, ...]:
    return tuple(VoiceListing(name=name) for name in OFFLINE.get(engine, ()))


def test_there_are_at_least_ten_and_the_known_ones_are_among_them() -> None:
    assert len(profiles()) >= 10
    wanted = "confident_charming playful_expressive calm_precise warm_gravel dry_measured bright_chatty"
    assert set(wanted.split()) <= set(profiles())


@pytest.mark.parametrize("engine", ENGINES)
def test_every_profile_has_a_voice_on_every_engine(engine: str) -> None:
    for one in profiles().values():
        chosen = one.on(engine)
        assert chosen.voice in OFFLINE.get(engine, (chosen.voice,))
    assert set(cast_of(engine).order) >= {cast_of(engine).narrator}


@pytest.mark.parametrize("engine", OFFLINE)
def test_a_cast_has_every_voice_of_its_engine_once(engine: str) -> None:
    assert sorted(cast_of(engine).order) == sorted(OFFLINE[engine])


def test_profiles_of_one_engine_differ_in_voice_or_delivery() -> None:
    for engine in ENGINES:
        readings = [one.on(engine) for one in profiles().values()]
        assert len(set(readings)) == len(readings)


def test_without_a_pin_the_profile_gives_voice_and_delivery() -> None:
    chosen = choose_voice("kokoro", listed("kokoro"), NOTHING, profile_name="tender_hushed")
    assert chosen == profile("tender_hushed").on("kokoro")


def test_a_pinned_voice_stays_and_the_profile_gives_only_the_delivery() -> None:
    chosen = choose_voice("kokoro", listed("kokoro"), NOTHING, profile_name="warm_gravel", voice="bf_emma")
    assert chosen.voice == "bf_emma"
    assert chosen.delivery == profile("warm_gravel").on("kokoro").delivery


def test_the_settings_pin_a_speaker_or_a_profile_and_the_line_wins_over_both() -> None:
    settings = VoiceSettings(cast={"alice": "bf_emma", "warm_gravel": "bm_george"})

    def voice(**asked: str) -> str:
        return choose_voice("kokoro", listed("kokoro"), settings, profile_name="warm_gravel", **asked).voice

    assert voice() == "bm_george"
    assert voice(speaker="alice") == "bf_emma"
    assert voice(speaker="bob") == "bm_george"
    assert voice(speaker="alice", voice="am_onyx") == "am_onyx"


def test_a_pin_may_name_a_profile_which_every_engine_has() -> None:
    for engine in ENGINES:
        chosen = choose_voice(engine, listed(engine), NOTHING, voice="dry_measured")
        assert chosen.voice == profile("dry_measured").on(engine).voice


def test_without_anything_the_first_of_the_cast_speaks() -> None:
    assert choose_voice("kokoro", listed("kokoro"), NOTHING).voice == "af_heart"


def test_an_unknown_profile_is_told_the_nearest() -> None:
    with pytest.raises(InvalidConfig, match=r"no voice profile 'warm_gravle'. Did you mean 'warm_gravel'"):
        choose_voice("kokoro", listed("kokoro"), NOTHING, profile_name="warm_gravle")


def test_an_unknown_voice_is_told_the_nearest_and_whose_it_is() -> None:
    with pytest.raises(VoiceError, match=r"kokoro has no voice 'af_hart'. Did you mean 'af_heart'"):
        choose_voice("kokoro", listed("kokoro"), NOTHING, voice="af_hart")
    with pytest.raises(VoiceError, match=r"hibari has no voice 'am_onyx'. It is a voice of kokoro."):
        choose_voice("hibari", listed("hibari"), NOTHING, voice="am_onyx")


def test_an_engine_that_lists_no_voices_is_believed_to_have_any() -> None:
    assert choose_voice("elevenlabs", (), NOTHING, voice="my-clone").voice == "my-clone"


def test_six_seats_get_six_voices_in_the_order_that_was_measured() -> None:
    assert casting("kokoro", [None] * 6) == ("af_heart", "am_fenrir", "bf_emma", "am_onyx", "bf_isabella", "bm_george")
    for engine in ENGINES:
        assert len(set(casting(engine, [None] * 6))) == 6


def test_pins_are_kept_and_nobody_else_gets_them() -> None:
    given = casting("kokoro", [None, "af_heart", None, "af_heart"], reserved=["am_fenrir"])
    assert given == ("bf_emma", "af_heart", "am_onyx", "af_heart")


@pytest.mark.parametrize("pair", cast_of("kokoro").alike)
def test_voices_that_sound_alike_are_never_cast_together(pair: tuple[str, str]) -> None:
    for pinned, other in (pair, pair[::-1]):
        assert other not in casting("kokoro", [pinned, *[None] * 7])


def test_more_speakers_than_voices_is_said_with_a_way_out() -> None:
    with pytest.raises(InvalidConfig, match="hibari has too few voices for 7 speakers"):
        casting("hibari", [None] * 7)


def test_the_narrator_is_the_engine_s_or_the_settings() -> None:
    assert narrator("kokoro", listed("kokoro"), NOTHING) == "am_michael"
    assert narrator("kokoro", listed("kokoro"), VoiceSettings(narrator="af_nicole")) == "af_nicole"
