
from __future__ import annotations

import collections.abc
import datetime
import ipaddress
import json
import re
import typing
import urllib.parse

import pydantic


class NextAction(pydantic.BaseModel):
    """Where to go next."""

    model_config = pydantic.ConfigDict(extra="allow", frozen=True)

    endpoint_xri: str | None = None
    endpoint_url: str | None = None
    required_scope: str | None = None
    guide_xri: str | None = None


class ExampleRequest(pydantic.BaseModel):
    """A call that would succeed."""

    model_config = pydantic.ConfigDict(extra="allow", frozen=True)

    method: str
    path: str
    headers: dict[str, str] | None = None
    body: typing.Any = None


class Remediation(pydantic.BaseModel):
    """What the caller can do about a problem."""

    model_config = pydantic.ConfigDict(extra="allow", frozen=True)

    type: typing.Literal[
        "wait_for_provisioning", "request_scope_elevation", "switch_user", "register_custom_domain", "none"
    ]
    reason: (
        typing.Literal["no_public_equivalent_exists", "auth_required_for_safety", "not_yet_implemented"] | None
    ) = None
    message: str | None = None
    next_action: NextAction | None = None
    example_request: ExampleRequest | None = None
    auto_fix_available: bool | None = None


class ProblemDetails(pydantic.BaseModel):
    """Any problem. Members it has beyond these are in `model_extra`.

    A member of the wrong type counts as absent (RFC 9457, section 3.1).
    """

    model_config = pydantic.ConfigDict(extra="allow", frozen=True, protected_namespaces=())

    type: str | None = None
    title: str | None = None
    status: int | None = None
    detail: str | None = None
    instance: str | None = None
    code: str | None = None
    request_id: str | None = None
    valid_values: dict[str, list[typing.Any]] | None = None
    remediation: Remediation | None = None
    docs_url: str | None = None
    mcp_tool: str | None = None
    a2a_skill: str | None = None

    @pydantic.field_validator("*", mode="wrap")
    @classmethod
    def _absent_when_wrong(cls, value: typing.Any, handler: pydantic.ValidatorFunctionWrapHandler) -> typing.Any:
        try:
            found = handler(value)
        except pydantic.ValidationError:
            return None
        # `"422"` and `true` are not numbers, although pydantic would take them for one.
        return None if type(found) is int and (isinstance(value, bool) or not isinstance(value, (int, float))) else found


class MachineHints(pydantic.BaseModel):
    """What is derived from a problem for programs."""

    model_config = pydantic.ConfigDict(extra="allow", frozen=True)

    retryable: bool | None = None
    severity: str | None = None
    category: str | None = None
    field_paths: list[str] | None = None
    retry_after_ms: float | None = None
    fingerprint: str | None = None


Surface: typing.TypeAlias = typing.Literal["rest", "mcp", "a2a", "stream"]

Bag: typing.TypeAlias = dict[str, typing.Any]


class Envelope(typing.NamedTuple):
    """The members of a problem under their canonical names, and what its surface says beyond it."""

    surface: Surface
    members: Bag
    #: The tools or skills that help.
    suggested: list[str]
    #: The arguments of the failed call with the wrong field corrected.
    corrected: Bag | None
    hints: MachineHints | None


def open_envelope(value: object) -> Envelope | None:
    """Finds the problem in whatever a surface sent.

    That is a response of httpx or requests, a problem document, an MCP result, a JSON-RPC error or response, an error that a client
    library raised, a stream event, or the JSON text of one of these. Nothing of the kind gives None.
    """
    if isinstance(value, (str, bytes, bytearray)):
        parsed = _parse(value)
        return None if parsed is None else _open(parsed)
    if isinstance(value, dict):
        return _open(value)
    status = getattr(value, "status_code", None)
    if isinstance(status, int):
        return _open_response(value, status)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        dumped = dump(mode="json", by_alias=True, exclude_none=True)
        return _open(dumped) if isinstance(dumped, dict) else None
    inner = getattr(value, "error", None)
    if inner is not None and inner is not value:
        found = open_envelope(inner)
        if found is not None:
            return found
    if isinstance(value, BaseException) and hasattr(value, "data"):
        code, message = getattr(value, "code", None), getattr(value, "message", str(value))
        return _open_error({"code": code, "message": message, "data": getattr(value, "data", None)})
    return None


def _open_response(response: object, status: int) -> Envelope | None:
    if status < 400:
        return None
    text = getattr(response, "text", "")
    parsed = _parse(text) if isinstance(text, (str, bytes)) else None
    found = _open(parsed) if parsed is not None else None
    said = _words_of(parsed or {})
    if found is not None:
        told = dict(found.members)
        # What the body does not say, the status line does.
        if not _is_number(told.get("status")):
            told["status"] = status
        if told.get("detail") is None and said is not None:
            told["detail"] = said
        return found._replace(members=told)
    # A server that does not speak RFC 9457 still said something: the status, and what it wrote.
    members: Bag = {**(parsed or {}), "status": status}
    if isinstance(text, str) and text:
        members["detail"] = said or text
    return _envelope("rest", members)


def _words_of(body: Bag) -> str | None:
    """The sentence of an error that is not a problem, where most servers write it."""
    said = (body.get(name) for name in ("message", "error_description", "error", "msg"))
    return next((words for words in said if isinstance(words, str) and words), None)


def _open(value: Bag) -> Envelope | None:
    result = value.get("result")
    if isinstance(result, dict) and value.get("error") is None and not _is_problem(value):
        value = result
    error, problem = value.get("error"), value.get("problem")
    if value.get("type") == "error" and isinstance(problem, dict):
        return _envelope("stream", problem)
    if _is_envelope(value):
        return _envelope(_surface_of(value), value)
    # A problem may have members of its own that are called like those of other messages.
    if _is_problem(value):
        return _envelope("rest", value)
    if isinstance(value.get("structuredContent"), dict) or isinstance(value.get("content"), list):
        return _open_tool_result(value)
    if isinstance(error, dict):
        return _open_error(error)
    if _is_number(value.get("code")):
        return _open_error(value)
    return _envelope("rest", value) if _looks_like_problem(value) else None


def _open_tool_result(result: Bag) -> Envelope | None:
    structured, meta = result.get("structuredContent"), result.get("_meta")
    if isinstance(structured, dict) and isinstance(structured.get("error"), dict):
        return _envelope("mcp", structured["error"])
    for value in meta.values() if isinstance(meta, dict) else ():
        inner = value["error"] if isinstance(value, dict) and isinstance(value.get("error"), dict) else value
        if isinstance(inner, dict) and _is_envelope(inner):
            return _envelope("mcp", inner)
    if result.get("isError") is not True:
        return None
    texts: list[str] = []
    content = result.get("content")
    for block in content if isinstance(content, list) else ():
        text = block.get("text") if isinstance(block, dict) else None
        if not isinstance(text, str):
            continue
        texts.append(text)
        parsed = _parse(text)
        if parsed is None:
            continue
        told: Bag = parsed["error"] if isinstance(parsed.get("error"), dict) else parsed
        if _is_envelope(told) or _looks_like_problem(told):
            return _envelope("mcp", told)
    return _envelope("mcp", {"detail": "\n".join(texts)} if texts else {})


def _open_error(error: Bag) -> Envelope | None:
    if _is_envelope(error):
        return _envelope(_surface_of(error), error)
    data = error.get("data", error.get("details"))
    entries = [entry for entry in (data if isinstance(data, list) else [data]) if isinstance(entry, dict)]
    for entry in entries:
        if _is_envelope(entry):
            return _envelope("a2a", entry)
    for entry in entries:
        if "@type" not in entry and _looks_like_problem(entry):
            return _envelope("a2a", entry)
    if not _is_number(error.get("code")) and not isinstance(error.get("message"), str):
        return _envelope("rest", error) if _looks_like_problem(error) else None
    told: Bag = {}
    for entry in entries:
        if str(entry.get("@type", "")).endswith("google.rpc.ErrorInfo") and isinstance(entry.get("metadata"), dict):
            told = entry["metadata"]
            break
    found: Bag = {}
    if isinstance(error.get("message"), str):
        found["detail"] = error["message"]
    status = told.get("status")
    if isinstance(status, str) and len(status) == 3 and status.isdigit():
        found["status"] = int(status)
    for name in ("code", "request_id", "docs_url"):
        if isinstance(told.get(name), str):
            found[name] = told[name]
    return _envelope("a2a", found)


def _envelope(surface: Surface, wire: Bag) -> Envelope:
    """Takes the members of the surface away, and gives the others their canonical names."""
    strip = surface in ("mcp", "a2a")
    members = {
        "docs_url" if name == "documentation_uri" else name: value
        for name, value in wire.items()
        if not (strip and name in _SURFACE_MEMBERS)
    }
    suggested = wire.get("suggested_tools", wire.get("suggested_skills"))
    corrected = wire.get("corrected_args", wire.get("corrected_params"))
    hints = wire.get("machine_hints")
    try:
        parsed = MachineHints.model_validate(hints) if isinstance(hints, dict) else None
    except pydantic.ValidationError:
        parsed = None
    return Envelope(
        surface=surface,
        members=members,
        suggested=[name for name in suggested if isinstance(name, str)] if isinstance(suggested, list) else [],
        corrected=corrected if isinstance(corrected, dict) else None,
        hints=parsed,
    )


_SURFACE_MEMBERS = frozenset(
    {
        "@type",
        "schema",
        "surface",
        "suggested_tools",
        "suggested_skills",
        "corrected_args",
        "corrected_params",
        "machine_hints",
    }
)

_PROBLEM_MEMBERS = ("type", "title", "status", "detail", "code", "valid_values", "remediation")


def _is_envelope(value: Bag) -> bool:
    schema = value.get("schema")
    return isinstance(schema, str) and schema.startswith(("pspace.mcp.error.v", "pspace.a2a.error.v"))


def _surface_of(value: Bag) -> Surface:
    return "mcp" if str(value.get("schema")).startswith("pspace.mcp.") else "a2a"


def _is_problem(value: Bag) -> bool:
    """Whether a message is itself a problem, and not a message that has one in it."""
    is_message = any(name in value for name in ("jsonrpc", "structuredContent", "isError"))
    return not is_message and (isinstance(value.get("code"), str) or _is_number(value.get("status")))


def _looks_like_problem(value: Bag) -> bool:
    return any(name in value for name in _PROBLEM_MEMBERS)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _parse(text: str | bytes | bytearray) -> Bag | None:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def matches(pattern: str) -> pydantic.AfterValidator:
    """Checks a string against a pattern. One that this engine does not understand cannot be checked and lets everything pass."""
    try:
        compiled = re.compile(pattern, re.ASCII)
    except re.error:
        return pydantic.AfterValidator(lambda value: value)

    def check(value: str) -> str:
        if compiled.search(value) is None:
            raise ValueError(f"the text does not match {pattern}")
        return value

    return pydantic.AfterValidator(check)


def is_format(name: str) -> pydantic.AfterValidator:
    """Checks a string against a format of JSON Schema. The value stays the text it is on the wire."""

    def check(value: str) -> str:
        if not _FORMATS[name](value):
            raise ValueError(f"the text is not a valid {name}")
        return value

    return pydantic.AfterValidator(check)


def _parses(parse: typing.Callable[[str], object], pattern: str) -> typing.Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)

    def check(value: str) -> bool:
        if compiled.fullmatch(value) is None:
            return False
        try:
            parse(value)
        except ValueError:
            return False
        return True

    return check


_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"

_FORMATS: dict[str, typing.Callable[[str], bool]] = {
    "uuid": _parses(str, "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "date-time": _parses(
        # The clock may show a leap second, and older versions know neither `Z` nor more than six digits.
        lambda value: datetime.date.fromisoformat(value[:10]),
        r"\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    ),
    "date": _parses(datetime.date.fromisoformat, r"\d{4}-\d\d-\d\d"),
    "email": _parses(str, f"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\\.{_LABEL})*"),
    "uri": _parses(urllib.parse.urlsplit, r"[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+"),
    "ipv4": _parses(ipaddress.IPv4Address, ".*"),
    "ipv6": _parses(ipaddress.IPv6Address, ".*"),
}


def _differ(items: list[typing.Any]) -> list[typing.Any]:
    seen = {json.dumps(pydantic.TypeAdapter(typing.Any).dump_python(item, mode="json"), sort_keys=True) for item in items}
    if len(seen) != len(items):
        raise ValueError("the items must differ")
    return items


#: Checks that the items of a list differ.
unique = pydantic.AfterValidator(_differ)


#: A file or any bytes. On its way to a body each byte is a character.
Binary = typing.Annotated[bytes, pydantic.PlainSerializer(lambda value: value.decode("latin-1"), when_used="json-unless-none")]


def told_by(member: str, attribute: str, tags: dict[str, str]) -> pydantic.Discriminator:
    """Tells the branches of a union apart by a member."""

    def read(value: typing.Any) -> str | None:
        found = value.get(member) if isinstance(value, dict) else getattr(value, attribute, None)
        found = getattr(found, "value", found)
        return tags.get(found) if isinstance(found, str) else None

    return pydantic.Discriminator(read)


def also(value: typing.Any, *parts: typing.Any) -> typing.Any:
    """Checks a value against types that must hold beside its own members. What is wrong is raised by pydantic."""
    members = value.model_dump(mode="json", by_alias=True, exclude_unset=True) if isinstance(value, pydantic.BaseModel) else value
    for part in parts:
        pydantic.TypeAdapter(part).validate_python(members)
    return value


class Prepared(typing.NamedTuple):
    """A call to make."""

    url: str
    headers: dict[str, str]
    content: bytes | None
    #: The parts of a form with files.
    files: list[tuple[str, tuple[str | None, bytes]]] | None


def prepare(
    base_url: str,
    path: str,
    request: pydantic.BaseModel | None,
    media: str,
    files: collections.abc.Collection[str],
    styles: collections.abc.Mapping[str, str],
    headers: collections.abc.Mapping[str, str],
) -> Prepared:
    """Puts the parts of a request where they belong. What was not set is not sent.

    `files` are the members of a form that are bytes; the empty name is the body itself.
    """
    parts: Bag = {} if request is None else request.model_dump(
        mode="json", by_alias=True, exclude_unset=True, warnings=False
    )
    url = base_url.rstrip("/") + _fill(path, parts.get("path") or {})
    query = _pairs(parts.get("query") or {}, styles)
    if query:
        url += "?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote)
    sent = {"accept": "application/json, application/problem+json;q=0.9, */*;q=0.1"}
    sent.update((name.lower(), _plain(value)) for name, value in (parts.get("headers") or {}).items() if value is not None)
    sent.update((name.lower(), value) for name, value in headers.items())
    cookies = [(name, _plain(value)) for name, value in (parts.get("cookies") or {}).items() if value is not None]
    if cookies:
        sent["cookie"] = "; ".join(f"{name}={urllib.parse.quote(value, safe='')}" for name, value in cookies)
    body = parts.get("body")
    if "body" not in parts:
        return Prepared(url, sent, None, None)
    kind = media.partition(";")[0].strip().lower()
    if kind.startswith("multipart/") and isinstance(body, dict):
        # A server takes a part for a file when the part has the name of one.
        parts_of_form: list[tuple[str, tuple[str | None, bytes]]] = [
            (name, (name, value.encode("latin-1")) if name in files else (None, value.encode()))
            for name, value in _pairs(body, _styles_of_parts(body, styles))
        ]
        return Prepared(url, sent, None, parts_of_form)
    sent.setdefault("content-type", media)
    if kind == "application/x-www-form-urlencoded" and isinstance(body, dict):
        return Prepared(url, sent, urllib.parse.urlencode(_pairs(body, styles)).encode(), None)
    if kind.endswith("/json") or kind.endswith("+json") or not isinstance(body, str):
        return Prepared(url, sent, json.dumps(body, ensure_ascii=False).encode(), None)
    return Prepared(url, sent, body.encode("latin-1" if "" in files else "utf-8"), None)


def _fill(path: str, values: Bag) -> str:
    """The path with its parameters in place."""

    def one(match: re.Match[str]) -> str:
        value = _plain(values.get(match[1], ""))
        # An empty part, `.` and `..` would lead to another path.
        if value in ("", ".", ".."):
            raise ValueError(f"{match[1]} in the path must not be {value!r}")
        return urllib.parse.quote(value, safe="")

    filled = re.sub(r"\{([^{}]*)\}", one, path)
    return filled if filled.startswith("/") else "/" + filled


def _styles_of_parts(body: Bag, styles: collections.abc.Mapping[str, str]) -> dict[str, str]:
    """An object is one part of a multipart form, as JSON."""
    return {**{name: "json" for name, value in body.items() if isinstance(value, dict)}, **styles}


_GAPS = {"comma": ",", "space": " ", "pipe": "|", "tab": "\t"}


def _pairs(values: Bag, styles: collections.abc.Mapping[str, str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in values.items():
        if value is None:
            continue
        style = styles.get(name, "")
        if style == "json":
            found.append((name, json.dumps(value, ensure_ascii=False, separators=(",", ":"))))
        elif not isinstance(value, (list, dict)):
            found.append((name, _plain(value)))
        elif style in _GAPS:
            parts = value if isinstance(value, list) else [part for member in value.items() for part in member]
            if parts:
                found.append((name, _GAPS[style].join(map(_plain, parts))))
        elif isinstance(value, list):
            found.extend((name, _plain(item)) for item in value)
        else:
            found.extend((f"{name}[{key}]" if style == "deep" else key, _plain(inner)) for key, inner in value.items())
    return found


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(_plain, value))
    return json.dumps(value, ensure_ascii=False)
