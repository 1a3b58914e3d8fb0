"""The build backend of the Python package (PEP 517): compiles the library with CMake and packs it
with python/vicinal into a wheel. Needs CMake, a C++ compiler and Highway, and no Python package.
The environment variable CMAKE_ARGS holds further arguments of CMake.
"""

import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "vicinal"
SOURCES = (
    "CHANGELOG.md", "CMakeLists.txt", "LICENSE", "README.md", "cmake", "common", "docs/python.md",
    "include", "pyproject.toml", "python", "src",
)


def _version():
    text = (ROOT / "include/vicinal/version.hpp").read_text()
    return ".".join(
        re.search(rf"VICINAL_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")
    )


def _project(key):
    """A text in the table [project] of pyproject.toml. Python before 3.11 has no reader for it."""
    return re.search(rf'^{key} = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)[1]


def _metadata():
    text = (ROOT / "pyproject.toml").read_text()
    dependencies = re.search(r"^dependencies = \[(.*)\]$", text, re.M)[1]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {_project('name')}",
        f"Version: {_version()}",
        f"Summary: {_project('description')}",
        f"Requires-Python: {_project('requires-python')}",
        "License: BSD-3-Clause",
        "Description-Content-Type: text/markdown",
    ]
    lines += [f"Requires-Dist: {d}" for d in re.findall(r'"(.+?)"', dependencies)]
    return "\n".join(lines) + "\n\n" + (ROOT / _project("readme")).read_text()


def _compiled_library():
    """Builds the shared library. The build directory stays, so that the next time is faster."""
    build = ROOT / "build" / "python"
    configure = [
        "cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
        "-DBUILD_SHARED_LIBS=ON", "-DVICINAL_TOOL=OFF", "-DVICINAL_TESTS=OFF",
        "-DVICINAL_EXAMPLES=OFF", "-DCMAKE_SHARED_LINKER_FLAGS=-s",
    ]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    configure += shlex.split(os.environ.get("CMAKE_ARGS", ""))
    subprocess.run(configure, check=True)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(
        ["cmake", "--build", str(build), "--target", "vicinal", "--parallel", jobs], check=True
    )
    return (build / "src" / "libvicinal.so").resolve()


class _Wheel:
    def __init__(self, path, tag):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._info = f"vicinal-{_version()}.dist-info"
        self._record = []
        self.add(f"{self._info}/METADATA", _metadata().encode())
        wheel = "Wheel-Version: 1.0\nGenerator: vicinal_build\nRoot-Is-Purelib: false\n"
        self.add(f"{self._info}/WHEEL", f"{wheel}Tag: {tag}\n".encode())
        self.add(f"{self._info}/LICENSE", (ROOT / "LICENSE").read_bytes())

    def add(self, name, contents):
        self._zip.writestr(name, contents)
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(contents)}")

    def close(self):
        name = f"{self._info}/RECORD"
        self._zip.writestr(name, "\n".join([*self._record, f"{name},,", ""]))
        self._zip.close()


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"py3-none-{platform}"
    name = f"vicinal-{_version()}-{tag}.whl"
    library = _compiled_library()
    wheel = _Wheel(pathlib.Path(wheel_directory) / name, tag)
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            wheel.add(f"vicinal/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes())
    wheel.add("vicinal/libvicinal.so", library.read_bytes())
    wheel.close()
    return name


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    base = f"vicinal-{_version()}"
    name = f"{base}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz") as archive:
        for source in SOURCES:
            archive.add(
                ROOT / source, f"{base}/{source}",
                filter=lambda entry: None if "__pycache__" in entry.name else entry,
            )
        with tempfile.NamedTemporaryFile("w") as info:
            info.write(_metadata())
            info.flush()
            archive.add(info.name, f"{base}/PKG-INFO")
    return name
