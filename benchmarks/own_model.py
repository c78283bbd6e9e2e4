"""A model of your own, behind any server that speaks the OpenAI protocol, for benchmarks that ask one."""

from __future__ import annotations

import argparse

SECONDS = 1800
"""How long an answer may take: small models on one core are slow."""


def settings_for(url: str, model: str, *more: str) -> str:
    """The part of a project's settings that names it, with `more` lines about models."""
    return (
        f'[models]\ndefault = "house/{model}"\n{"".join(f"{line}{chr(10)}" for line in more)}'
        f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}"\ntimeout = {SECONDS}\n'
    )


def add_model(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Adds the arguments `url` and `model`."""
    count = "?" if optional else None
    parser.add_argument("url", nargs=count, help="the server's address, such as http://127.0.0.1:8377/v1")
    parser.add_argument("model", nargs=count, help="the model's name there, with its size: qwen2.5-coder-1.5b")
