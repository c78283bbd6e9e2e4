"""The generated pages say what the code says."""

import pytest

from tests.docs.generate import FOLDER, pages

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_the_generated_page_is_current(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name], "run `make docs`"
