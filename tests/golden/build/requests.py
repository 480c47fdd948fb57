"""What the generated client of the pets sends, seen by a transport that answers itself."""

import importlib
import json
import pathlib
import sys
import urllib.parse

import httpx

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder.parent))
sys.dont_write_bytecode = True
client = importlib.import_module(f"{folder.name}.client")
models = importlib.import_module(f"{folder.name}.models")
problems = importlib.import_module(folder.name)
every_byte = bytes(range(256))
seen: list[httpx.Request] = []
answers: list[httpx.Response] = []


def answer(request: httpx.Request) -> httpx.Response:
    seen.append(request)
    return answers.pop(0)


pets = client.Client(http=httpx.Client(transport=httpx.MockTransport(answer)))

answers.append(httpx.Response(200, json=[]))
query = models.ListPetsQuery.model_validate(
    {"where": {"kind": "cat"}, "box": {"x": 1, "y": 2}, "near": {"city": "Köln"}, "tags": ["a", "b"], "names": ["c", "d"]}
)
assert pets.list_pets(models.ListPetsRequest(query=query)).ok
sent = seen.pop().url
assert sent.host == "pets.example.com", sent
assert sorted(urllib.parse.parse_qsl(sent.query.decode())) == [
    ("box", "x,1,y,2"),
    ("names", "c"),
    ("names", "d"),
    ("near[city]", "Köln"),
    ("tags", "a|b"),
    ("where", json.dumps({"kind": "cat"}, separators=(",", ":"))),
], sent

answers.append(httpx.Response(204))
pets.put_photo(models.PutPhotoRequest(path=models.PutPhotoPath(id="7"), body=every_byte))
assert seen.pop().content == every_byte

answers.append(httpx.Response(200, content=every_byte, headers={"content-type": "image/png"}))
wanted = models.GetPhotoRequest(path=models.GetPhotoPath(id="7"))
assert pets.get_photo(wanted).unwrap() == every_byte

# RFC 9457 alone: no code, and no status in the body.
answers.append(httpx.Response(404, json={"type": "https://pets.example.com/problems/no_pet"}))
gone = pets.get_photo(wanted)
assert isinstance(gone.problem, problems.NoPetProblem) and gone.problem.status == 404, gone
seen.clear()

answers.append(httpx.Response(201, text="<pet/>", headers={"content-type": "application/xml"}))
papers = models.SendPapersBody.model_validate(
    {"scan": every_byte, "more": [b"1"], "note": "ü", "about": {"vet": "Ada", "year": 2026}}
)
assert pets.send_papers(models.SendPapersRequest(body=papers)).unwrap() == "<pet/>"
form = seen.pop().content
assert every_byte in form and b'name="scan"; filename="scan"' in form and b'name="more"; filename="more"' in form, form
assert b'name="note"\r\n\r\n' + "ü".encode() in form, form
assert b'name="about"\r\n\r\n{"vet": "Ada", "year": 2026}' in form or b'name="about"\r\n\r\n{"vet":"Ada","year":2026}' in form, form

# A code in a branch of an allOf, a type alone, and an error that is not a problem.
request = models.SendPapersRequest(body=papers)
answers.append(httpx.Response(413, json={"code": "too_many_pages", "title": "Too many pages", "status": 413, "most": 20}))
many = pets.send_papers(request).problem
assert isinstance(many, problems.TooManyPagesProblem) and many.most == 20, many
answers.append(httpx.Response(422, json={"type": "https://pets.example.com/problems/unreadable-scan"}))
assert isinstance(pets.send_papers(request).problem, problems.UnreadableScanProblem)
answers.append(httpx.Response(400, json={"message": "no such vet", "vet": "Ada"}))
odd = pets.send_papers(request).problem
assert (odd.status, odd.detail, (odd.model_extra or {})["vet"]) == (400, "no such vet", "Ada"), odd
print("requests 8")
