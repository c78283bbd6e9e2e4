"""dramaturg: one studio for stories that language models perform."""

__version__ = "0.1.0"
