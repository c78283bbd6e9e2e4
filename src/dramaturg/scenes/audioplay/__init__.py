"""A performed scene as an audio play: each character its voice, a narrator for what happens, cuts that cut."""
