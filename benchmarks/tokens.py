"""The estimate of tokens against real tokenizers: `python -m benchmarks tokens`. Needs the package `rs-bpe`."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

from dramaturg.kernel.models.tokens import estimate_tokens

COUNTED = Path(__file__).resolve().parent.parent / "tests" / "kernel" / "models" / "token_counts.toml"
TOKENIZERS = ("o200k_base", "cl100k_base")


def main() -> None:
    try:
        openai = import_module("rs_bpe.bpe").openai
    except ImportError:
        sys.exit("This needs a tokenizer with its tables: uv pip install rs-bpe")
    counters = [getattr(openai, name)() for name in TOKENIZERS]
    print(f"| text | characters | estimate | {' | '.join(TOKENIZERS)} | error |\n|---|--:|--:|--:|--:|--:|")
    for group, rows in tomllib.loads(COUNTED.read_text(encoding="utf-8")).items():
        for name, row in rows.items():
            text = row["text"].strip()
            counts, estimate = [counter.count(text) for counter in counters], estimate_tokens(text)
            told = " | ".join(str(count) for count in counts)
            print(f"| {name} ({group}) | {len(text)} | {estimate} | {told} | {estimate / counts[0] - 1:+.0%} |")
