"""The writer's own research, which can be queried: a folder of files, or an MCP server."""

from dramaturg.workshop.notebooks.port import Notebook, NotebookListing, NotebookPassage
from dramaturg.workshop.notebooks.shelf import NotebookShelf, open_shelf

__all__ = ["Notebook", "NotebookListing", "NotebookPassage", "NotebookShelf", "open_shelf"]
