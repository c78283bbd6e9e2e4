"""TOML of somebody else: the values that `tomllib` finds, and no key that keeps it busy or is too deep to walk."""

from __future__ import annotations

import tomllib

import pytest

from dramaturg.kernel.toml_file import DEEPEST_FILE, parse_toml

HONEST = {
    "a table far down": f"[{'.'.join('abcdefghij')}]\nx.y.z = 1\n",
    "many numbers in a row": "weights = [" + ", ".join(["0.25"] * 500) + "]\n",
    "many numbers below one another": "weights = [\n" + "  0.25,\n" * 500 + "]\n",
    "a text of dots": 'voice = "' + "a." * 500 + '"\n',
    "a text of brackets": "voice = '" + "[{" * 500 + "'\n",
    "a long text of dots": 'voice = """\n' + 'He said ".". "a.a.\\""\n' * 500 + '"""\n',
    "a long raw text of brackets": "voice = '''\n" + "[it's.a.\n" * 500 + "'''\n",
    "a remark of dots and quotation marks": "# " + "a.[\"'''" * 500 + "\n[models]\ndefault = 'a'\n",
    "a key in quotation marks": '[providers."' + "a.b" * 100 + '"]\nx = 1\n',
    "many tables": "".join(f"[[a.b]]\nc.d = {n}.5\n" for n in range(500)),
    "tables in a row": "a = {b = {c.d = [1.5, {e = 1}]}}\n",
}
DEEP = {
    "a key": "n" + ".n" * 2000 + " = 1\n",
    "a key with spaces": "n" + " . n" * 2000 + " = 1\n",
    "a key in quotation marks": '"n"' + ".'n'" * 2000 + " = 1\n",
    "a table": "[n" + ".n" * 2000 + "]\nx = 1\n",
    "a key within braces": "x = {n" + ".n" * 2000 + " = 1}\n",
    "lists": "x = " + "[" * 2000 + "]" * 2000 + "\n",
    "lists below one another": "x = " + "[\n" * 2000 + "]" * 2000 + "\n",
    "keys within braces": "{n.n.n.n = ".join(["x = ", *[""] * 400]) + "1" + "}" * 400 + "\n",
}
TEXTS = (
    *("''", "'\"'", "'#'", "'\\'", '""', '"\'"', '"#"', '"a\\"b"', '"\\\\"'),
    *(mark * 3 + inner + mark * more for mark in "'\"" for inner in ("", "a", "\n", "a#") for more in (3, 4, 5)),
    *("'''a'b''c\"\"\"'''", "'''\\'''", '"""a"b""c\'\'\'"""', '"""\\""""', '"""\\\\"""'),
)


@pytest.mark.parametrize("name", HONEST)
def test_what_is_not_deep_is_read_as_ever(name: str) -> None:
    assert parse_toml(HONEST[name]) == tomllib.loads(HONEST[name])


@pytest.mark.parametrize("name", DEEP)
def test_what_is_deep_is_refused_with_its_place(name: str) -> None:
    text = "[models]\ndefault = 'a.b'\n" + DEEP[name]
    with pytest.raises(ValueError, match=rf"^more than {DEEPEST_FILE} levels .* \(at line \d+, column \d+\)$"):
        parse_toml(text)


def test_the_deepest_key_that_is_allowed_is_read() -> None:
    key = "n" + ".n" * DEEPEST_FILE
    assert parse_toml(f"{key} = 1\n") == tomllib.loads(f"{key} = 1\n")
    with pytest.raises(ValueError, match=rf"line 2, column {len(key) + 1}\)$"):
        parse_toml(f"\n{key}.n = 1\n")


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_hides_no_key_behind_it_and_is_none_itself(text: str) -> None:
    shallow, deep = (f"x = {{a = {text}, n{'.n' * parts} = {text}}} # [\n" for parts in (20, 60))
    assert parse_toml(shallow) == tomllib.loads(shallow)
    with pytest.raises(ValueError, match=f"more than {DEEPEST_FILE} levels"):
        parse_toml(deep)


@pytest.mark.parametrize(
    "number", [f"0x{'f' * 3600}", f"0b{'1' * 65}", f"{2**63}", f"-{2**63 + 1}", f"[1, [0o{'7' * 30}]]"]
)
def test_a_number_of_more_than_64_bits_is_refused_with_its_name(number: str) -> None:
    with pytest.raises(ValueError, match="the number of 'seed' is too large; TOML's numbers have 64 bits"):
        parse_toml(f"[a]\nseed = {number}\n")


def test_the_largest_numbers_are_read() -> None:
    assert parse_toml(f"a = [{2**63 - 1}, {-(2**63)}, true, 0x7fffffffffffffff]\n") == {
        "a": [2**63 - 1, -(2**63), True, 2**63 - 1]
    }
