
"""How a caller recovers: from a failure on any surface to the next step, by one table of decisions.

`Recovery` is told what came back and says what to do; it sends nothing and reads no clock. What a server says is input from outside: it is followed
only within `Allowed` and `Budget`, and a call that is neither safe nor idempotent is repeated only where the envelope says so.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import re
import typing

Json = typing.Any
Effect = typing.Literal["safe", "idempotent", "unsafe"]

#: Rule, action, and why: the first rule that applies decides.
TABLE: tuple[tuple[str, str, str], ...] = (
__TABLE__
)

_BECAUSE = {rule: because for rule, _, because in TABLE}
_EFFECTS = {"safe": 0, "idempotent": 1, "unsafe": 2}


@dataclasses.dataclass(frozen=True)
class Operation:
    """An operation the caller knows, from a list of tools, an OpenAPI document or an agent card."""

    name: str
    effect: Effect = "unsafe"
    schema: Json = None
    path: str | None = None


@dataclasses.dataclass
class Call:
    """An operation and its arguments."""

    operation: str
    arguments: Json

    def key(self) -> str:
        return f"{self.operation} {json.dumps(self.arguments, sort_keys=True)}"


@dataclasses.dataclass(frozen=True)
class Allowed:
    """What the caller allows a server to make it do."""

    hosts: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    users: bool = False
    fields: tuple[str, ...] | None = None
    effects: Effect = "safe"

    def field(self, pointer: str) -> bool:
        return self.fields is None or (_tokens(pointer) or [""])[0] in self.fields

    def operation(self, name: str, effect: Effect) -> bool:
        return _EFFECTS[effect] <= _EFFECTS[self.effects] or name in self.operations

    def url(self, url: str) -> bool:
        scheme, separator, rest = url.partition("://")
        if not separator:
            return url.startswith("/") and not url.startswith("//") and "\\" not in url
        authority = rest
        for end in "/?#\\":
            authority = authority.split(end)[0]
        known = [host.lower() for host in self.hosts]
        return scheme in ("http", "https") and "@" not in authority and authority.lower() in known


@dataclasses.dataclass
class Budget:
    """How much may be spent after the call that failed."""

    calls: int = 6
    millis: int = 60_000


@dataclasses.dataclass(frozen=True)
class Decision:
    """What to do, and why. `step` is one of `{"send": …}`, `{"choose": …}`, `{"wait": …}`, `{"elevate": …}`, `"switch_user"`,
    `{"call": …}`, `{"fetch": …}` and `{"give_up": …}`."""

    rule: str
    step: Json
    because: str


@dataclasses.dataclass
class Seen:
    """A failure as the caller sees it: the envelope where there is one, else what the protocol alone tells."""

    problem: dict[str, Json] | None = None
    envelope: bool = False
    own_status: int | None = None
    own_delay: int | None = None
    challenge: str | None = None
    text: str | None = None
    corrected: Json = None
    lost: str | None = None

    @classmethod
    def rest(cls, status: int, headers: dict[str, str], body: str) -> Seen:
        """A response with an error status; the names of headers in lower case."""
        seen = cls(own_status=status)
        seen._headers(headers)
        value = _parse(body)
        if isinstance(value, dict) and _says_something(value):
            seen._problem(value)
        else:
            seen.text = _text_in(value, body)
        return seen

    @classmethod
    def mcp(cls, wire: Json) -> Seen | None:
        """An MCP response or tool result; `None` when it is not a failure."""
        if not isinstance(wire, dict):
            return None
        seen = cls()
        error = wire.get("error")
        if isinstance(error, dict):
            seen.own_status = {-32602: 422, -32601: 404, -32700: 400, -32600: 400}.get(error.get("code", 0), 500)
            seen.text = _str(error.get("message"))
            if isinstance(error.get("data"), dict):
                seen._problem(error["data"])
            return seen
        result = wire.get("result", wire)
        if not isinstance(result, dict) or result.get("isError") is not True:
            return None
        blocks = [block for block in result.get("content") or [] if isinstance(block, dict)]
        texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
        seen.text = texts[0] if texts else None
        found = _get(result, "structuredContent", "error") or _get(result, "_meta", "space.possibility/error")
        for text in texts:
            value = _parse(text)
            if found is None and isinstance(value, dict):
                inner = value.get("error")
                found = inner if isinstance(inner, dict) else value if _says_something(value) else None
        if isinstance(found, dict):
            seen._problem(found)
        return seen

    @classmethod
    def a2a(cls, status: int, headers: dict[str, str], body: Json) -> Seen | None:
        """A JSON-RPC response of an agent; `None` when it is not a failure."""
        error = body.get("error") if isinstance(body, dict) else None
        if not isinstance(error, dict) and status < 400:
            return None
        seen = cls(own_status=status if status >= 400 else None)
        seen._headers(headers)
        if not isinstance(error, dict):
            return seen
        seen.text = _str(error.get("message"))
        data = error.get("data")
        entries = data if isinstance(data, list) else [data] if isinstance(data, dict) else []
        ours = next((entry for entry in entries if isinstance(entry, dict) and _is_rich(entry)), None)
        plain = next((entry for entry in entries if isinstance(entry, dict) and "@type" not in entry), None)
        if ours is not None or plain is not None:
            seen._problem(ours if ours is not None else typing.cast("dict[str, Json]", plain))
        elif seen.own_status is None:
            seen.own_status = {-32602: 422, -32601: 404, -32700: 400, -32600: 400, -32001: 404}.get(error.get("code", 0), 500)
        return seen

    def _problem(self, value: dict[str, Json]) -> None:
        self.envelope = _is_rich(value)
        self.corrected = value.get("corrected_args", value.get("corrected_params", value.get("corrected")))
        self.problem = value
        if isinstance(value.get("detail"), str):
            self.text = value["detail"]

    def _headers(self, headers: dict[str, str]) -> None:
        delay = headers.get("retry-after", "").strip()
        if delay.isdigit():
            self.own_delay = int(delay) * 1000
        self.challenge = headers.get("www-authenticate")

    @property
    def status(self) -> int | None:
        told = (self.problem or {}).get("status")
        return told if isinstance(told, int) and 400 <= told <= 599 else self.own_status

    def member(self, name: str) -> Json:
        return (self.problem or {}).get(name)

    def words(self) -> str:
        """The words of the server: the detail or text, and the message of the remediation."""
        told = [self.text, _str(_get(self.problem, "remediation", "message"))]
        return "\n".join(words for words in told if words is not None)

    @property
    def remediation(self) -> str | None:
        return _str(_get(self.problem, "remediation", "type"))

    def next_action(self, part: str) -> str | None:
        return _str(_get(self.problem, "remediation", "next_action", part))

    @property
    def values(self) -> dict[str, list[Json]]:
        values = self.member("valid_values")
        return {k: v for k, v in values.items() if isinstance(v, list)} if isinstance(values, dict) else {}

    def named(self) -> list[str]:
        out: list[str] = []
        errors = self.member("errors")
        for error in errors if isinstance(errors, list) else []:
            place = _str(_get(error, "pointer"))
            if place is not None:
                place = place.removeprefix("#")
                if place not in out:
                    out.append(place)
        return out or [_pointer(field) for field in self.values]

    def refused(self) -> bool:
        if self.lost is not None:
            return self.lost == "not_sent"
        return self.status is not None and 400 <= self.status < 500 and self.status != 408

    def own_retry(self) -> int | None:
        told = self.member("retry_after")
        if isinstance(told, bool) or not isinstance(told, (int, float)) or not 0 <= told < math.inf:
            return None
        return int(math.ceil(min(told, 86_400))) * 1000

    def delay(self) -> int | None:
        own = self.own_retry()
        return self.own_delay if own is None else own

    def says_repeat(self) -> bool:
        if not self.envelope:
            return False
        if self.remediation == "wait_for_provisioning":
            return True
        if self.status in (425, 429):
            return True
        return (self.refused() or self.status == 503) and self.own_retry() is not None

    def may_repeat(self, effect: Effect) -> bool:
        return effect != "unsafe" or self.says_repeat() or self.lost == "not_sent"

    def passing(self) -> bool:
        return self.lost is not None or self.status in (408, 425, 429, 500, 502, 503, 504)

    def fingerprint(self) -> str:
        if self.lost is not None:
            return self.lost
        if self.envelope:
            kind = self.member("code") or self.member("type") or self.status
            values = sorted(f"{field} {_plain(value)!r}" for field, all in self.values.items() for value in all)
            return json.dumps([kind, sorted(self.named()), values])
        return f"{self.status} {self.text}"


class Recovery:
    """One call on its way to a result. Tell it what happened, do what it decides."""

    def __init__(self, call: Call, known: list[Operation], allowed: Allowed | None = None, budget: Budget | None = None) -> None:
        self.call = call
        self._known = known
        self._allowed = allowed or Allowed()
        self._left = copy.copy(budget or Budget())
        self._last = Seen()
        self._looping = False
        self._waits = 0
        self._waited = False
        self._spent: list[tuple[str, str]] = []
        self._pending: tuple[str, Json] = ("nothing", None)
        self._picked: list[tuple[str, Json]] = []
        self._sent = [call.key()]
        self._answers: list[tuple[str, str]] = []
        self._rule = "nothing"

    def failed(self, seen: Seen, millis: int) -> Decision:
        """The call failed, so many milliseconds after the last step was taken."""
        self._left.millis = max(0, self._left.millis - millis)
        answer = (seen.fingerprint(), self.call.key())
        before = self._answers.count(answer)
        self._looping = before > 0 and (not self._waited or before >= 3)
        self._answers.append(answer)
        self._last = seen
        self._waited = False
        return self._decide()

    def waited(self) -> Decision:
        """The wait is over."""
        self._waited = True
        return self._again()

    def granted(self, granted: bool) -> Decision:
        """Whether the scope, or the other user, was granted."""
        return self._again() if granted else self._decide()

    def chosen(self, value: Json) -> Decision:
        """The value that was chosen; `None` when none of them will do."""
        kind, what = self._pending
        self._pending = ("nothing", None)
        if kind == "value" and value is not None:
            field, choices = what
            # Where no values were told, any will do.
            if not choices or any(_same(_plain(choice), value) for choice in choices):
                self._picked.append((field, value))
                # All that is open is asked before the call is sent.
                found = self._open()
                if found is not None and not found.clear:
                    return self._choose("values", found.place, found.choices)
                fix = self._with(self._picked)
                if fix is not None:
                    return self._send_fixed(self._rule, fix)
        return self._decide()

    def helped(self, result: Json) -> Decision:
        """What the call for help, or the place that was read, gave; `None` when it failed."""
        kind, what = self._pending
        self._pending = ("nothing", None)
        if kind == "done" and result is not None:
            made = self._made(result)
            return self._again() if made is None else self._send_fixed(self._rule, made)
        if kind == "list" and result is not None:
            for field in what:
                decision = self._learned(field, result)
                if decision is not None:
                    return decision
        return self._decide()

    # What decides.

    def _decide(self) -> Decision:
        self._pending = ("nothing", None)
        for rule, _, _ in TABLE:
            decision: Decision | None = getattr(self, f"_rule_{rule}")()
            if decision is not None:
                return decision
        return self._give_up("nothing")

    def _rule_budget(self) -> Decision | None:
        return self._give_up("budget") if self._left.calls == 0 or self._left.millis == 0 else None

    def _rule_loop(self) -> Decision | None:
        return self._give_up("loop") if self._looping else None

    def _rule_none(self) -> Decision | None:
        return self._give_up("none") if self._last.remediation == "none" and self._last.delay() is None else None

    def _rule_corrected(self) -> Decision | None:
        fix = None if self._is_unknown_operation() else self._fix()
        if fix is None:
            return None
        # Where the values of another field are in a list, one call has both.
        return self._list_beside(fix) or self._send_fixed("corrected", fix)

    def _list_beside(self, fix: Json) -> Decision | None:
        """The list of values that the problem tells for a field which it names and the fix does not change."""
        told = self._last.member("choices_endpoint")
        named = (field for field in self._last.named() if _get(told, (_tokens(field) or [""])[-1]) is not None)
        return self._list_of([field for field in named if _at(fix, field) == _at(self.call.arguments, field)])

    def _rule_name(self) -> Decision | None:
        if not self._is_unknown_operation() or self._last.lost is not None:
            return None
        own = nearest(self.call.operation, [known.name for known in self._known]) or self._synonym() or self._permitted()
        word = _str(self._last.member("suggestion"))
        meant = None
        if word is not None:
            found = self._by_name(word) or self._at_path(word)
            if found is not None and (found.name == own or self._allowed.operation(found.name, found.effect)):
                meant = found
        meant = meant or (self._by_name(own) if own is not None else None)
        if meant is None or meant.name == self.call.operation or ("name", meant.name) in self._spent:
            return None
        self._spent.append(("name", meant.name))
        self.call = Call(meant.name, self.call.arguments)
        fix = self._fix()
        if fix is not None:
            self.call = Call(meant.name, fix)
        return self._send("name", f"send {meant.name}")

    def _synonym(self) -> str | None:
        names = [known.name for known in self._known]
        given = without_namespace(self.call.operation)
        bare = nearest(given, names) if given != self.call.operation else None
        name = bare or same_operation(self.call.operation, names) or same_operation(given, names)
        found = None if name is None else self._by_name(name)
        return name if found is not None and self._takes(found, True) else None

    def _permitted(self) -> str | None:
        """The one operation that does the same and was allowed by its name, or reads the same, if it takes these arguments."""
        known = [one for one in self._known if self._takes(one, False)]
        named = [one.name for one in known if one.name in self._allowed.operations]
        reads = [one.name for one in known if one.effect == "safe"]
        return allowed_operation(self.call.operation, named) or reading(self.call.operation, reads)

    def _takes(self, known: Operation, otherwise: bool) -> bool:
        """Whether an operation takes the arguments that were given; where its schema is not known, `otherwise`."""
        properties = _get(known.schema, "properties")
        if not isinstance(properties, dict):
            return otherwise
        names = all(given in properties for given in self.call.arguments)
        return names and not _check(self.call.arguments, known.schema, "")

    def _rule_delay(self) -> Decision | None:
        told = self._last.delay()
        if not self._last.says_repeat() and not (self._effect() != "unsafe" and told is not None):
            return None
        # What nobody says how long it takes is done by the operation that is named for it.
        provisioning = self._last.remediation == "wait_for_provisioning" and told is None
        acts = all(known.effect != "safe" for known in self._suggested())
        helped = self._rule_tool() if provisioning and acts else None
        return helped or self._wait("delay", self._backoff() if told is None else told)

    def _rule_scope(self) -> Decision | None:
        scope = self._missing_scope()
        if scope is None or ("scope", scope) in self._spent:
            return None
        if not all(word in self._allowed.scopes for word in scope.split()):
            return None
        self._spent.append(("scope", scope))
        return self._decision("scope", {"elevate": {"scope": scope}}, f"ask for the scope {scope}")

    def _rule_sign_in(self) -> Decision | None:
        return self._switch("sign_in") if self._last.status == 401 else None

    def _rule_values(self) -> Decision | None:
        if self._is_unknown_operation():
            return None
        found = self._open()
        return None if found is None else self._choose("values", found.place, found.choices)

    def _rule_choices(self) -> Decision | None:
        return self._list_of(self._fields())

    def _list_of(self, fields: list[str]) -> Decision | None:
        if not self._last.refused():
            return None
        told = self._last.member("choices_endpoint")
        for field in fields:
            name = (_tokens(field) or [""])[-1]
            url = told if isinstance(told, str) else _str(_get(told, name))
            operation = self._operation()
            if url is None and operation is not None:
                url = _endpoint_in(operation, name)
            if url is None:
                continue
            url = url.removeprefix("GET ")
            listing = self._by_name(url)
            if listing is not None:
                given = self._arguments_for(listing, False)
                if listing.effect != "safe" or given is None or ("choices", url) in self._spent:
                    return None
                self._spent.append(("choices", url))
                return self._first("choices", url, given, ("list", [field]))
            filled = _fill(url, self.call.arguments)
            return None if filled is None else self._fetch("choices", filled, [field])
        return None

    def _rule_tool(self) -> Decision | None:
        effect = self._effect()
        if not self._last.refused() and not self._last.may_repeat(effect):
            return None
        target = next(
            (
                known
                for known in self._suggested()
                if known.name != self.call.operation
                and self._allowed.operation(known.name, known.effect)
                and ("tool", known.name) not in self._spent
            ),
            None,
        )
        if target is None:
            return None
        helps = target.effect == "safe"
        # What is gone is the operation, or the thing that a field names.
        gone = self._last.status in (405, 501) or (self._last.status == 410 and not self._last.named())
        replaced = gone and not (helps and effect != "safe")
        # What is there already is changed, and not made once more.
        exists = self._last.status == 409 and _changes(self.call.operation, target.name) and self._takes(target, False)
        instead = replaced or exists or (helps and self._reads_the_same(target))
        arguments = self._arguments_for(target, instead)
        if arguments is None:
            return None
        self._spent.append(("tool", target.name))
        if instead:
            self.call = Call(target.name, arguments)
            return self._send("tool", f"send {target.name} instead")
        return self._first("tool", target.name, arguments, ("list", self._fields()) if helps else ("done", None))

    def _first(self, rule: str, name: str, arguments: Json, pending: tuple[str, typing.Any]) -> Decision:
        """Another call before the one that failed."""
        self._left.calls = max(0, self._left.calls - 1)
        decision = self._decision(rule, {"call": {"operation": name, "arguments": arguments}}, f"call {name} first")
        self._pending = pending
        return decision

    def _reads_the_same(self, target: Operation) -> bool:
        """Whether a safe operation takes the very arguments of a safe call of which no field is said to be wrong."""
        about_fields = bool(self._last.named()) or self._last.member("choices_endpoint") is not None
        given = bool(self.call.arguments)
        return self._effect() == "safe" and not about_fields and given and self._takes(target, False)

    def _rule_next_action(self) -> Decision | None:
        url = self._last.next_action("endpoint_url") if self._last.refused() else None
        if url is None or self._at_path(url) is not None:
            return None
        filled = _fill(url, self.call.arguments)
        return None if filled is None else self._fetch("next_action", filled, self._fields())

    def _rule_other_user(self) -> Decision | None:
        return self._switch("other_user") if self._last.remediation == "switch_user" else None

    def _rule_ask(self) -> Decision | None:
        free = [] if self._is_unknown_operation() else self._free()
        field = next((place for place in free if ("values", place) not in self._spent), None)
        return None if field is None else self._choose("ask", field, [])

    def _rule_unknown(self) -> Decision | None:
        return self._give_up("unknown") if self._effect() == "unsafe" and not self._last.refused() else None

    def _rule_passing(self) -> Decision | None:
        if not self._last.may_repeat(self._effect()) or not self._last.passing():
            return None
        told = self._last.delay()
        return self._wait("passing", self._backoff() if told is None else told)

    def _rule_nothing(self) -> Decision | None:
        return self._give_up("nothing")

    # Steps.

    def _decision(self, rule: str, step: Json, words: str) -> Decision:
        self._rule = rule
        return Decision(rule, step, f"{words}: {_BECAUSE[rule]}")

    def _give_up(self, rule: str) -> Decision:
        return self._decision(rule, {"give_up": {"refused": self._last.refused()}}, "give up")

    def _send(self, rule: str, words: str) -> Decision:
        self._left.calls = max(0, self._left.calls - 1)
        self._sent.append(self.call.key())
        self._picked = []
        return self._decision(
            rule, {"send": {"operation": self.call.operation, "arguments": copy.deepcopy(self.call.arguments)}}, words
        )

    def _send_fixed(self, rule: str, arguments: Json) -> Decision:
        self.call = Call(self.call.operation, arguments)
        return self._send(rule, f"send {self.call.operation} with changed arguments")

    def _again(self) -> Decision:
        self._pending = ("nothing", None)
        return self._send(self._rule, f"send {self.call.operation} again")

    def _wait(self, rule: str, millis: int) -> Decision:
        if millis > self._left.millis:
            return self._give_up("budget")
        self._waits += 1
        self._left.millis -= millis
        return self._decision(rule, {"wait": {"millis": millis}}, f"wait {millis} ms")

    def _backoff(self) -> int:
        return int(min(500 * 2**self._waits, 8000))

    def _switch(self, rule: str) -> Decision | None:
        if not self._allowed.users or not self._last.refused() or ("other_user", "") in self._spent:
            return None
        self._spent.append(("other_user", ""))
        return self._decision(rule, "switch_user", "switch the user")

    def _choose(self, rule: str, field: str, choices: list[Json]) -> Decision:
        self._spent.append(("values", field))
        decision = self._decision(
            rule, {"choose": {"field": field, "values": choices}}, f"choose one of {len(choices)} values for {field}"
        )
        self._pending = ("value", (field, choices))
        return decision

    def _fetch(self, rule: str, url: str, fields: list[str]) -> Decision | None:
        if not self._allowed.url(url) or (rule, url) in self._spent:
            return None
        self._spent.append((rule, url))
        self._left.calls = max(0, self._left.calls - 1)
        decision = self._decision(rule, {"fetch": {"url": url}}, f"read {url}")
        self._pending = ("list", fields)
        return decision

    def _learned(self, field: str, result: Json) -> Decision | None:
        choices: list[Json] = []
        name = _tokens(field)[-1] if field else ""
        _gather(result, name, 0, choices)
        alone = not choices and _single(result, name, 0) is not None
        if alone:
            _gather([_single(result, name, 0)], name, 0, choices)
        given = _at(self.call.arguments, field)
        if all(_same(_plain(choice), given) for choice in choices):
            return None
        meant = _meant(given, choices)
        if meant is None and isinstance(given, str) and given.strip():
            meant = _by_member(result, name, given.strip())
        if meant is None and len(choices) == 1 and self._may_take(field, _plain(choices[0]), alone):
            meant = (_plain(choices[0]),)
        if self._is_guarded(field):
            meant = None
        fix = None if meant is None else self._with([*self._picked, (field, meant[0])])
        return self._choose("values", field, choices) if fix is None else self._send_fixed(self._rule, fix)

    def _made(self, result: Json) -> Json:
        """The call with what another operation made for it: the fields the problem names, or that are required and missing."""
        operation = self._operation()
        required = _get(operation.schema, "required") if operation is not None else None
        names = required if isinstance(required, list) else []
        missing = [_pointer(name) for name in names if isinstance(name, str) and name not in self.call.arguments]
        made: list[tuple[str, Json]] = []
        for place in self._last.named() + missing:
            found = _single(result, (_tokens(place) or [""])[-1], 0)
            fits = isinstance(found, (str, int, float)) and not isinstance(found, bool)
            if fits and not _same(_at(self.call.arguments, place), found):
                made.append((place, found))
        return self._with(made) if made else None

    # What is known.

    def _by_name(self, name: str) -> Operation | None:
        return next((known for known in self._known if known.name == name), None)

    def _operation(self) -> Operation | None:
        return self._by_name(self.call.operation)

    def _effect(self) -> Effect:
        operation = self._operation()
        return "unsafe" if operation is None else operation.effect

    def _is_unknown_operation(self) -> bool:
        return self._last.member("code") == "unknown_operation" or self._operation() is None

    def _at_path(self, url: str) -> Operation | None:
        if not self._allowed.url(url):
            return None
        path = url.partition("://")[2].partition("/")[2] if "://" in url else url[1:]
        path = "/" + path.split("?")[0].split("#")[0]
        found = [known for known in self._known if known.path is not None and _same_path(known.path, path)]
        # A list of tools or skills has no paths.
        if not found and all(known.path is None for known in self._known):
            spoken = names_at_path(path, [known.name for known in self._known])
            found = [known for known in self._known if known.name in spoken]
        if len(found) == 1:
            return found[0]
        # Of several at one path the caller may have allowed one.
        named = [known for known in found if known.name in self._allowed.operations]
        return named[0] if len(named) == 1 else None

    def _missing_scope(self) -> str | None:
        if self._last.status not in (401, 403):
            return None
        told = self._last.next_action("required_scope")
        for name in ("required_scope", "required_scopes", "scope", "scopes"):
            named = self._last.member(name) if told is None else None
            if isinstance(named, str):
                told = named
            elif isinstance(named, list) and all(isinstance(scope, str) for scope in named):
                told = " ".join(named)
        if told is None and self._last.challenge is not None and 'scope="' in self._last.challenge:
            told = self._last.challenge.split('scope="', 1)[1].split('"')[0]
        if told is None:
            told = " ".join(scope for scope in self._allowed.scopes if _mentions(self._last.words(), scope))
        return told if told.strip() else None

    def _suggested(self) -> list[Operation]:
        names = [self._last.member("mcp_tool"), self._last.member("a2a_skill")]
        found = [self._by_name(name) for name in names if isinstance(name, str)]
        url = self._last.next_action("endpoint_url")
        found.append(self._at_path(url) if url is not None else None)
        named = [known for known in found if known is not None]
        if named:
            return named
        # A name of several words is not a word of a sentence.
        words = self._last.words()
        return [known for known in self._known if re.search(r"[_\-.]", known.name) and _mentions(words, known.name)]

    def _arguments_for(self, target: Operation, instead: bool) -> Json:
        schema = target.schema if isinstance(target.schema, dict) else {}
        properties = schema.get("properties")
        out: dict[str, Json] = {}
        guessed = isinstance(properties, dict) and "required" not in schema
        if instead or (guessed and target.effect != "safe"):
            for name, value in self.call.arguments.items():
                if not isinstance(properties, dict) or name in properties:
                    out[name] = value
        if guessed and isinstance(properties, dict) and target.effect != "safe":
            for name in properties:
                told = self._last.member(name)
                if told is not None and name not in out and name not in _STANDARD:
                    out[name] = told
        needed = [name for name in schema.get("required", []) if name not in out]
        for name in needed:
            default = _get(properties, name, "default")
            alike = [value for own, value in self.call.arguments.items() if _same_name(own, name)]
            fits = len(alike) == 1 and not _check(alike[0], _get(properties, name), "")
            alike_value = alike[0] if fits else None
            sought = self._sought() if target.effect == "safe" and len(needed) == 1 else None
            if sought is not None and _check(sought, _get(properties, name), ""):
                sought = None
            for value in (self.call.arguments.get(name), alike_value, self._last.member(name), default, sought):
                if value is not None:
                    out[name] = value
                    break
            else:
                return None
        return out

    def _sought(self) -> str | None:
        """The text in the one field the failure is about: what another operation is asked to look for."""
        fields = self._fields()
        return _str(_at(self.call.arguments, fields[0])) if len(fields) == 1 else None

    def _fields(self) -> list[str]:
        named = self._last.named()
        if named:
            return named
        names = list(self.call.arguments)
        told = [_pointer(name) for name in names if self._last.member(name) is not None]
        if told:
            return told
        text = self._last.text or ""
        said = [n for n in names if isinstance(self.call.arguments[n], str) and len(self.call.arguments[n]) > 2]
        told = [_pointer(name) for name in said if self.call.arguments[name] in text]
        if told:
            return told
        # The thing that the code, the list or the operation speaks of.
        parts = [_str(self._last.member(name)) for name in ("code", "choices_endpoint", "mcp_tool", "a2a_skill")]
        spoken = _fold(" ".join(part or "" for part in parts))
        things = [(name, _fold(name).removesuffix("id")) for name in names]
        about = [_pointer(name) for name, thing in things if len(thing) > 3 and thing in spoken]
        if len(about) == 1:
            return about
        ids = [_pointer(name) for name in names if name == "id" or name.endswith(("_id", "-id", "Id"))]
        if len(ids) == 1:
            return ids
        return [_pointer(name) for name in names] if len(names) == 1 else []

    # The call that was meant.

    def _may_change(self) -> bool:
        if self._last.lost is not None:
            return False
        return self._last.refused() or self._effect() != "unsafe" or self._complains_of_arguments()

    def _complains_of_arguments(self) -> bool:
        if self._last.status is not None or self._last.text is None:
            return False
        faults = self._own_faults()
        words = set(_words(self._last.text))
        mentioned = all(fault.place and _tokens(fault.place)[-1] in words for fault in faults)
        return bool(self._told_faults()) or (bool(faults) and mentioned)

    def _fix(self) -> Json:
        if not self._may_change():
            return None
        names = self._last.named() + list(self._last.values)
        attempts: tuple[typing.Callable[[], Json], ...] = (
            lambda: self._admit(copy.deepcopy(self._last.corrected), names),
            lambda: self._admit(self._by_values(), names),
            lambda: self._mended(self._told_faults()),
            lambda: self._mended(self._own_faults()),
            self._only,
            self._unwrapped,
        )
        for attempt in attempts:
            fix = attempt()
            changed: list[str] = []
            if fix is not None:
                _compare(self.call.arguments, fix, "", changed)
                if not any(self._is_guarded(place) or self._is_another(place, _at(fix, place)) for place in changed):
                    return fix
        return None

    def _is_another(self, place: str, new: Json) -> bool:
        """Whether a call that does something would do it with the number of another account, card or record."""
        old = _at(self.call.arguments, place)
        return self._effect() != "safe" and isinstance(old, str) and isinstance(new, str) and _are_other(old, new)

    def _is_guarded(self, place: str) -> bool:
        """Whether a field says which version the call is based on, after a conflict: only the owner changes it."""
        conflict = self._last.status in (409, 412, 428) and self._effect() != "safe"
        return conflict and is_version((_tokens(place) or [""])[-1])

    def _only(self) -> Json:
        """The call with the values that are clear, and with the only ones there are, where they may be taken unasked."""
        found_all = self._choices()
        unclear = [found for found in found_all if not found.clear]
        for found in unclear:
            if len(found.choices) != 1 or not self._may_take(found.place, _plain(found.choices[0]), True):
                return None
        return self._with([(found.place, _plain(found.choices[0])) for found in unclear]) if found_all else None

    def _may_take(self, place: str, only: Json, alone: bool) -> bool:
        """Whether the only value there is may be taken: nobody gives a consent unasked."""
        missing = _at(self.call.arguments, place) is _ABSENT and not self._is_guarded(place)
        consent = is_consent(place) or (isinstance(only, str) and is_consent(only))
        return self._effect() == "safe" or (missing and alone and isinstance(only, str) and not consent)

    def _free(self) -> list[str]:
        """The fields of which nobody told the values: those that are missing or wrong, and those that the problem names."""
        about = self._last.status not in (401, 403, 429)
        refused = self._last.refused() or self._complains_of_arguments()
        if self._last.lost is not None or not about or not refused:
            return []
        faults = self._told_faults() or self._own_faults()
        # Where a name is not known, no value helps.
        strange = [fault for fault in faults if fault.what == "unknown"]
        if self._mend(copy.deepcopy(self.call.arguments), strange, []) is None:
            return []
        places = [fault.place for fault in faults if fault.what != "unknown"]
        places += [place for place in self._last.named() if all(fault.place != place for fault in faults)]
        told = [found.place for found in self._choices()]
        free = [p for p in places if self._allowed.field(p) and self._is_argument(p) and p not in told]
        return list(dict.fromkeys(free))

    def _suggested_value(self) -> list[tuple[str, list[Json]]]:
        """The values that are suggested for the one field that is named."""
        names = any(fault.what == "unknown" for fault in self._told_faults() + self._own_faults())
        named = self._last.named()
        told = self._last.member("suggestion")
        told = self._last.member("did_you_mean") if told is None else told
        # An address is a place to go to, and not a value.
        several = told if isinstance(told, list) else [told]
        values = [value for value in several if not (isinstance(value, str) and value.startswith("/"))]
        are_values = all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in values)
        return [(named[0], values)] if len(named) == 1 and not names and are_values and values else []

    def _unwrapped(self) -> Json:
        """The arguments that stand inside the only one, which the operation does not know."""
        operation = self._operation()
        properties = _get(operation.schema, "properties") if operation is not None else None
        if operation is None or not isinstance(properties, dict) or len(self.call.arguments) != 1 or not self._own_faults():
            return None
        [(name, wrapped)] = self.call.arguments.items()
        inner = _parse(wrapped) if isinstance(wrapped, str) else copy.deepcopy(wrapped)
        if name in properties or not isinstance(inner, dict):
            return None
        sure = operation.effect == "safe" or (name in _WRAPPERS and not _check(inner, operation.schema, ""))
        return self._admit(inner, [_pointer(own) for own in [*inner, name]]) if sure else None

    def _by_values(self) -> Json:
        """The arguments with each value that is visibly wrong replaced, where every one of them is clear."""
        arguments = copy.deepcopy(self.call.arguments)
        named = self._last.named() if self._last.member("errors") else []
        replaced: list[str] = []
        for field, choices in self._last.values.items():
            for place in _places(field, named, arguments):
                given = _at(arguments, place)
                if given is _ABSENT:
                    return None
                items = list(enumerate(given)) if isinstance(given, list) else [(None, given)]
                for index, item in items:
                    if any(_same(_plain(choice), item) for choice in choices):
                        continue
                    meant = _meant(item, choices)
                    if meant is None:
                        return None
                    _put(arguments, place if index is None else f"{place}/{index}", meant[0])
                    replaced.append(place)
        if not self._last.values and len(named) == 1:
            fault = _Fault(named[0], "wrong", expected=_str(self._last.member("expected")) or "")
            number = _number(_at(arguments, named[0]), fault.expected, (_tokens(named[0]) or [""])[-1])
            if number is not None:
                _put(arguments, named[0], number)
                replaced.append(named[0])
        told = all(any(_covers(place, name) for place in replaced) for name in named if name)
        return arguments if replaced and told else None

    def _choices(self) -> list[_Open]:
        """The fields that wait for a choice: first those of which nothing clear was given."""
        if not self._may_change():
            return []
        named = self._last.named()
        found = [
            (next((place for place in named if place.endswith(_pointer(field))), _pointer(field)), choices)
            for field, choices in self._last.values.items()
        ]
        for fault in self._told_faults() + self._own_faults():
            limit = _limit(_at(self.call.arguments, fault.place), fault)
            found.append((fault.place, fault.choices if limit is None else [limit]))
        found += self._suggested_value()
        out: list[_Open] = []
        for place, choices in found:
            given = _at(self.call.arguments, place)
            fits = any(_same(_plain(choice), given) for choice in choices)
            if not choices or fits or not self._allowed.field(place) or not self._is_argument(place):
                continue
            if all(known.place != place for known in out):
                clear = not self._is_guarded(place) and _meant_at(given, choices) is not None
                out.append(_Open(place, choices, clear))
        return sorted(out, key=lambda found: found.clear)

    def _open(self) -> _Open | None:
        """A field that waits for a choice and was not asked for yet."""
        return next((found for found in self._choices() if ("values", found.place) not in self._spent), None)

    def _is_argument(self, place: str) -> bool:
        first = (_tokens(place) or [""])[0]
        if first in self.call.arguments:
            return True
        operation = self._operation()
        properties = _get(operation.schema, "properties") if operation is not None else None
        if isinstance(properties, dict):
            return first in properties
        return first not in ("", "field", "method", "route", "tool", "skill", "content-type")

    def _with(self, chosen: list[tuple[str, Json]]) -> Json:
        """The call with the values that were chosen, and what else is clear."""
        arguments = copy.deepcopy(self.call.arguments)
        named: list[str] = []
        for place, value in chosen:
            if not _put(arguments, place, value):
                return None
            named.append(place)
        for found in self._choices():
            meant = None if found.place in named or not found.clear else _meant_at(_at(arguments, found.place), found.choices)
            if meant is not None:
                _put(arguments, found.place, meant[0])
                named.append(found.place)
        return self._admit(arguments, named)

    def _told_faults(self) -> list[_Fault]:
        errors = self._last.member("errors")
        told = [_read_fault(self._last, error) for error in errors] if isinstance(errors, list) else []
        if told and all(fault is not None for fault in told):
            return typing.cast("list[_Fault]", told)
        fault = _of_serde(self._last.text or "", self.call.arguments)
        return [] if fault is None else [fault]

    def _own_faults(self) -> list[_Fault]:
        operation = self._operation()
        if operation is None or self._last.status not in (None, 400, 404, 422):
            return []
        return _check(self.call.arguments, operation.schema, "")

    def _mended(self, faults: list[_Fault]) -> Json:
        if not faults:
            return None
        named: list[str] = []
        mended = self._mend(copy.deepcopy(self.call.arguments), faults, named)
        return None if mended is None else self._admit(mended, named)

    def _mend(self, arguments: Json, faults: list[_Fault], named: list[str]) -> Json:
        # A field that is missing may be there under a name that is not known.
        for fault in sorted(faults, key=lambda fault: fault.what != "unknown"):
            named.append(fault.place)
            if not self._mend_one(arguments, fault, named):
                return None
        return arguments

    def _mend_one(self, arguments: Json, fault: _Fault, named: list[str]) -> bool:
        parent, _, last = fault.place.rpartition("/")
        name = _unescape(last)
        holder = _at(arguments, parent)
        operation = self._operation()
        schema = _schema_at(operation.schema if operation is not None else None, parent)
        properties = _get(schema, "properties")
        needed = _get(schema, "required")
        required = [known for known in needed if isinstance(known, str)] if isinstance(needed, list) else []
        if isinstance(holder, dict) and name in holder and holder[name] is None:
            if isinstance(properties, dict) and name in properties and name not in required:
                # It stands for nothing, and may be left out.
                del holder[name]
                return True
        if fault.what == "unknown":
            if not isinstance(holder, dict):
                return False
            if name not in holder:
                return True
            free = [known for known in fault.known if known not in holder]
            lacking = [known for known in required if known not in holder]
            reads = self._effect() == "safe"
            rivals = [own for own in holder if own not in properties] if isinstance(properties, dict) else []
            remaining = lacking[0] if reads and len(rivals) == 1 and len(lacking) == 1 else None
            meant = same_field(name, free) or meant_by(name, free) or (shortened(name, lacking) if reads else None) or remaining
            if meant is None and reads and not lacking:
                del holder[name]
                return True
            if meant is None:
                return False
            holder[meant] = holder.pop(name)
            named.append(f"{parent}{_pointer(meant)}")
            return True
        if fault.what == "missing":
            if not isinstance(holder, dict):
                return False
            if name in holder:
                return True
            if isinstance(properties, dict):
                strangers = [key for key in holder if key not in properties]
                stranger = same_field(name, strangers) or meant_by(name, strangers)
                if stranger is not None:
                    holder[name] = holder.pop(stranger)
                    named.append(f"{parent}{_pointer(stranger)}")
                    return True
            default = _get(properties, name, "default")
            if default is not None:
                holder[name] = default
                return True
            if len(fault.choices) == 1:
                # The only value may be a consent that nobody gave: then the caller is asked.
                only = _plain(fault.choices[0])
                given = isinstance(only, str) and (is_consent(only) or is_consent(fault.place))
                if given or (not isinstance(only, str) and self._effect() != "safe"):
                    return False
                holder[name] = only
                return True
            return False
        given = _at(arguments, fault.place)
        found = _meant(given, fault.choices) if fault.choices else None
        if found is None and fault.what == "wrong":
            value = _other_type(given, fault.expected, self._effect() == "safe", name)
            found = None if value is None else (value,)
        return found is not None and _put(arguments, fault.place, found[0])

    def _admit(self, changed: Json, names: list[str]) -> Json:
        if not isinstance(changed, dict):
            return None
        named = list(names)
        operation = self._operation()
        if operation is not None:
            faults = _check(changed, operation.schema, "")
            if faults:
                if self._mend(changed, faults, named) is None or _check(changed, operation.schema, ""):
                    return None
        changes: list[str] = []
        _compare(self.call.arguments, changed, "", changes)
        covered = all(
            any(_covers(name, place) for name in named) and self._allowed.field(place) and self._is_argument(place)
            for place in changes
        )
        is_new = Call(self.call.operation, changed).key() not in self._sent
        return changed if changes and covered and is_new else None


@dataclasses.dataclass
class _Fault:
    place: str
    what: str
    choices: list[Json] = dataclasses.field(default_factory=list)
    known: list[str] = dataclasses.field(default_factory=list)
    expected: str = ""


@dataclasses.dataclass
class _Open:
    """A field that takes one of some values, and whether the one that was meant is clear."""

    place: str
    choices: list[Json]
    clear: bool


class _Absent:
    pass


_ABSENT = _Absent()


def _read_fault(seen: Seen, error: Json) -> _Fault | None:
    place = _str(_get(error, "pointer"))
    if place is None:
        return None
    place = place.removeprefix("#")
    detail = _str(_get(error, "detail")) or ""
    last = (_tokens(place) or [""])[-1]
    choices = seen.values.get(place) or seen.values.get(last) or []
    if " is missing" in detail:
        return _Fault(place, "missing", choices)
    if " is not a known field; known fields: " in detail:
        return _Fault(place, "unknown", known=detail.split("; known fields: ", 1)[1].split('"')[1::2])
    if choices:
        return _Fault(place, "not_one_of", choices)
    _, found, expected = detail.partition(" must be ")
    if not found:
        return None
    expected = expected.removesuffix(".")
    if expected.startswith('"'):
        return _Fault(place, "not_one_of", typing.cast("list[Json]", expected.split('"')[1::2]))
    return _Fault(place, "wrong", expected=expected.split(", not ")[0])


def _of_serde(text: str, arguments: Json) -> _Fault | None:
    """What serde says about the arguments, in whatever text it stands."""
    for start in ("unknown variant `", "unknown field `", "missing field `"):
        _, found, rest = text.partition(start)
        if not found:
            continue
        given, _, rest = rest.partition("`")
        listed: list[Json] = rest.split("`")[1::2]
        if start.startswith("missing"):
            return _Fault(_pointer(given), "missing")
        if start == "unknown field `":
            return _Fault(_pointer(given), "unknown", known=listed)
        places = [_pointer(name) for name, value in arguments.items() if value == given]
        return _Fault(places[0], "not_one_of", listed) if len(places) == 1 else None
    return None


def _check(value: Json, schema: Json, place: str) -> list[_Fault]:
    """Everything that is wrong with the arguments, as far as types, sets and names tell."""
    if not isinstance(schema, dict):
        return []
    allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(allowed, list):
        return [] if any(_same(one, value) for one in allowed) else [_Fault(place, "not_one_of", allowed)]
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else []
    if kinds and not any(_is_kind(value, one) for one in kinds):
        return [_Fault(place, "wrong", [True, False] if kinds == ["boolean"] else [], expected=_EXPECTED.get(kinds[0], kinds[0]))]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if "minimum" in schema and value < schema["minimum"]:
            return [_Fault(place, "wrong", expected=f"at least {schema['minimum']}")]
        if "maximum" in schema and value > schema["maximum"]:
            return [_Fault(place, "wrong", expected=f"at most {schema['maximum']}")]
    out: list[_Fault] = []
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        for name in schema.get("required") or []:
            if name not in value:
                out.append(_Fault(place + _pointer(name), "missing", _get(properties, name, "enum") or []))
        for name, inner in value.items():
            if name in properties:
                out += _check(inner, properties[name], place + _pointer(name))
            elif schema.get("additionalProperties") is False:
                out.append(_Fault(place + _pointer(name), "unknown", known=list(properties)))
    if isinstance(value, list):
        for index, item in enumerate(value):
            out += _check(item, schema.get("items"), f"{place}/{index}")
    return out


_EXPECTED = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a string",
    "boolean": "a boolean",
    "array": "an array",
    "object": "an object",
}


def _is_kind(value: Json, kind: str) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {
        "null": value is None,
        "boolean": isinstance(value, bool),
        "integer": number and value == int(value),
        "number": number,
        "string": isinstance(value, str),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }.get(kind, True)


# Units of measure, and how they are written in short.
_UNITS = (
    ("milliseconds", "millis", "ms"), ("seconds", "second", "secs", "sec", "s"), ("minutes", "minute", "mins", "min"),
    ("hours", "hour", "hrs", "hr", "h"), ("days", "day", "d"), ("percent", "percentage", "pct", "%"), ("kilograms", "kilogram", "kg"),
    ("grams", "gram", "g"), ("kilometers", "kilometres", "km"), ("meters", "metres", "m"), ("centimeters", "centimetres", "cm"),
    ("millimeters", "millimetres", "mm"), ("pixels", "pixel", "px"), ("celsius", "°c"),
)  # fmt: skip


def _number(given: Json, expected: str, field: str) -> Json:
    if not isinstance(given, str):
        return None
    wanted = expected.removesuffix(" or null")
    if wanted.startswith("a whole number") and re.fullmatch(r"[0-9]{1,3}(?:[,_' ][0-9]{3})+", given.strip()):
        return int(re.sub(r"[^0-9]", "", given))
    measured = re.fullmatch(r"\s*(-?[0-9]+(?:\.[0-9]+)?)\s*([^0-9\s]+)\s*", given)
    if measured is not None:
        names = next((names for names in _UNITS if measured[2].lower() in names), ())
        if any(word in names for word in re.split(r"[\W_]+", field.lower())):
            given = measured[1]
    try:
        if wanted.startswith("a whole number"):
            return int(given.strip())
        if wanted == "a number":
            return float(given.strip()) if "." in given else int(given.strip())
    except ValueError:
        return None
    return None


def _other_type(given: Json, expected: str, harmless: bool, field: str) -> Json:
    number = _number(given, expected, field)
    if number is not None:
        return number
    expected = expected.removesuffix(" or null")
    if expected == "a string" and isinstance(given, (int, float)):
        return json.dumps(given)
    if expected in ("an array", "an object") and isinstance(given, str):
        inner = _parse(given)
        if isinstance(inner, list if expected == "an array" else dict):
            return inner
        # A text with separators may be several items, or one.
        return [given] if expected == "an array" and not any(c in given for c in ",;|\n") else None
    if expected == "an array" and isinstance(given, (int, float, dict)):
        return [given]
    if expected == "a string" and isinstance(given, list) and len(given) == 1 and isinstance(given[0], str):
        return given[0]
    if harmless and isinstance(given, (int, float)):
        for start in ("at most ", "at least "):
            if expected.startswith(start):
                return _parse(expected.removeprefix(start))
    return None


def _limit(given: Json, fault: _Fault) -> Json:
    """The limit that a number passed, to be chosen instead: another number is another call."""
    if fault.what != "wrong" or isinstance(given, bool) or not isinstance(given, (int, float)):
        return None
    at = re.fullmatch(r"at (?:most|least) (-?\d+(?:\.\d+)?)", fault.expected)
    if at is not None:
        return _parse(at[1])
    beyond = re.fullmatch(r"(more|less) than (-?\d+)", fault.expected)
    if beyond is None or not isinstance(given, int):
        return None
    return int(beyond[2]) + (1 if beyond[1] == "more" else -1)


def _meant_at(given: Json, choices: list[Json]) -> tuple[Json] | None:
    """The value, or the items, that are clearly meant."""
    if not isinstance(given, list):
        return _meant(given, choices)
    items: list[Json] = []
    for item in given:
        fits = any(_same(_plain(choice), item) for choice in choices)
        meant = (item,) if fits else _meant(item, choices)
        if meant is None:
            return None
        items.append(meant[0])
    return None if _same(items, given) else (items,)


def _meant(given: Json, choices: list[Json]) -> tuple[Json] | None:
    """The one choice that is meant."""
    values = [_plain(choice) for choice in choices]
    if isinstance(given, str):
        word = meant_by(given, [value for value in values if isinstance(value, str)])
        trimmed = given.strip()
        both = any(value is True for value in values) and any(value is False for value in values)
        truth = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(trimmed.lower()) if both else None
        spellings = (trimmed.lower(), truth)
        others = [value for value in values if not isinstance(value, str) and json.dumps(value) in spellings]
        if (word is None) != (not others):
            return (word,) if word is not None else (others[0],)
        if word is not None:
            return None
        labels = [(c["value"], c["label"]) for c in choices if isinstance(c, dict) and isinstance(c.get("label"), str)]
        label = meant_by(trimmed, [label for _, label in labels])
        labelled = [value for value, own in labels if label is not None and own.strip().lower() == label.strip().lower()]
        return (labelled[0],) if len(labelled) == 1 else None
    if isinstance(given, (bool, int, float)):
        spelled = json.dumps(given)
        return next(((value,) for value in values if value == spelled), None)
    return None


_PREFIXES = ("a", "anti", "de", "dis", "il", "im", "in", "ir", "mis", "no", "non", "not", "re", "semi", "sub", "un")
_PAIRS = (
    ("a", "de"), ("en", "dis"), ("im", "ex"), ("in", "de"), ("in", "ex"), ("in", "out"), ("inter", "intra"), ("min", "max"),
    ("on", "off"), ("over", "under"), ("pre", "post"), ("pro", "anti"), ("sub", "super"), ("up", "down"),
)  # fmt: skip


def _are_other(given: str, other: str) -> bool:
    """Whether both are long numbers, of an account or a record, and none is the other in another form. Days are not of that kind."""
    one, two = (re.sub("[^0-9]", "", text).lstrip("0") for text in (given, other))
    long = min(len(one), len(two)) >= 8 and not _is_day(given) and not _is_day(other)
    return long and one not in two and two not in one


def _is_day(text: str) -> bool:
    return bool(re.match(r"\D*(?:(?:19|20)\d\d\D+\d{1,2}\D+\d{1,2}|\d{1,2}\D+\d{1,2}\D+(?:19|20)\d\d|(?:19|20)\d{6})(?!\d)", text))


def nearest(given: str, candidates: list[str]) -> str | None:
    """The candidate that is unambiguously meant, if there is one. Another number, another letter at the end that stands alone, and the
    opposite are never meant."""
    return _near(given, candidates)[0]


def _near(given: str, candidates: list[str]) -> tuple[str | None, int]:
    """What is near in letters, and how far the nearest is that is never meant."""
    wanted, ending = _folded(given)
    best: tuple[int, str] | None = None
    second = rival = 1 << 60
    if not wanted:
        return None, rival
    for candidate in candidates:
        if candidate == given:
            return candidate, rival
        if given.strip().lower() == candidate.lower():
            distance = 0
        elif "".join(given.lower().split()) == "".join(candidate.lower().split()):
            distance = 1  # White space groups digits.
        else:
            other, _ = _folded(candidate)
            distance = _far(wanted, ending, candidate)
            another = _numbers_differ(given, candidate) or _letters_differ(given, candidate) or _opposite(wanted, other)
            if another or _extends(given, candidate):
                rival = min(rival, distance)
                continue
        if best is not None and best[1] == candidate:
            continue
        if best is not None and distance >= best[0]:
            second = min(second, distance)
        else:
            second = second if best is None else min(second, best[0])
            best = (distance, candidate)
    if best is None:
        return None, rival
    length = len(wanted)
    allowance = 0 if length <= 2 else 1 if length <= 5 else 2 if length <= 11 else 3
    # What is farther away than a rival is not meant either.
    return best[1] if best[0] <= allowance + 1 and best[0] < min(second, rival) else None, rival


# What each problem has; it is never an argument.
_STANDARD = ("type", "title", "status", "detail", "instance", "code")
_SHORT = {
    ("acct", "account"), ("addr", "address"), ("admin", "administrator"), ("amt", "amount"), ("app", "application"), ("apr", "april"),
    ("asc", "ascending"), ("aug", "august"), ("auth", "authentication"), ("auto", "automatic"), ("config", "configuration"),
    ("crit", "critical"), ("dec", "december"), ("dept", "department"), ("desc", "descending"), ("desc", "description"),
    ("dest", "destination"), ("dev", "development"), ("doc", "document"), ("env", "environment"), ("feb", "february"),
    ("freq", "frequency"), ("fri", "friday"), ("img", "image"), ("info", "information"), ("intl", "international"), ("jan", "january"),
    ("jul", "july"), ("jun", "june"), ("lang", "language"), ("loc", "location"), ("mar", "march"), ("max", "maximum"),
    ("med", "medium"), ("mgr", "manager"), ("min", "minimum"), ("mon", "monday"), ("msg", "message"), ("nov", "november"),
    ("num", "number"), ("oct", "october"), ("org", "organization"), ("pct", "percent"), ("pic", "picture"), ("pkg", "package"),
    ("prio", "priority"), ("prod", "production"), ("qty", "quantity"), ("ref", "reference"), ("repo", "repository"),
    ("sat", "saturday"), ("sep", "september"), ("src", "source"), ("stage", "staging"), ("std", "standard"), ("sun", "sunday"),
    ("tel", "telephone"), ("thu", "thursday"), ("tue", "tuesday"), ("ver", "version"), ("wed", "wednesday"),
}  # fmt: skip
_KINDS = ("id", "ids", "time", "date", "datetime", "at", "on", "address", "number", "value", "text", "string")
_VERBS = (
    ("add", "create", "new", "make", "insert", "register"),
    ("get", "fetch", "read", "show", "retrieve", "lookup", "view", "describe"),
    ("list", "all", "index", "browse"),
    ("search", "find", "query"),
    ("update", "edit", "modify", "change"),
)
_ACTS = (
    ("send", "post"),
    ("delete", "remove", "erase", "destroy", "drop"),
    ("start", "run", "launch", "execute", "trigger"),
    ("stop", "halt", "terminate", "end"),
    ("cancel", "abort"),
)
# What agents wrap arguments in. Inside another name they may mean something else.
_WRAPPERS = ("params", "parameters", "arguments", "args", "kwargs", "input", "data", "body", "payload", "request")
_CONSENTS = (
    "accept", "acknowledg", "agree", "approv", "authori", "confirm", "consent", "forc", "permission", "permit", "promis", "sign", "sure",
    "terms", "understood", "waive",
)  # fmt: skip


def meant_by(given: str, candidates: list[str]) -> str | None:
    """`nearest`, and where nothing is near in letters the one candidate that is another form of the same words."""
    near, rival = _near(given, candidates)
    if near is not None:
        return near
    wanted, ending = _folded(given)
    found = {
        candidate
        for candidate in candidates
        if _same_form(given, candidate)
        and not _numbers_differ(given, candidate)
        and not _opposite(wanted, _folded(candidate)[0])
    }
    if len(found) != 1:
        return None
    word = found.pop()
    return word if rival > min(_far(wanted, ending, word), 64) else None


def _far(wanted: str, ending: str, candidate: str) -> int:
    other, other_ending = _folded(candidate)
    distance = _aligned(wanted, other)
    if bool(ending) != bool(other_ending):
        distance = min(distance, _aligned(wanted + ending, other + other_ending))
    return distance + 1


def same_field(given: str, known: list[str]) -> str | None:
    """The one field that has this name but for the words that tell its kind."""

    def bare(name: str) -> list[str]:
        return [word for word in _name_words(name) if word not in _KINDS]

    wanted = bare(given)
    found = [name for name in known if wanted and bare(name) == wanted]
    return found[0] if len(found) == 1 else None


def same_operation(given: str, known: list[str]) -> str | None:
    """The one operation that does the same to the same thing."""
    wanted = _meaning(given)
    found = [name for name in known if len(wanted) > 1 and _meaning(name) == wanted]
    return found[0] if len(found) == 1 else None


def allowed_operation(given: str, known: list[str]) -> str | None:
    """The one operation that does the same, where the caller allowed those of `known` by their names."""

    def acts(name: str) -> list[str]:
        firsts = [next((f" {acts[0]}" for acts in _ACTS if word in acts), word) for word in _meaning(name)]
        return sorted(firsts)

    wanted = acts(given)
    found = [name for name in known if len(wanted) > 1 and acts(name) == wanted]
    return found[0] if len(found) == 1 else None


def reading(given: str, known: list[str]) -> str | None:
    """The one operation of `known`, which only read, that reads what `given` would."""
    asked, wanted = _halves(given)
    reads = [f" {group[0]}" for group in _VERBS[1:4]]
    if not wanted or not all(verb in reads for verb in asked):
        return None
    near: list[tuple[int, int, str]] = []
    for name in known:
        things = _halves(name)[1]
        shared = sum(thing in wanted for thing in things)
        more = len(things) - shared
        if shared > 0 and (shared == len(wanted) or (asked and more == 0)):
            near.append((-shared, more, name))
    near.sort()
    rivals = len(near) > 1 and near[0][:2] == near[1][:2]
    return near[0][2] if near and not rivals else None


def names_at_path(path: str, known: list[str]) -> list[str]:
    """The operations of `known` that a path speaks of."""
    segments = [segment for segment in path.split("/") if not segment.startswith("{")]
    kept = ["/".join(segments), "/".join(s for s in segments if not re.fullmatch(r"v[0-9]+", s))]
    equal = [[name for name in known if _meaning(bare) and _meaning(name) == _meaning(bare)] for bare in kept]
    things: list[list[str]] = []
    for asked, wanted in map(_halves, kept):
        things.append([name for name in known if not asked and wanted and _halves(name)[1] == wanted])
    return next((found for found in equal + things if found), [])


def without_namespace(name: str) -> str:
    """A name without the name of the server that some clients put in front."""
    return re.split(r"[./:]", name)[-1].split("__")[-1]


def shortened(given: str, known: list[str]) -> str | None:
    """The one field for which `given` is short, or which is short for `given`."""
    own = _name_words(given)
    found: list[str] = []
    for name in known:
        other = _name_words(name)
        short, long = sorted([*own, *other], key=len) if len(own) == len(other) == 1 else ("", "")
        if len(short) > 2 and long.startswith(short):
            found.append(name)
    return found[0] if len(found) == 1 else None


def _halves(name: str) -> tuple[list[str], list[str]]:
    """The verbs of an operation that are known, and its other words."""
    words = _meaning(name)
    return [word for word in words if word.startswith(" ")], [word for word in words if not word.startswith(" ")]


def _changes(given: str, target: str) -> bool:
    """Whether an operation changes what another one would make: `update_lead` and `create_lead`."""
    verbs, things = _halves(given)
    words = _meaning(target)
    others = [word for word in words if word not in (" update", "patch", "replace", "upsert")]
    return verbs == [" add"] and len(words) - len(others) == 1 and others == things


def _mentions(words: str, name: str) -> bool:
    """Whether words name something, not as a part of another word or name: `pages:write` does not name `pages`."""
    found = rf"(?<![\w-])(?<![\w-][:./]){re.escape(name)}(?![\w-])(?![:./][\w-])"
    return bool(name) and re.search(found, words) is not None


def is_version(field: str) -> bool:
    """Whether a field says on which version of a thing a call is based."""
    versions = ("etag", "version", "revision", "rev", "sha", "hash", "checksum", "digest", "generation", "match")
    return any(word in versions for word in _name_words(field))


def is_consent(text: str) -> bool:
    """Whether a field or a value speaks of a promise or a permission."""
    return any(word.startswith(_CONSENTS) for word in _name_words(text))


def _name_words(text: str) -> list[str]:
    out: list[str] = []
    opened = small = False
    for letter in text:
        if not letter.isalnum():
            opened = small = False
            continue
        if not opened or (small and letter.isupper()):
            out.append("")
        out[-1] += letter.lower()
        opened, small = True, letter.islower() or letter.isnumeric()
    return out


def _meaning(name: str) -> list[str]:
    out: list[str] = []
    for word in _name_words(name):
        verb = next((verbs[0] for verbs in _VERBS if word in verbs), None)
        if verb is not None:
            out.append(f" {verb}")
        elif len(word) > 3 and word.endswith("s") and word[-2] != "s":
            out.append(word[:-1])
        else:
            out.append(word)
    return sorted(out)


def _same_form(given: str, candidate: str) -> bool:
    a, b = _name_words(given), _name_words(candidate)
    if not a or len(a) != len(b):
        return False
    pairs = list(zip(a, b, strict=True))
    anchored = len(a) > 1 and any(x == y for x, y in pairs)
    return all(
        x == y
        or _inflected(x, y)
        or _inflected(y, x)
        or (x, y) in _SHORT
        or (y, x) in _SHORT
        or (anchored and len(x) >= 3 and y.startswith(x))
        for x, y in pairs
    )


def _inflected(base: str, other: str) -> bool:
    if len(base) < 3 or not base.isascii() or not other.isascii():
        return False
    forms = [base + "ing", base + "ed", base + "es"]
    if base.endswith("e") and len(base) > 3:
        forms += [base[:-1] + "ing", base[:-1] + "ed"]
    if base.endswith("y") and len(base) > 3:
        forms += [base[:-1] + "ied", base[:-1] + "ies"]
    if base[-1] not in "aeiouwxy":
        forms += [base + base[-1] + "ing", base + base[-1] + "ed"]
    return other in forms


def _folded(word: str) -> tuple[str, str]:
    folded = "".join(c for c in word.strip().lower() if c not in " -_.\t")[:64]
    if len(folded) > 3 and folded[-1] == "s" and folded[-2] != "s":
        return folded[:-1], "s"
    return folded, ""


def _aligned(a: str, b: str) -> int:
    if abs(len(a) - len(b)) > 3:
        return 1 << 40
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = [i + 1]
        for j, y in enumerate(b):
            cost = min(last[j] + (x != y), last[j + 1] + 1, row[j] + 1)
            if i > 0 and j > 0 and x != y and a[i - 1] == y and b[j - 1] == x:
                cost = min(cost, before[j - 1] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def _runs(word: str) -> list[str]:
    return "".join(c if c.isnumeric() else " " for c in word).split()


def _numbers_differ(given: str, candidate: str) -> bool:
    given, candidate = given.strip(), candidate.strip()
    if not _runs(candidate):
        around = f" {given} "
        return not all(around[i].isalpha() and around[i + 2].isalpha() for i, c in enumerate(given) if c.isnumeric())
    negative = [word[:1] == "-" and word[1:2].isnumeric() for word in (given, candidate)]
    return _runs(given) != _runs(candidate) or negative[0] != negative[1]


def _letters_differ(given: str, candidate: str) -> bool:
    """Whether the words end in different letters that stand alone: `plan-a`, `plan-b` and `plan`."""
    ends = [re.search(r"[ \-_.]([^\W\d_])$", word.strip()) for word in (given, candidate)]
    last = [end.group(1).lower() if end else None for end in ends]
    letters = ["".join(c for c in word if c.isalnum()).lower() for word in (given, candidate)]
    return last[0] != last[1] and letters[0] != letters[1]


def _extends(given: str, candidate: str) -> bool:
    """Whether one of the words is the other and a further part: `web` and `web-eu`."""
    short, long = sorted((given.strip().lower(), candidate.strip().lower()), key=len)
    rest = long[len(short) :] if long.startswith(short) else ""
    return rest[:1] in tuple("-_. /") and any(letter.isalnum() for letter in rest)


def _opposite(one: str, other: str) -> bool:
    for long, short in ((one, other), (other, one)):
        if long.endswith(short) and long[: len(long) - len(short)] in _PREFIXES:
            return True
    for pair in _PAIRS:
        for a, b in (pair, pair[::-1]):
            at = one.find(a)
            while at >= 0:
                if one[:at] + b + one[at + len(a) :] == other:
                    return True
                at = one.find(a, at + 1)
    return False


def _gather(value: Json, field: str, depth: int, out: list[Json]) -> None:
    if depth > 5 or len(out) >= 512:
        return
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                found = _member(item, field)
                if found is None:
                    _gather(item, field, depth + 1, out)
                else:
                    _push(found, _label(item), out)
            elif isinstance(item, list):
                _gather(item, field, depth + 1, out)
            else:
                _push(item, None, out)
    elif isinstance(value, dict) and depth > 0 and all(_is_record(item, field) for item in value.values()):
        # Records by their key.
        for key, item in value.items():
            _push(key, _label(item), out)
    elif isinstance(value, dict):
        for inner in value.values():
            _gather(inner, field, depth + 1, out)
    elif isinstance(value, str) and value[:1] in ("{", "["):
        _gather(_parse(value), field, depth + 1, out)


def _by_member(result: Json, field: str, given: str) -> tuple[Json] | None:
    """The value of the one item that has the given text in any of its members."""
    found: list[tuple[str, Json]] = []
    _search(result, field, 0, found)
    values: list[Json] = []
    for text, value in found:
        if text.strip().lower() == given.strip().lower() and value not in values:
            values.append(value)
    return (values[0],) if len(values) == 1 else None


def _search(value: Json, field: str, depth: int, out: list[tuple[str, Json]]) -> None:
    """Every text in an item of a list, with the value of the item."""
    if depth > 5 or len(out) >= 512:
        return
    if isinstance(value, list):
        for item in value:
            _search(item, field, depth + 1, out)
    elif isinstance(value, dict):
        found = _member(value, field)
        if found is not None:
            out += [(text, found) for text in value.values() if isinstance(text, str)]
        for inner in value.values():
            if not isinstance(inner, str):
                _search(inner, field, depth + 1, out)
    elif isinstance(value, str) and value[:1] in ("{", "["):
        _search(_parse(value), field, depth + 1, out)


def _label(item: dict[str, Json]) -> str | None:
    return next((item[name] for name in ("label", "title", "name") if isinstance(item.get(name), str)), None)


def _is_record(item: Json, field: str) -> bool:
    """Whether an object says something about a thing, but not what it is called by."""
    if not isinstance(item, dict) or not item:
        return False
    called = any(name == "id" or _fold(name) in (_fold(field), _fold(field) + "id") for name in item)
    return not called and not any(isinstance(value, (dict, list)) for value in item.values())


def _single(value: Json, field: str, depth: int) -> Json:
    """The member of that name, where one thing was read and not a list: `hold_id` is also the `id` in `hold`."""
    if not isinstance(value, dict) or depth >= 2:
        return None
    wanted = _fold(field)
    for name, own in value.items():
        if _fold(name) == wanted:
            return own
    for name, inner in value.items():
        rest = wanted.removeprefix(_fold(name)) if isinstance(inner, dict) else ""
        for within, own in inner.items() if rest not in ("", wanted) else ():
            if _fold(within) == rest:
                return own
        found = _single(inner, field, depth + 1)
        if found is not None:
            return found
    return None


def _same_name(one: str, other: str) -> bool:
    """Whether two names are the same but for their spelling and a final `id`."""
    one, other = _fold(one), _fold(other)
    return one == other or one == other + "id" or other == one + "id"


def _fold(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum()).lower()


def _member(item: dict[str, Json], field: str) -> Json:
    for wanted in (_fold(field + end) for end in ("", "id", "code", "key", "slug")):
        own = next((value for name, value in item.items() if _fold(name) == wanted), None)
        if own is not None:
            if isinstance(own, (str, int, float)) and not isinstance(own, bool):
                return own
            break
    names = ("value", "id", "gid", "uid", "uuid", "guid", "key", "slug", "code", "name", "uri")
    ending = [name for name in names if field.endswith("_" + name)]
    for name in (field, *ending[:1], *names):
        if isinstance(item.get(name), (str, int)) and not isinstance(item.get(name), bool):
            return item[name]
    return None


def _push(value: Json, label: str | None, out: list[Json]) -> None:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or any(_plain(known) == value for known in out):
        return
    out.append(value if label is None else {"value": value, "label": label})


def _endpoint_in(operation: Operation, name: str) -> str | None:
    schema = _get(operation.schema, "properties", name)
    for key in ("choices_endpoint", "x-choices-endpoint", "x-aon-choices-endpoint"):
        if isinstance(_get(schema, key), str):
            return str(schema[key]).rstrip(".")
    _, found, url = (_str(_get(schema, "description")) or "").rpartition("Valid choices: GET ")
    return url.split()[0].rstrip(".") if found and url.split() else None


def _fill(url: str, arguments: Json) -> str | None:
    out = ""
    while "{" in url:
        before, _, rest = url.partition("{")
        name, found, url = rest.partition("}")
        value = arguments.get(name)
        text = value if isinstance(value, str) else json.dumps(value) if isinstance(value, (int, float)) else ""
        plain = all(c.isascii() and (c.isalnum() or c in "-_.~") for c in text)
        if not found or not text or not plain or text.startswith("."):
            return None
        out += before + text
    return out + url


def _same_path(template: str, path: str) -> bool:
    a, b = template.split("/"), path.split("/")
    return len(a) == len(b) and all(x == y or x.startswith("{") or y.startswith("{") for x, y in zip(a, b, strict=True))


def _places(field: str, named: list[str], arguments: Json) -> list[str]:
    own = _pointer(field)
    exact = [place for place in named if place.endswith(own)]
    if exact:
        return exact
    found: list[str] = []
    _find(arguments, field, "", found)
    return found


def _find(value: Json, field: str, place: str, out: list[str]) -> None:
    if isinstance(value, dict):
        if field.startswith("/"):
            if _at(value, field) is not _ABSENT:
                out.append(field)
            return
        for name, inner in value.items():
            if name == field:
                out.append(place + _pointer(name))
            else:
                _find(inner, field, place + _pointer(name), out)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _find(item, field, f"{place}/{index}", out)


def _covers(name: str, place: str) -> bool:
    if name.startswith("/"):
        return place == name or place.startswith(name + "/") or name.startswith(place + "/")
    return name != "" and name in _tokens(place)


def _compare(old: Json, new: Json, place: str, out: list[str]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old:
            if name in new:
                _compare(old[name], new[name], place + _pointer(name), out)
            else:
                out.append(place + _pointer(name))
        out += [place + _pointer(name) for name in new if name not in old]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (a, b) in enumerate(zip(old, new, strict=True)):
            _compare(a, b, f"{place}/{index}", out)
    elif not _same(old, new):
        out.append(place)


def _schema_at(schema: Json, place: str) -> Json:
    for token in _tokens(place):
        found = _get(schema, "properties", token)
        schema = found if found is not None else _get(schema, "items")
    return schema


def _at(value: Json, place: str) -> Json:
    for token in _tokens(place):
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            return _ABSENT
    return value


def _put(value: Json, place: str, new: Json) -> bool:
    tokens = _tokens(place)
    for token in tokens[:-1]:
        if isinstance(value, dict):
            value = value.setdefault(token, {})
        elif isinstance(value, list) and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            return False
    if tokens and isinstance(value, dict):
        value[tokens[-1]] = new
        return True
    if tokens and isinstance(value, list) and tokens[-1].isdigit() and int(tokens[-1]) < len(value):
        value[int(tokens[-1])] = new
        return True
    return False


def _pointer(name: str) -> str:
    return name if name.startswith("/") else "/" + name.replace("~", "~0").replace("/", "~1")


def _unescape(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")


def _tokens(pointer: str) -> list[str]:
    return [_unescape(token) for token in pointer.split("/")[1:]]


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def _plain(choice: Json) -> Json:
    return choice["value"] if isinstance(choice, dict) and "value" in choice else choice


def _same(a: Json, b: Json) -> bool:
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _get(value: Json, *names: str) -> Json:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _str(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _parse(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _text_in(value: Json, body: str) -> str | None:
    if value is None:
        return body.strip()[:4096] or None
    for path in (("message",), ("error", "message"), ("error",), ("detail",), ("error_description",)):
        if isinstance(_get(value, *path), str):
            return str(_get(value, *path))[:4096]
    return None


def _says_something(value: dict[str, Json]) -> bool:
    return any(name in value for name in ("status", "code", "title", "detail"))


def _is_rich(value: dict[str, Json]) -> bool:
    return any(name in value for name in ("schema", "valid_values", "remediation", "machine_hints", "code"))
