
"""Reads the events of a session on any channel, and comes back by itself until there is an outcome.

    with follow("http://127.0.0.1:8787/users", json={"name": "Ada"}) as stream:
        for event in stream:
            show(event)
    match stream.outcome:
        case Result(data=data): ...
        case Error(problem=problem): ...
        case Cut(reason=reason): ...

`follow_async` is the same for `async for`. HTTP needs httpx, WebSocket the package websockets.
"""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import json as json_module
import random
import re
import time
import typing
import urllib.parse

import httpx

from .runtime import ProblemDetails

Channel = typing.Literal["ndjson", "sse", "websocket"]
CutReason = typing.Literal["unreachable", "no_way_back", "over", "gone", "refused", "gave_up", "closed"]

FIRST_WAIT = 0.5
LONGEST_WAIT = 5.0
LIMIT = 16 * 1024 * 1024
#: Events that may come again with another number, by type, and the member that says so.
ONCE: typing.Mapping[str, str] = {"insert": "questionId"}
_MOST_ONCE = 10_000
_ID = re.compile(r"(.+)-([0-9]+)")


@dataclasses.dataclass(frozen=True)
class Event:
    """One event. What this file does not know is in `members`."""

    type: str
    id: str | None
    seq: int | None
    members: dict[str, typing.Any]
    json: str

    @property
    def is_terminal(self) -> bool:
        """Whether nothing may follow. `done` ends a stream that is not one of ours."""
        if self.type in ("result", "error"):
            return True
        return self.type == "done" and self.seq is None and "session_id" not in self.members

    @property
    def is_heartbeat(self) -> bool:
        """Whether it is a sign of life and nothing else."""
        if self.seq is not None:
            return False
        return self.type == "heartbeat" or (self.type == "status" and self.members.get("message") == "heartbeat")


@dataclasses.dataclass(frozen=True)
class Result:
    """It worked."""

    data: typing.Any
    event: Event | None = None


@dataclasses.dataclass(frozen=True)
class Error:
    """It failed, and this is the problem."""

    problem: ProblemDetails
    event: Event | None = None


@dataclasses.dataclass(frozen=True)
class Cut:
    """The end was not seen: whether the work was done is not known."""

    reason: CutReason
    message: str
    cursor: str | None = None


Outcome = Result | Error | Cut


@dataclasses.dataclass(frozen=True)
class Notice:
    """What a reader should know beyond the events: a gap, a hole, a new epoch, a wait, being back, being live."""

    kind: typing.Literal["gap", "hole", "epoch", "waiting", "resumed", "live", "bad"]
    detail: dict[str, typing.Any]


@dataclasses.dataclass(frozen=True)
class Item:
    """What stands on a wire: an event, a sign of life, a wait, or something that is not an event."""

    kind: typing.Literal["event", "alive", "retry", "bad"]
    json: str = ""
    id: str | None = None
    name: str | None = None
    wait: float = 0.0


_TOO_LONG = Item("bad", "an event is too long and was left out")


def reconnect_wait(attempt: int, jitter: float, first: float = FIRST_WAIT) -> float:
    """How long to wait before an attempt, counted from 1, in seconds. `jitter` is between 0 and 1."""
    full = min(first * 2.0 ** min(attempt - 1, 16), LONGEST_WAIT)
    return float(full * (0.5 + 0.5 * min(max(jitter, 0.0), 1.0)))


class _Lines:
    """Splits bytes at line ends, wherever the pieces were cut."""

    def __init__(self, ends: re.Pattern[bytes], limit: int) -> None:
        self._ends = ends
        self._limit = limit
        self._rest = bytearray()
        self._skipping = False
        self._first = True
        self._after_return = False

    def feed(self, piece: bytes) -> typing.Iterator[bytes | None]:
        """The complete lines; `None` stands for one that was too long."""
        if self._after_return and piece:
            self._after_return = False
            piece = piece.removeprefix(b"\n")
        start = 0
        for end in self._ends.finditer(piece):
            self._keep(piece[start : end.start()])
            start = end.end()
            if end.group() == b"\r" and start == len(piece):
                self._after_return = True
            yield self._line()
        self._keep(piece[start:])

    def _keep(self, piece: bytes) -> None:
        if self._skipping:
            return
        self._rest += piece
        if len(self._rest) > self._limit:
            self._skipping = True
            self._rest.clear()

    def _line(self) -> bytes | None:
        line = bytes(self._rest)
        self._rest.clear()
        if self._first:
            self._first = False
            line = line.removeprefix(b"\xef\xbb\xbf")
        if self._skipping:
            self._skipping = False
            return None
        return line

    def end(self) -> bytes:
        """What has no line end."""
        return self._line() or b""


class NdjsonReader:
    """Reads lines of JSON from pieces of any size."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._lines = _Lines(re.compile(rb"\n"), limit)

    def feed(self, piece: bytes) -> typing.Iterator[Item]:
        for line in self._lines.feed(piece):
            if line is None:
                yield _TOO_LONG
                continue
            try:
                text = line.decode().strip()
            except UnicodeDecodeError:
                yield Item("bad", "a line is not UTF-8 and was left out")
                continue
            yield Item("event", text) if text else Item("alive")

    def finish(self) -> typing.Iterator[Item]:
        """The body ended: what is left counts if it is a whole object."""
        text = self._lines.end().decode(errors="replace").strip()
        if _parse(text) is not None:
            yield Item("event", text)


class SseReader:
    """Reads server-sent events from pieces of any size, as the HTML standard says."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._lines = _Lines(re.compile(rb"\r\n|\n|\r"), limit + 64)
        self._clear()

    def _clear(self) -> None:
        self._data: list[str] = []
        self._size = 0
        self._name: str | None = None
        self._id: str | None = None

    def feed(self, piece: bytes) -> typing.Iterator[Item]:
        for line in self._lines.feed(piece):
            if line is None:
                self._size = self._limit + 1
                yield _TOO_LONG
            elif not line:
                if self._data and self._size <= self._limit:
                    yield Item("event", "\n".join(self._data), self._id, self._name)
                self._clear()
            elif line.startswith(b":"):
                yield Item("alive")
            else:
                yield from self._field(line.decode(errors="replace"))

    def _field(self, line: str) -> typing.Iterator[Item]:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            fitted = self._size <= self._limit
            self._size += len(value)
            if self._size <= self._limit:
                self._data.append(value)
            elif fitted:
                yield _TOO_LONG
        elif field == "event":
            self._name = value or None
        elif field == "id" and "\0" not in value:
            self._id = value or None
        elif field == "retry" and value.isascii() and value.isdigit():
            yield Item("retry", wait=int(value) / 1000)

    def finish(self) -> typing.Iterator[Item]:
        """What no empty line completed is not an event."""
        yield from ()


def _parse(text: str) -> dict[str, typing.Any] | None:
    try:
        value = json_module.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def read_event(json: str, id: str | None = None, name: str | None = None) -> Event | None:
    """An event from its JSON and what its channel says beside it; `None` if it is not one."""
    members = _parse(json)
    if members is None:
        return None
    type_ = name if name is not None else members.get("type")
    if not isinstance(type_, str):
        return None
    own = members.get("id")
    if not isinstance(own, str) or _ID.fullmatch(own) is None:
        own = id
    seq = members.get("seq")
    if not isinstance(seq, int) or isinstance(seq, bool):
        found = _split(own)
        seq = found[1] if found else None
    return Event(type_, own, seq, members, json)


def _split(id: str | None) -> tuple[str, int] | None:
    found = _ID.fullmatch(id) if id else None
    return (found[1], int(found[2])) if found else None


def _with_ticket(url: str, ticket: str) -> str:
    path, _, query = url.partition("?")
    others = [part for part in query.split("&") if part and not part.startswith("ticket=")]
    return path + "?" + "&".join([*others, "ticket=" + urllib.parse.quote(ticket, safe="")])


class Machine:
    """The rules of a reader that comes back. Time and chance come in as arguments; nothing here waits or connects."""

    def __init__(
        self,
        way_back: tuple[Channel, str] | None,
        fallback: tuple[Channel, str] | None,
        channel: Channel,
        since: str | None,
        attempts: int,
        interval: float,
        tell: typing.Callable[[Notice], None],
        once: typing.Mapping[str, str] = ONCE,
    ) -> None:
        self._once = once
        self._shown: set[tuple[str, object]] = set()
        self.way_back = way_back
        self._fallback = fallback
        self._channel: Channel = channel
        self._since = since
        self._most = attempts
        self.interval = interval
        self._tell = tell
        start = _split(since)
        self._epoch = start[0] if start else None
        self._seq = start[1] if start else None
        self._jump = False
        self._attempts = 0
        self._first_wait = FIRST_WAIT
        self.outcome: Outcome | None = None

    @property
    def cursor(self) -> str | None:
        """The id of the last event that was seen: where a reader goes on."""
        if self._epoch is not None and self._seq is not None:
            return f"{self._epoch}-{self._seq}"
        return self._since

    @property
    def window(self) -> float:
        """How long silence is no reason to worry."""
        return self.interval * 2.5

    def opened(self) -> None:
        if self._attempts > 0:
            self._tell(Notice("resumed", {}))

    def item(self, item: Item) -> Event | None:
        """Takes what came; gives the event to show, if there is one."""
        if item.kind == "retry":
            self._first_wait = min(item.wait, LONGEST_WAIT)
        elif item.kind == "bad":
            self._tell(Notice("bad", {"why": item.json}))
        elif item.kind == "event":
            event = read_event(item.json, item.id, item.name)
            if event is None:
                self._tell(Notice("bad", {"why": "a line is not an event and was left out"}))
                return None
            return self._event(event)
        return None

    def _event(self, event: Event) -> Event | None:
        if event.type != "session" and self.way_back is None:
            self.way_back = self._fallback
        self._fallback = None
        members = event.members
        if event.type == "ticket":
            # A ticket is good once; the one for the way back is a secret between the server and this reader.
            if self.way_back is not None and isinstance(members.get("ticket"), str):
                self.way_back = (self.way_back[0], _with_ticket(self.way_back[1], members["ticket"]))
            return None
        if event.type == "session":
            url = members.get("ws_url" if self._channel == "websocket" else "sse_url")
            # Whoever started with the address of a session keeps it: it may carry what lets the reader in.
            if self.way_back is None and isinstance(url, str):
                self.way_back = (self._channel, url)
            beat = members.get("heartbeat_ms")
            if isinstance(beat, (int, float)) and beat > 0:
                self.interval = beat / 1000
        elif event.type == "gap":
            self._jump = True
            self._tell(Notice("gap", {name: members.get(name) for name in ("requested", "oldest", "newest", "reason")}))
        elif event.type == "replay_complete":
            self._attempts = 0
            self._tell(Notice("live", {}))
        new = self._is_new(event)
        if event.is_terminal:
            self.outcome = _outcome(event)
        return event if new and not self._was_shown(event) else None

    def _was_shown(self, event: Event) -> bool:
        """Whether an event that is meant to be shown once comes again."""
        member = self._once.get(event.type)
        data = event.members.get("data")
        value = (data if isinstance(data, dict) else event.members).get(member) if member else None
        if not isinstance(value, (str, int)):
            return False
        key = (event.type, value)
        if key in self._shown:
            return True
        if len(self._shown) >= _MOST_ONCE:
            self._shown.clear()
        self._shown.add(key)
        return False

    def _is_new(self, event: Event) -> bool:
        found = _split(event.id)
        if found and found[0] != self._epoch:
            if self._epoch is not None:
                self._tell(Notice("epoch", {"from": self._epoch, "to": found[0]}))
                self._seq = None
            self._epoch = found[0]
        if event.seq is None:
            return True
        if self._seq is not None:
            if event.seq <= self._seq:
                return False
            if event.seq > self._seq + 1 and not self._jump:
                self._tell(Notice("hole", {"from": self._seq + 1, "to": event.seq - 1}))
        self._jump = False
        self._seq = event.seq
        self._attempts = 0
        return True

    def answered(self, status: int, body: str, jitter: float) -> float:
        """The server answered without a stream. Gives how long to wait before the next attempt."""
        if self.way_back is None:
            self.outcome = _answer(status, body)
        elif status == 429 or status >= 500:
            return self.lost(f"the server answered {status}", True, jitter)
        else:
            reason: CutReason = "over" if status == 204 else "gone" if status in (404, 410) else "refused"
            self.outcome = Cut(reason, f"the server answered {status}", self.cursor)
        return 0.0

    def lost(self, why: str, sent: bool, jitter: float) -> float:
        """The connection ended. Gives how long to wait before the next attempt."""
        if self.outcome is not None:
            return 0.0
        if self.way_back is None:
            self.outcome = Cut("no_way_back" if sent else "unreachable", why, self.cursor)
            return 0.0
        self._attempts += 1
        if self._attempts > self._most:
            self.outcome = Cut("gave_up", f"{self._most} attempts brought nothing: {why}", self.cursor)
            return 0.0
        wait = reconnect_wait(self._attempts, jitter, self._first_wait)
        self._tell(Notice("waiting", {"attempt": self._attempts, "wait": wait, "why": why}))
        return wait

    def left(self) -> None:
        if self.outcome is None:
            self.outcome = Cut("closed", "the reader left", self.cursor)


def _outcome(event: Event) -> Outcome:
    # A falsy result is a result: 0, false, "" and null arrive as they are.
    if event.type != "error":
        return Result(event.members.get("data"), event)
    problem = event.members.get("problem")
    if not isinstance(problem, dict):
        told = {"code": "code", "message": "detail", "status": "status"}
        problem = {name: event.members[wire] for wire, name in told.items() if wire in event.members}
    return Error(ProblemDetails.model_validate(problem), event)


def _answer(status: int, body: str) -> Outcome:
    try:
        data = json_module.loads(body) if body else None
    except ValueError:
        data = body
    if status < 400:
        return Result(data)
    told = isinstance(data, dict) and (isinstance(data.get("status"), int) or isinstance(data.get("code"), str))
    return Error(ProblemDetails.model_validate(data if told else {"status": status}))


class _Base:
    """What both kinds of stream have in common."""

    def __init__(
        self,
        url: str,
        *,
        method: str | None = None,
        headers: typing.Mapping[str, str] | None = None,
        json: typing.Any = None,
        content: str | bytes | None = None,
        channel: Channel = "sse",
        since: str | None = None,
        attempts: int = 10,
        interval: float = 15.0,
        limit: int = LIMIT,
        on_notice: typing.Callable[[Notice], None] | None = None,
        once: typing.Mapping[str, str] = ONCE,
    ) -> None:
        self._url = url
        self._headers = {name.lower(): value for name, value in (headers or {}).items()}
        if json is not None:
            content = json_module.dumps(json)
        if content is not None:
            self._headers.setdefault("content-type", "application/json")
        self._content = content
        self._method = method or ("GET" if content is None else "POST")
        self._limit = limit
        socket = url.startswith(("ws:", "wss:"))
        way_back: tuple[Channel, str] | None = None
        if socket or since is not None:
            way_back = ("websocket" if socket else channel, url)
        reads = self._method == "GET" and channel != "websocket"
        self._machine = Machine(
            way_back,
            (channel, url) if reads else None,
            channel,
            since,
            attempts,
            interval,
            on_notice or (lambda notice: None),
            once,
        )
        self._called = way_back is not None

    @property
    def outcome(self) -> Outcome:
        """How it ended. Before the end: cut."""
        return self._machine.outcome or Cut("closed", "the stream was not read to its end", self._machine.cursor)

    @property
    def cursor(self) -> str | None:
        """The id of the last event that was seen: where a reader goes on."""
        return self._machine.cursor

    def _next(self) -> tuple[Channel, str, str, dict[str, str], str | bytes | None]:
        """The connection to make: channel, method, address, headers, body. The call itself is made once."""
        if not self._called:
            self._called = True
            accept = {"accept": "application/x-ndjson, text/event-stream;q=0.9"}
            return "ndjson", self._method, self._url, {**accept, **self._headers}, self._content
        way_back = self._machine.way_back
        assert way_back is not None
        channel, url = way_back
        url = urllib.parse.urljoin(re.sub("^ws", "http", self._url), url)
        headers: dict[str, str] = {}
        # Credentials are for the server they were meant for.
        if urllib.parse.urlsplit(url).netloc == urllib.parse.urlsplit(self._url).netloc:
            headers.update({name: value for name, value in self._headers.items() if name != "content-type"})
        headers["accept"] = "application/x-ndjson" if channel == "ndjson" else "text/event-stream"
        since = self._machine.cursor
        if channel == "websocket":
            url = re.sub("^http", "ws", url)
            if since is not None:
                url += ("&" if "?" in url else "?") + "since=" + urllib.parse.quote(since, safe="")
        elif since is not None:
            headers["last-event-id"] = since
        return channel, "GET", url, headers, None

    def _reader(self, response: httpx.Response) -> NdjsonReader | SseReader | None:
        media = response.headers.get("content-type", "").split(";")[0].strip().lower()
        if response.status_code != 200:
            return None
        if media in ("application/x-ndjson", "application/ndjson", "application/jsonl"):
            return NdjsonReader(self._limit)
        return SseReader(self._limit) if media == "text/event-stream" else None

    def _timeout(self) -> httpx.Timeout:
        return httpx.Timeout(10.0, read=None if self._machine.way_back is None else self._machine.window)


_ENDED = "the stream ended without a result or an error"


class EventStream(_Base):
    """A stream for `for`. It comes back by itself until there is an outcome."""

    _events: typing.Generator[Event, None, None] | None = None

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leaves. The work goes on without this reader."""
        if self._events is not None:
            self._events.close()
        self._machine.left()

    def __iter__(self) -> typing.Iterator[Event]:
        if self._events is None:
            self._events = self._run()
        return self._events

    def read(self) -> Outcome:
        """Reads to the end and gives the outcome; the events are dropped."""
        for _ in self:
            pass
        return self.outcome

    def _run(self) -> typing.Generator[Event, None, None]:
        machine = self._machine
        while machine.outcome is None:
            channel, method, url, headers, content = self._next()
            sent = False
            wait = 0.0
            try:
                if channel == "websocket":
                    yield from self._socket(url, headers)
                    wait = machine.lost(_ENDED, True, random.random())
                else:
                    with httpx.Client(timeout=self._timeout()) as client:
                        with client.stream(method, url, headers=headers, content=content) as response:
                            sent = True
                            reader = self._reader(response)
                            if reader is None:
                                body = response.read().decode(errors="replace")
                                wait = machine.answered(response.status_code, body, random.random())
                            else:
                                machine.opened()
                                yield from self._body(reader, response)
                                wait = machine.lost(_ENDED, True, random.random())
            except (httpx.HTTPError, OSError) as error:
                told = str(error) or type(error).__name__
                wait = machine.lost(told, sent or not isinstance(error, httpx.ConnectError), random.random())
            time.sleep(wait)

    def _body(self, reader: NdjsonReader | SseReader, response: httpx.Response) -> typing.Iterator[Event]:
        # Before the head of the answer there is no limit; from here on silence is counted. httpx asks once for each body, so
        # what the session itself says of its signs of life counts from the next connection on.
        response.request.extensions["timeout"]["read"] = self._machine.window
        for piece in response.iter_bytes():
            yield from self._items(reader.feed(piece))
            if self._machine.outcome is not None:
                return
        yield from self._items(reader.finish())

    def _items(self, items: typing.Iterable[Item]) -> typing.Iterator[Event]:
        for item in items:
            event = self._machine.item(item)
            if event is not None:
                yield event
            if self._machine.outcome is not None:
                return

    def _socket(self, url: str, headers: dict[str, str]) -> typing.Iterator[Event]:
        client = importlib.import_module("websockets.sync.client")
        exceptions = importlib.import_module("websockets.exceptions")
        headers = {name: value for name, value in headers.items() if name != "accept"}
        try:
            with client.connect(url, additional_headers=headers, max_size=self._limit) as socket:
                self._machine.opened()
                while self._machine.outcome is None:
                    message = socket.recv(timeout=self._machine.window)
                    yield from self._items([_message(message)])
        except exceptions.InvalidStatus as error:
            raise OSError(f"the server answered {error.response.status_code}") from error
        except exceptions.WebSocketException as error:
            raise OSError(str(error)) from error


def _message(message: object) -> Item:
    if isinstance(message, str):
        return Item("event", message)
    return Item("bad", "a message is not text and was left out")


class AsyncEventStream(_Base):
    """A stream for `async for`. It comes back by itself until there is an outcome."""

    _events: typing.AsyncGenerator[Event, None] | None = None

    async def __aenter__(self) -> AsyncEventStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leaves. The work goes on without this reader."""
        if self._events is not None:
            await self._events.aclose()
        self._machine.left()

    def __aiter__(self) -> typing.AsyncIterator[Event]:
        if self._events is None:
            self._events = self._run()
        return self._events

    async def read(self) -> Outcome:
        """Reads to the end and gives the outcome; the events are dropped."""
        async for _ in self:
            pass
        return self.outcome

    async def _run(self) -> typing.AsyncGenerator[Event, None]:
        machine = self._machine
        while machine.outcome is None:
            channel, method, url, headers, content = self._next()
            sent = False
            wait = 0.0
            try:
                if channel == "websocket":
                    async for event in self._socket(url, headers):
                        yield event
                    wait = machine.lost(_ENDED, True, random.random())
                else:
                    async with httpx.AsyncClient(timeout=self._timeout()) as client:
                        async with client.stream(method, url, headers=headers, content=content) as response:
                            sent = True
                            reader = self._reader(response)
                            if reader is None:
                                body = (await response.aread()).decode(errors="replace")
                                wait = machine.answered(response.status_code, body, random.random())
                            else:
                                machine.opened()
                                async for event in self._body(reader, response):
                                    yield event
                                wait = machine.lost(_ENDED, True, random.random())
            except (httpx.HTTPError, OSError) as error:
                told = str(error) or type(error).__name__
                wait = machine.lost(told, sent or not isinstance(error, httpx.ConnectError), random.random())
            await asyncio.sleep(wait)

    async def _body(
        self, reader: NdjsonReader | SseReader, response: httpx.Response
    ) -> typing.AsyncIterator[Event]:
        response.request.extensions["timeout"]["read"] = self._machine.window
        async for piece in response.aiter_bytes():
            for event in self._items(reader.feed(piece)):
                yield event
            if self._machine.outcome is not None:
                return
        for event in self._items(reader.finish()):
            yield event

    def _items(self, items: typing.Iterable[Item]) -> typing.Iterator[Event]:
        for item in items:
            event = self._machine.item(item)
            if event is not None:
                yield event
            if self._machine.outcome is not None:
                return

    async def _socket(self, url: str, headers: dict[str, str]) -> typing.AsyncIterator[Event]:
        client = importlib.import_module("websockets.asyncio.client")
        exceptions = importlib.import_module("websockets.exceptions")
        headers = {name: value for name, value in headers.items() if name != "accept"}
        try:
            async with client.connect(url, additional_headers=headers, max_size=self._limit) as socket:
                self._machine.opened()
                while self._machine.outcome is None:
                    message = await asyncio.wait_for(socket.recv(), self._machine.window)
                    for event in self._items([_message(message)]):
                        yield event
        except asyncio.TimeoutError as error:
            raise OSError("no sign of life") from error
        except exceptions.InvalidStatus as error:
            raise OSError(f"the server answered {error.response.status_code}") from error
        except exceptions.WebSocketException as error:
            raise OSError(str(error)) from error


def follow(url: str, **options: typing.Any) -> EventStream:
    """Sends a request and follows its events, or follows a session by the address of its events."""
    return EventStream(url, **options)


def follow_async(url: str, **options: typing.Any) -> AsyncEventStream:
    """The same for `async for`."""
    return AsyncEventStream(url, **options)
