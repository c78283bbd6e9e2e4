"""The codes of the server's own answers are all in the reference."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import dramaturg.server
from dramaturg.kernel import errors
from dramaturg.server.http.codes import SERVER_CODES
from dramaturg.server.http.errors import PlayerTokenError, TokenFault

SOURCES = Path(dramaturg.server.__file__).parent
LITERAL = re.compile(r"""(?:error_response\(\s*\d{3}, |\d{3}: \(?|code = )"([A-Z_]{4,})\"""")


def test_every_code_that_the_server_writes_itself_has_a_row() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")]
    written = {code for text in texts for code in LITERAL.findall(text)}
    written |= {PlayerTokenError(reason).code for reason in get_args(TokenFault)}
    assert {"UNAUTHORIZED", "HEADERS_TOO_LARGE", "LOGIN_REFUSED"} <= written, "the search finds too little"
    assert written == set(SERVER_CODES)


def test_no_code_of_the_server_is_one_of_the_error_tree() -> None:
    tree = {kind.code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "code")}
    assert not tree & set(SERVER_CODES)
