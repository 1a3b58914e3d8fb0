"""Every example in the docstrings, and every piece of Python in the README and in docs/."""

import doctest
import importlib
import inspect
import pathlib
import re

import pytest
import vicinal

ROOT = pathlib.Path(__file__).parents[2]
MODULES = {  # and what they need
    "vicinal": None, "vicinal._batch": None, "vicinal._finder": None, "vicinal._results": "scipy",
    "vicinal._stream": None, "vicinal.compat.ase": "ase", "vicinal.compat.scipy": "scipy",
    "vicinal.torch": "torch",
}


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if MODULES[name]:
        pytest.importorskip(MODULES[name])
    failed, attempted = doctest.testmod(
        importlib.import_module(name), extraglobs={"vicinal": vicinal}
    )
    assert attempted > 0 and failed == 0


def as_finder(text):
    """Methods that only refer to others have their examples there."""
    return re.fullmatch(r"As .*|The number of pairs\.", text, re.S)


def test_everything_has_an_example():
    missing = []
    for name in vicinal.__all__:
        public = getattr(vicinal, name)
        if inspect.isclass(public) and issubclass(public, Exception):
            continue
        if ">>>" not in public.__doc__ and name != "Changes":  # shown by Held.changes()
            missing.append(name)
        if name in ("Finder", "Held"):
            for method, value in vars(public).items():
                text = inspect.getdoc(value)
                if not method.startswith("_") and not (text and (">>>" in text or as_finder(text))):
                    missing.append(f"{name}.{method}")
    assert not missing


@pytest.mark.parametrize("page", ["docs/python.md", "docs/python-examples.md", "README.md"])
def test_pages(page, tmp_path, monkeypatch):
    """The pieces of a page run in order, in one program, and make its pictures."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    pieces = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
    assert pieces
    names = {}
    for piece in pieces:
        exec(compile(piece, page, "exec"), names)
    pictures = re.findall(r"\]\(pictures/(.+?)\)", (ROOT / page).read_text())
    assert all((tmp_path / name).stat().st_size > 1000 for name in pictures)
