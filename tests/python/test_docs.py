"""Every example in the docstrings, and every piece of Python in docs/python.md and the README."""

import doctest
import importlib
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
MODULES = [
    "vicinal", "vicinal._batch", "vicinal._finder", "vicinal._results", "vicinal.compat.scipy"
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    names = {"vicinal": importlib.import_module("vicinal")}
    failed, attempted = doctest.testmod(importlib.import_module(name), extraglobs=names)
    assert attempted > 0 and failed == 0


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_pages(page, tmp_path, monkeypatch):
    """The pieces of a page run in order, in one program. Lines `# value` say what one is."""
    monkeypatch.chdir(tmp_path)
    pieces = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
    assert pieces
    names = {}
    for piece in pieces:
        exec(compile(piece, page, "exec"), names)
