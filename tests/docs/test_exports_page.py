"""The samples on the page are what the exports write."""

from pathlib import Path

from tests.docs.test_commands import ROOT, blocks
from tests.scenes.exports.test_fountain import GOLDEN

PAGE = ROOT / "docs" / "exports.md"
PICTURE_LIMIT = 150_000


def test_every_sample_is_a_piece_of_a_golden_file() -> None:
    golden = [path.read_text(encoding="utf-8") for path in GOLDEN.parent.iterdir()]
    samples = blocks(PAGE, "text")
    assert len(samples) == 5
    for sample in samples:
        assert any(sample.strip() in text for text in golden), sample


def test_the_picture_is_small() -> None:
    picture: Path = ROOT / "docs" / "pictures" / "export-page.png"
    assert picture.stat().st_size < PICTURE_LIMIT
