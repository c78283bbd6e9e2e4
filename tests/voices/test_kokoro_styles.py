"""The numbers that are Kokoro's voices come with the package, and with their licence."""

from importlib.resources import files

import numpy as np

from dramaturg.voices.providers.kokoro_voice import VOICES

FOLDER = files("dramaturg.voices.providers").joinpath("kokoro_styles")


def test_every_voice_is_there_and_no_other() -> None:
    names = {path.name for path in FOLDER.iterdir()}
    assert names == {f"{voice}.npy" for voice in VOICES} | {"LICENSE", "NOTICE"}
    assert sum(len(path.read_bytes()) for path in FOLDER.iterdir()) < 3_000_000


def test_a_voice_is_a_style_for_every_length_of_line() -> None:
    for voice in VOICES:
        with FOLDER.joinpath(f"{voice}.npy").open("rb") as file:
            style = np.load(file, allow_pickle=False)
        assert (style.shape, style.dtype) == ((510, 256), np.float16)
        assert np.isfinite(style).all()
        assert 0.05 < float(np.abs(style).mean(dtype=np.float64)) < 1


def test_the_notice_says_whose_they_are_and_what_was_changed() -> None:
    notice = FOLDER.joinpath("NOTICE").read_text(encoding="utf-8")
    for word in (
        "hexgrad",
        "Apache License 2.0",
        "16-bit",
        "fbf633262797f8cf46fdac3315cf9cade67dc8b762c0feccf334892772fb9ac4",
    ):
        assert word in notice
    assert "Apache License" in FOLDER.joinpath("LICENSE").read_text(encoding="utf-8")
