"""Events pushed to other programs: WebSocket and OSC."""
