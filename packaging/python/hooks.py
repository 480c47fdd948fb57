"""Builds the package that pre-commit installs: a wheel without files, which only asks for the published one.

With a build tool, pip would have to fetch that first, and it takes longer than everything else.
"""

import base64
import hashlib
import pathlib
import re
import zipfile


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = pathlib.Path("pyproject.toml").read_text(encoding="utf-8")

    def told(key):
        return re.search(rf'^{key} = "(.*)"$', project, re.MULTILINE)[1]

    name, version = told("name").replace("-", "_"), told("version")
    needed = re.search(r'^dependencies = \["(.*)"\]$', project, re.MULTILINE)[1]
    info = f"{name}-{version}.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {told('name')}\nVersion: {version}\nRequires-Dist: {needed}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: aon\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{info}/RECORD,,\n"
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record = f"{path},sha256={digest},{len(text.encode())}\n{record}"
    file = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / file, "w") as wheel:
        for path, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(path, text)
    return file


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("pre-commit installs from a clone")
