"""Hosted speech that runs here: ElevenLabs' API and OpenAI's `/audio/speech` on 127.0.0.1.

    async with VoiceServer() as server:
        server.url, server.requests          # where it is, and everything that was asked
        server.plan = 2                      # refuse a third request at once, as ElevenLabs does
        server.fault("system-busy", times=2) # the next requests fail so
        server.verbatim(b"...", kind="...")  # the next answer, to the letter
        server.hold(); server.release()      # let everything wait

Each voice is a level: its samples all have one value, so that it can be seen in a sound who is heard.
"""

from tests.voice_server.server import FAULTS, Received, VoiceServer
from tests.voice_server.sounds import RATE, SECONDS, level, levels_in, wav

__all__ = ["FAULTS", "RATE", "SECONDS", "Received", "VoiceServer", "level", "levels_in", "wav"]
