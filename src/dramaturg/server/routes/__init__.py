"""The HTTP API: one router per noun."""
