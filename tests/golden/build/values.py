"""Tries every value of the table on the pydantic models in a package. What is taken must come out as it went in."""

import importlib
import json
import pathlib
import sys

import pydantic

folder, table = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(folder.parent))
sys.dont_write_bytecode = True
models = importlib.import_module(f"{folder.name}.models")
tried = 0
for name, values in json.loads(table.read_text()).items():
    adapter = pydantic.TypeAdapter(getattr(models, name))
    for value in values["good"]:
        found = adapter.validate_python(value)
        written = adapter.dump_python(found, mode="json", by_alias=True, exclude_unset=True)
        assert written == value, f"{name} changes {value} into {written}"
        tried += 1
    for value in values["bad"]:
        try:
            adapter.validate_python(value)
        except pydantic.ValidationError:
            tried += 1
        else:
            raise AssertionError(f"{name} takes {value}")
print(tried)
