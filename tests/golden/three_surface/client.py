"""Sends the same bad calls to each surface of a running demo, and reads the answers with the generated client."""

import json
import sys
import types
import typing
import urllib.error
import urllib.request

base, folder = sys.argv[1], sys.argv[2]
sys.path.insert(0, folder)

import mcp.types as mcp_types  # noqa: E402
import python as api  # noqa: E402  (the generated package)
from python.problems import InvalidAuthUxProblem, StillProvisioningProblem  # noqa: E402


def send(method: str, path: str, body: object, headers: dict[str, str] | None = None) -> types.SimpleNamespace:
    data = json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, method=method)
    request.add_header("Content-Type", "application/json")
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request) as response:
            return types.SimpleNamespace(status_code=response.status, text=response.read().decode())
    except urllib.error.HTTPError as error:
        return types.SimpleNamespace(status_code=error.code, text=error.read().decode())


def call_tool(call: dict[str, str]) -> typing.Any:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    params = {"name": "update_possibility_auth", "arguments": call}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.loads(send("POST", "/mcp", body, headers).text)


def a2a(call: dict[str, str], version: str | None = None) -> typing.Any:
    data = {"skill": "possibility_auth_configuration", **call}
    if version == "1.0":
        method, message = "SendMessage", {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}]}
    else:
        part = {"kind": "data", "data": data}
        method, message = "message/send", {"kind": "message", "messageId": "m", "role": "user", "parts": [part]}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}}
    return json.loads(send("POST", "/a2a", body, {"A2A-Version": version} if version else None).text)


def content(problem: typing.Any) -> dict[str, typing.Any]:
    members = problem.model_dump(exclude_unset=True)
    assert members.pop("request_id") and members.pop("instance")
    return members


CALLS = [
    ({"id": "42", "auth_ux": "Hosted"}, "invalid_auth_ux", True),
    ({"id": "42", "auth_ux": "magic"}, "invalid_auth_ux", True),
    ({"id": "missing", "auth_ux": "custom"}, "possibility_not_found", True),
    ({"id": "private", "auth_ux": "custom"}, "sign_in_required", True),
    ({"id": "provisioning", "auth_ux": "custom"}, "still_provisioning", True),
    ({"id": "read-only", "auth_ux": "custom"}, "missing_scope", False),
    ({"id": "busy", "auth_ux": "custom"}, "too_many_changes", False),
    ({"id": "broken", "auth_ux": "custom"}, "storage", False),
    ({"id": "retired", "auth_ux": "custom"}, "possibility_retired", False),
]

compared = 0
for call, code, known in CALLS:
    path = f"/possibilities/{call['id']}/auth"
    canonical = api.parse_problem(send("PATCH", path, {"auth_ux": call["auth_ux"]}))
    assert canonical is not None and canonical.code == code, (canonical, code)
    assert isinstance(canonical, api.UnknownProblem) is not known
    compared += 1
    for surface, answer in [("mcp", call_tool(call)), ("a2a", a2a(call)), ("a2a", a2a(call, "1.0")), ("a2a", a2a(call, "0.3"))]:
        parsed = api.parse_envelope(answer)
        assert parsed is not None, answer
        assert parsed.surface == surface
        assert type(parsed.problem) is type(canonical)
        assert content(parsed.problem) == content(canonical), (code, surface)
        assert parsed.hints is not None and parsed.hints.retryable is not None
        if call["auth_ux"] == "Hosted":
            skill = {"skill": "possibility_auth_configuration"} if surface == "a2a" else {}
            assert parsed.corrected == {"id": "42", "auth_ux": "hosted", **skill}, parsed.corrected
        assert api.parse_problem(answer.get("result") or answer["error"]) == parsed.problem
        assert api.parse_problem(json.dumps(answer)) == parsed.problem
        match parsed.problem:
            case InvalidAuthUxProblem(valid_values=values):
                assert code == "invalid_auth_ux" and values is not None and len(values["auth_ux"]) == 2
            case StillProvisioningProblem(status=status):
                assert status == 409
            case api.UnknownProblem():
                assert not known
        compared += 1

GOOD = {"id": "42", "auth_ux": "custom"}
assert api.parse_problem(call_tool(GOOD)) is None
assert api.parse_problem(a2a(GOOD)) is None
for nothing in (None, 5, "", "text", [], {}, {"result": {}}, {"content": []}, object()):
    assert api.parse_problem(nothing) is None, nothing

# The official client's own type is read as well.
result = mcp_types.CallToolResult.model_validate(call_tool({"id": "42", "auth_ux": "magic"})["result"])
official = api.parse_problem(result)
assert official is not None and official.code == "invalid_auth_ux", official

# A member of the wrong type is absent; an unknown member is kept.
odd = api.parse_problem({"code": "invalid_auth_ux", "status": "422", "title": 5, "further": {"a": 1}})
assert odd is not None and odd.status is None and odd.title is None and odd.model_extra == {"further": {"a": 1}}
print(f"answers compared: {compared}")
