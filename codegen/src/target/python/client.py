
from __future__ import annotations

import collections.abc
import dataclasses
import types
import typing

import httpx
import pydantic
import typing_extensions

from . import models
from .problems import AnyProblem, ProblemError, parse_envelope
from .runtime import Bag, MachineHints, Prepared, prepare

T = typing.TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Success(typing.Generic[T]):
    """What the API answered with."""

    value: T
    response: httpx.Response
    ok: typing.Literal[True] = True

    def unwrap(self) -> T:
        """The value."""
        return self.value


@dataclasses.dataclass(frozen=True)
class Failure:
    """The problem, with what the server says beyond it."""

    problem: AnyProblem
    response: httpx.Response
    #: The tools or skills that help.
    suggested: list[str]
    #: The arguments of the failed call with the wrong field corrected.
    corrected: Bag | None
    hints: MachineHints | None
    ok: typing.Literal[False] = False

    def unwrap(self) -> typing.NoReturn:
        """Raises the problem."""
        raise ProblemError(self.problem)


#: What a call came to: a value, or a problem. `ok` tells them apart, and so does `match`.
Result: typing.TypeAlias = typing.Union[Success[T], Failure]


class AnswerError(Exception):
    """An answer that is not an error, and not what the API promises either."""

    def __init__(self, message: str, response: httpx.Response) -> None:
        super().__init__(message)
        self.response = response


class _Reader:
    """Reads answers; what a type is checked with is made once."""

    def __init__(self) -> None:
        self._adapters: dict[str, pydantic.TypeAdapter[typing.Any]] = {}

    def read(self, name: str, answer: typing.Any, response: httpx.Response) -> Result[typing.Any]:
        parsed = parse_envelope(response)
        if parsed is not None:
            return Failure(parsed.problem, response, parsed.suggested, parsed.corrected, parsed.hints)
        is_bytes = answer is bytes or bytes in typing.get_args(answer)
        value: typing.Any = response.content if is_bytes else response.text or None
        media = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if value is not None and answer is not bytes and (media.endswith("/json") or media.endswith("+json")):
            try:
                value = response.json()
            except ValueError as error:
                raise AnswerError(f"the answer says that it is JSON, and is not: {error}", response) from error
        if name not in self._adapters:
            self._adapters[name] = pydantic.TypeAdapter(answer)
        try:
            return Success(self._adapters[name].validate_python(value), response)
        except pydantic.ValidationError as error:
            raise AnswerError(f"the answer is not what the API promises: {error}", response) from error


class _Base:
    _default_url = ""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        headers: collections.abc.Mapping[str, str] | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        """`headers` go with every call. A client of httpx that is passed in stays open when this one is closed."""
        self._base_url = self._default_url if base_url is None else base_url
        self._headers = dict(headers or {})
        self._owned = http is None
        self._http = httpx.Client() if http is None else http
        self._reader = _Reader()

    def __enter__(self) -> typing_extensions.Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        if self._owned:
            self._http.close()

    def _call(
        self,
        name: str,
        method: str,
        path: str,
        request: pydantic.BaseModel | None,
        answer: typing.Any,
        headers: collections.abc.Mapping[str, str] | None,
        *,
        media: str = "application/json",
        files: collections.abc.Collection[str] = (),
        styles: collections.abc.Mapping[str, str] | None = None,
    ) -> Result[typing.Any]:
        sent = {**self._headers, **(headers or {})}
        call: Prepared = prepare(self._base_url, path, request, media, files, styles or {}, sent)
        response = self._http.request(method, call.url, headers=call.headers, content=call.content, files=call.files)
        return self._reader.read(name, answer, response)


class _AsyncBase:
    _default_url = ""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        headers: collections.abc.Mapping[str, str] | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """`headers` go with every call. A client of httpx that is passed in stays open when this one is closed."""
        self._base_url = self._default_url if base_url is None else base_url
        self._headers = dict(headers or {})
        self._owned = http is None
        self._http = httpx.AsyncClient() if http is None else http
        self._reader = _Reader()

    async def __aenter__(self) -> typing_extensions.Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        if self._owned:
            await self._http.aclose()

    async def _call(
        self,
        name: str,
        method: str,
        path: str,
        request: pydantic.BaseModel | None,
        answer: typing.Any,
        headers: collections.abc.Mapping[str, str] | None,
        *,
        media: str = "application/json",
        files: collections.abc.Collection[str] = (),
        styles: collections.abc.Mapping[str, str] | None = None,
    ) -> Result[typing.Any]:
        sent = {**self._headers, **(headers or {})}
        call: Prepared = prepare(self._base_url, path, request, media, files, styles or {}, sent)
        response = await self._http.request(method, call.url, headers=call.headers, content=call.content, files=call.files)
        return self._reader.read(name, answer, response)
