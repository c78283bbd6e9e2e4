"""The generated pages say what the code says."""

import pytest

from tests.docs.generate import FOLDER, PAGES, page


@pytest.mark.parametrize("name", PAGES)
def test_the_generated_page_is_current(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == page(name), "run `make docs`"
