"""Checks generated files with the packages their consumers use. Prints what it saw; the last word is the number of files."""

import json
import pathlib
import sys


def files(folder: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    found = sorted(folder.rglob(pattern))
    assert found, f"no {pattern} in {folder}"
    return found


def mcp(folder: pathlib.Path) -> None:
    import mcp.types as types
    from jsonschema import Draft202012Validator

    tools = 0
    found = files(folder, "*.json")
    for path in found:
        document = json.loads(path.read_text())
        result = types.ListToolsResult.model_validate(document)
        for tool in result.tools:
            Draft202012Validator.check_schema(tool.model_dump(by_alias=True)["inputSchema"])
            tools += 1
    assert tools > 300, tools
    print(f"{tools} tools in {len(found)}")


def a2a(folder: pathlib.Path) -> None:
    from a2a.types import AgentCard
    from google.protobuf import json_format

    skills = 0
    found = files(folder, "*.json")
    for path in found:
        card = json_format.Parse(path.read_text(), AgentCard())
        skills += len(card.skills)
        assert card.capabilities.extensions[0].uri.endswith("/problem/v1")
    assert skills > 300, skills
    print(f"{skills} skills in {len(found)}")


{"mcp": mcp, "a2a": a2a}[sys.argv[1]](pathlib.Path(sys.argv[2]))
