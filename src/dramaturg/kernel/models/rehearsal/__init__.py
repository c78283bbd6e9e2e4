"""The rehearsal company, and what the capabilities share in answering its cues."""
