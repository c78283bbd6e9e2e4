"""The tables of the page say what the code has."""

from dramaturg.kernel.settings import VoiceSettings
from dramaturg.voices.profiles import VoiceChoice, cast_of, profiles
from dramaturg.voices.providers import hibari_voice, kokoro_voice
from tests.docs.generate import VOICES, voices_page
from tests.docs.test_commands import ROOT

PAGE = (ROOT / "docs" / "voices.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def shown(reading: VoiceChoice) -> str:
    speed = reading.delivery.speed
    return reading.voice if speed == 1 else f"{reading.voice} × {speed:g}"


def test_the_table_of_profiles_is_the_one_that_is_used() -> None:
    wanted = [
        [f"`{one.name}`", one.about, shown(one.on("kokoro")), shown(one.on("hibari"))] for one in profiles().values()
    ]
    assert rows("Profiles") == wanted


def test_the_table_of_engines_names_every_engine_and_its_voices() -> None:
    table = {row[0].strip("`"): row for row in rows("Engines")}
    settable = str(VoiceSettings.model_fields["engine"].annotation)
    assert all(f"'{engine}'" in settable for engine in table)
    assert len(table) == settable.count("'") / 2 - 1, "all but auto"
    assert table["kokoro"][2].startswith(str(len(kokoro_voice.VOICES)))
    assert table["hibari"][2].startswith(str(len(hibari_voice.VOICES)))


def test_the_order_of_the_cast_is_the_one_that_is_used() -> None:
    said = PAGE.split("in the order in which they differ most:")[1].split("\n\n")[0]
    names = [word.strip("`,.\n") for word in said.split() if word.startswith("`")]
    assert names == list(cast_of("kokoro").order)


def test_the_table_of_languages_is_the_one_the_command_prints() -> None:
    assert VOICES.read_text(encoding="utf-8") == voices_page()
