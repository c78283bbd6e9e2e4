"""Where a manuscript falls into chapters and scenes."""
