"""Every voice is brought to one pace; profiles vary it."""

import pytest

from dramaturg.kernel.settings import VoiceSettings
from dramaturg.voices.paces import TARGET, at_pace, pace_of
from dramaturg.voices.port import VoiceDelivery
from dramaturg.voices.profiles import OFFLINE, cast_of, choose_voice, profiles

VOICES = [(engine, voice) for engine in OFFLINE for voice in cast_of(engine).order]


@pytest.mark.parametrize(("engine", "voice"), VOICES)
def test_every_offline_voice_speaks_at_the_pace_of_people(engine: str, voice: str) -> None:
    pace = pace_of(engine, voice)
    assert pace is not None
    heard = pace.heard or pace.own * pace.speed
    assert 150 <= heard <= 180
    assert abs(heard - TARGET) < 10


def test_a_profiles_speed_is_relative_to_the_common_pace() -> None:
    pace = pace_of("hibari", "heart")
    assert pace is not None
    assert at_pace(VoiceDelivery(), "hibari", "heart").speed == pytest.approx(pace.speed)
    assert at_pace(VoiceDelivery(speed=1.1), "hibari", "heart").speed == pytest.approx(1.1 * pace.speed)
    assert at_pace(VoiceDelivery(speed=0.5), "hibari", "heart").speed == 0.5


def test_a_voice_that_was_never_measured_speaks_as_it_is_asked() -> None:
    assert at_pace(VoiceDelivery(speed=1.1), "elevenlabs", "x").speed == 1.1


@pytest.mark.parametrize("engine", OFFLINE)
def test_every_profile_keeps_within_what_people_can_follow(engine: str) -> None:
    for name in profiles():
        chosen = choose_voice(engine, (), VoiceSettings(), profile_name=name)
        pace = pace_of(engine, chosen.voice)
        assert pace is not None
        assert 130 <= (pace.heard or TARGET) * chosen.delivery.speed <= 200
