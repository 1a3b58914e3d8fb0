"""The structs in Python are those of vicinal.h."""

import ctypes
import importlib.resources
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
