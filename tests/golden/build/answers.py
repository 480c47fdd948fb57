"""Hands every answer of the table to the generated parser in a package. The last word is the number of answers."""

import importlib
import json
import pathlib
import sys
import typing

folder, table = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(folder.parent))
sys.dont_write_bytecode = True
client = importlib.import_module(folder.name)


class Response(typing.NamedTuple):
    status_code: int
    text: str


answers = json.loads(table.read_text())
for answer in answers:
    name, given = answer["name"], answer.get("value")
    if "deep" in answer:
        given = "[" * answer["deep"] + "]" * answer["deep"]
    if "response" in answer:
        given = Response(answer["response"]["status"], answer["response"]["body"])
    found = client.parse_envelope(given)
    assert (found.surface if found else None) == answer["surface"], (name, found)
    if found is None:
        continue
    problem = found.problem
    assert (not isinstance(problem, client.UnknownProblem)) == answer["known"], (name, problem)
    assert problem.code == answer.get("code"), (name, problem)
    assert problem.status == answer.get("status"), (name, problem)
    if "detail" in answer:
        assert problem.detail == answer["detail"], (name, problem)
    for member in answer.get("keeps", []):
        kept = getattr(problem, member, None) or (problem.model_extra or {}).get(member)
        assert kept is not None, (name, member)
    assert list(found.suggested) == answer.get("suggested", []), (name, found)
print(f"answers {len(answers)}")
