"""Calls a running demo with the generated clients: values and problems arrive as what they are."""

import asyncio
import sys

base, folder = sys.argv[1:3]
sys.path.insert(0, folder)

from python import InvalidAuthUxProblem, ProblemError, models  # noqa: E402
from python.client import AsyncClient, Client, Failure, Success  # noqa: E402

made = 0


def update(id: str, ux: models.AuthUx | None = models.AuthUx.CUSTOM) -> models.UpdatePossibilityAuthRequest:
    body = models.UpdatePossibilityAuthBody() if ux is None else models.UpdatePossibilityAuthBody(auth_ux=ux)
    return models.UpdatePossibilityAuthRequest(path=models.UpdatePossibilityAuthPath(id=id), body=body)


def read(id: str) -> models.GetPossibilityAuthRequest:
    return models.GetPossibilityAuthRequest(path=models.GetPossibilityAuthPath(id=id))


with Client(base, headers={"X-Request-Id": "calls-of-the-client"}) as client:
    match client.update_possibility_auth(update("42")):
        case Success(value=models.AuthConfiguration(auth_ux=ux)):
            assert ux is models.AuthUx.CUSTOM, ux
        case other:
            raise AssertionError(other)
    assert client.get_possibility_auth(read("42")).unwrap().auth_ux is models.AuthUx.CUSTOM
    assert client.list_possibilities().ok
    made += 3
    for id, code, status in [
        ("missing", "possibility_not_found", 404),
        ("private", "sign_in_required", 401),
        ("provisioning", "still_provisioning", 409),
        ("read-only", "missing_scope", 403),
        ("broken", "storage", 503),
    ]:
        match client.update_possibility_auth(update(id)):
            case Failure(problem=problem, response=response):
                assert (problem.code, problem.status, response.status_code) == (code, status, status), problem
                assert problem.request_id == "calls-of-the-client", problem
            case other:
                raise AssertionError(other)
        made += 1
    wrong = update("42")
    assert wrong.body is not None
    wrong.body.auth_ux = "Hosted"  # type: ignore[assignment]
    match client.update_possibility_auth(wrong):
        case Failure(problem=InvalidAuthUxProblem(valid_values=values)):
            assert values is not None and len(values["auth_ux"]) == 2, values
        case other:
            raise AssertionError(other)
    try:
        client.update_possibility_auth(update("missing")).unwrap()
    except ProblemError as error:
        assert error.problem.status == 404
    else:
        raise AssertionError("no problem was raised")
    # What would lead to another path is not sent.
    for id in ["", ".", ".."]:
        try:
            client.get_possibility_auth(read(id))
        except ValueError:
            made += 1
        else:
            raise AssertionError(id)
    assert client.get_possibility_auth(read("a/b?c#d é")).ok, "the id is one part of the path"
    made += 3


async def awaited() -> int:
    async with AsyncClient(base) as client:
        good, bad = await asyncio.gather(
            client.update_possibility_auth(update("42")), client.update_possibility_auth(update("missing"))
        )
        assert isinstance(good, Success) and good.value.auth_ux is models.AuthUx.CUSTOM, good
        assert isinstance(bad, Failure) and bad.problem.status == 404, bad
    return 2


print(f"calls made: {made + asyncio.run(awaited())}")
