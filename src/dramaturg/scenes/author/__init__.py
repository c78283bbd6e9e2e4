"""The author in the room: directions are taken between the beats, and followed or refused."""
