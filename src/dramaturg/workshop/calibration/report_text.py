"""A choice of a voice in a few sentences, for the writer and for the Foreman."""

from __future__ import annotations

from dramaturg.workshop.calibration.contest import OpenPassage, VoiceReport


def selection_said(report: VoiceReport) -> str:
    """Who wrote the chosen passage, and what the choosing was worth."""
    winner = report.winner
    chosen = f"Chosen: {label_of(winner)}"
    score = f", judged {winner.judged.overall:g} of 10" if winner.judged and winner.judged.overall is not None else ""
    unscored = ", unscored" if not score else ""
    says = report.choosing.says if report.choosing else ()
    return " ".join([f"{chosen}{score}{unscored}.", *says])


def label_of(passage: OpenPassage) -> str:
    """'C, openai/gpt-4o by ACTION'; a passage without a letter is told by its label alone."""
    by = f"{passage.agent} by {passage.strategy}" if passage.strategy else passage.agent
    return f"{passage.letter}, {by}" if passage.letter else by
