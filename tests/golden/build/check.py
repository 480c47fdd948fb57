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


def openapi(folder: pathlib.Path) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator, OpenAPIV32SpecValidator

    operations = 0
    found = files(folder, "*.json")
    for path in found:
        document = json.loads(path.read_text())
        validator = OpenAPIV32SpecValidator if document["openapi"].startswith("3.2") else OpenAPIV31SpecValidator
        for error in validator(document).iter_errors():
            raise AssertionError(f"{path}: {error.message} at {list(error.absolute_path)}")
        operations += sum(len(item) for item in document["paths"].values())
    assert operations > 300, operations
    print(f"{operations} operations in {len(found)}")


def python(folder: pathlib.Path) -> None:
    import importlib

    from mypy import api

    found = files(folder, "*.py")
    typed = files(folder, "py.typed")
    out, err, code = api.run(
        ["--strict", "--no-incremental", "--python-version", "3.11", "--cache-dir", "/dev/null", str(folder)]
    )
    assert code == 0, out + err
    assert f"no issues found in {len(found)} source files" in out, out
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    problems = 0
    for path in found:
        module = importlib.import_module(".".join(path.relative_to(folder).with_suffix("").parts))
        for name, value in vars(module).items():
            # A problem of each class can be told apart by a match, and survives a round trip.
            if isinstance(value, type) and name.endswith("Problem") and hasattr(value, "model_fields"):
                if "code" in value.model_fields and value.model_fields["code"].default is not None:
                    problem = importlib.import_module(module.__name__).parse_problem(
                        {"code": value.model_fields["code"].default, "status": 422, "further": {"a": 1}}
                    ) if hasattr(module, "parse_problem") else None
                    if problem is not None:
                        assert type(problem) is value, (name, problem)
                        assert problem.model_extra == {"further": {"a": 1}}
                        problems += 1
    assert problems > 60, problems
    print(f"{problems} problems in {len(found) + len(typed)}")


def docs(folder: pathlib.Path) -> None:
    import html.parser
    import urllib.parse

    class Page(html.parser.HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.ids: set[str] = set()
            self.links: list[str] = []
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            values = dict(attrs)
            if values.get("id"):
                self.ids.add(str(values["id"]))
            self.links.extend(str(values[name]) for name in ("href", "src") if values.get(name))
            if tag not in ("meta", "link", "input", "br"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open}"
            self.open.pop()

    links = 0
    found = files(folder, "*.html")
    for path in found:
        page = Page()
        page.feed(path.read_text())
        assert not page.open, (path, page.open)
        for link in page.links:
            target = urllib.parse.urlsplit(link)
            if target.scheme:
                continue
            assert (path.parent / urllib.parse.unquote(target.path)).is_file(), f"{path}: {link} leads nowhere"
            links += 1
    assert links > 300, links
    print(f"{links} links in {len(found) + len(files(folder, '*.css'))}")


{"openapi": openapi, "python": python, "docs": docs, "mcp": mcp, "a2a": a2a}[sys.argv[1]](pathlib.Path(sys.argv[2]))
