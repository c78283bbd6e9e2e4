"""The rehearsal company as the Foreman."""
