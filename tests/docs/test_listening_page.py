"""The page says what the table of tones says, and its pictures are small."""

import re
import tomllib

from dramaturg.scenes.audioplay.tones import shade_of, shades
from tests.docs.test_commands import ROOT
from tests.docs.waveforms import PICTURES

PAGE = (ROOT / "docs" / "listening.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\w+) \| ([^|]+) \| `(\w+)` \| ([^|]+) \|$", re.MULTILINE)


def test_the_table_of_the_page_is_the_table_of_the_code() -> None:
    rows = ROW.findall(PAGE)
    assert [name for name, *_ in rows] == [shade.name for shade in shades()]
    for (_, tones, profile, level), shade in zip(rows, shades(), strict=True):
        assert profile == shade.profile
        assert float(level.removesuffix(" dB")) == shade.level
        assert all(shade_of(tone).name == shade.name for tone in tones.split(", ")), tones


def test_every_profile_of_the_table_is_known_to_the_booth() -> None:
    source = ROOT / "src" / "dramaturg" / "voices" / "profiles.toml"
    known = tomllib.loads(source.read_text(encoding="utf-8"))["profiles"]
    assert {shade.profile for shade in shades()} <= set(known)


def test_the_pictures_are_small() -> None:
    for name in ("programme.svg", "programme-cut.svg"):
        assert 1_000 < (PICTURES / name).stat().st_size < 80_000
