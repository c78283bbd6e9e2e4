"""Lore scans: which entries of the lorebooks belong in the next prompt, and why."""

from dramaturg.episodes.lore_scan.activation import activate
from dramaturg.episodes.lore_scan.scan import (
    ActiveLore,
    LoreMessage,
    LoreScan,
    LoreSettings,
    LoreState,
    LoreSurroundings,
    TimedEffect,
    UntoldLore,
)

__all__ = [
    "ActiveLore",
    "LoreMessage",
    "LoreScan",
    "LoreSettings",
    "LoreState",
    "LoreSurroundings",
    "TimedEffect",
    "UntoldLore",
    "activate",
]
