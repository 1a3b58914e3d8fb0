"""The structs in Python are those of vicinal.h."""

import ast
import ctypes
import importlib.resources
import inspect
import pathlib
import re
import subprocess

import vicinal
from vicinal import _library as lib

HEADERS = pathlib.Path(__file__).parents[2] / "include"
STRUCTS = {
    "vicinal_column": lib.Column, "vicinal_vectors": lib.Vectors, "vicinal_bodies": lib.Bodies,
    "vicinal_domain": lib.Domain, "vicinal_options": lib.Options, "vicinal_form": lib.Form,
    "vicinal_result": lib.Result, "vicinal_block": lib.Block, "vicinal_keys": lib.Keys,
    "vicinal_change_list": lib.Changes,
}


def test_fields(tmp_path):
    text = (HEADERS / "vicinal.h").read_text()
    assert set(re.findall(r"typedef struct (\w+) \{", text)) == set(STRUCTS)
    lines = ["#include <stdio.h>", "#include <vicinal.h>", "int main(void) {"]
    expected = []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            at = f"offsetof({name}, {field}), sizeof((({name}*)0)->{field})"
            lines.append(f'printf("{name}.{field} %zu %zu\\n", {at});')
            its = getattr(struct, field)
            expected.append(f"{name}.{field} {its.offset} {its.size}")
    source = tmp_path / "fields.c"
    source.write_text("\n".join([*lines, "return 0; }"]))
    program = tmp_path / "fields"
    subprocess.run(["cc", "-I", HEADERS, source, "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == expected


def test_functions():
    declared = re.findall(r"(vicinal_\w+)\(", (HEADERS / "vicinal.h").read_text())
    used = set(lib._signatures)
    assert used == {name for name in declared if hasattr(lib.lib, name)}


def test_package():
    assert re.fullmatch(r"\d+\.\d+\.\d+", vicinal.__version__)
    assert importlib.resources.files("vicinal").joinpath("py.typed").is_file()
    assert all(hasattr(vicinal, name) for name in vicinal.__all__)


def test_types():
    """The names in __init__.pyi are those of the code."""
    stub = ast.parse(importlib.resources.files("vicinal").joinpath("__init__.pyi").read_text())
    typed = {n.name: n for n in stub.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    assert {name for name in typed if not name.startswith("_")} == set(vicinal.__all__)

    def same(node, code):
        if isinstance(code, property):
            return
        a = node.args
        names = [p.arg for p in [*a.args, *a.kwonlyargs, a.vararg, a.kwarg] if p]
        assert sorted(names) == sorted(inspect.signature(code).parameters), node.name

    for name, node in typed.items():
        if isinstance(node, ast.FunctionDef):
            same(node, getattr(vicinal, name))
            continue
        code = getattr(vicinal, name, None) or vicinal._results._Columns
        listed = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
        for method, its in listed.items():
            same(its, getattr(code, method))
        if not issubclass(code, Exception):
            public = {n for n in vars(code) if not n.startswith("_")}
            assert public <= set(listed) | {
                n.target.id for n in node.body if isinstance(n, ast.AnnAssign)
            } | {"detached"}, name
