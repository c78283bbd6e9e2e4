"""The writer's own research, to be asked: a folder of files, or a server that speaks MCP."""

from dramaturg.workshop.notebooks.port import Notebook, NotebookListing, NotebookPassage
from dramaturg.workshop.notebooks.shelf import NotebookShelf, open_shelf

__all__ = ["Notebook", "NotebookListing", "NotebookPassage", "NotebookShelf", "open_shelf"]
