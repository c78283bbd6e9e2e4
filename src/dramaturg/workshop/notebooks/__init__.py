"""The writer's own research, to be asked: a folder of files, or a server that speaks MCP."""

from dramaturg.workshop.notebooks.port import Notebook, NotebookPassage
from dramaturg.workshop.notebooks.shelf import NotebookShelf, open_shelf

__all__ = ["Notebook", "NotebookPassage", "NotebookShelf", "open_shelf"]
