"""Drives `aon lsp` with the client of pygls: python lsp_client.py PROGRAM FOLDER. Says how many checks held."""

import asyncio
import sys
from pathlib import Path

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
CHECKS = 0

BAD = """\
# \U0001d11e ä: a comment that must stay
openapi: 3.1.0
info: {title: Orders, version: "1"}
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:
        - name: sort
          in: query
          description: "\U0001d11eä The order; must be one of newest, oldest or largest."  # kept
          schema: {type: string}
      responses:
        "200": {description: ok}
"""


def check(condition, message):
    global CHECKS
    if not condition:
        raise AssertionError(message)
    CHECKS += 1


def apply(text, edits):
    """Applies edits whose columns are UTF-16 units."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode("utf-16-le")) // 2 + 1)
    units = text.encode("utf-16-le")

    def at(position):
        return 2 * (starts[position.line] + position.character)

    for edit in sorted(edits, key=lambda e: at(e.range.start), reverse=True):
        units = units[: at(edit.range.start)] + edit.new_text.encode("utf-16-le") + units[at(edit.range.end) :]
    return units.decode("utf-16-le")


def edits_of(action):
    if action.edit.document_changes:
        return [edit for change in action.edit.document_changes for edit in change.edits]
    return [edit for edits in action.edit.changes.values() for edit in edits]


class Session:
    def __init__(self):
        self.client = LanguageClient("aon-tests", "1")
        self.published = asyncio.Queue()
        self.shown = []

        @self.client.feature(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: t.PublishDiagnosticsParams):
            self.published.put_nowait(params)

        @self.client.feature(t.WINDOW_SHOW_MESSAGE)
        def _(params: t.ShowMessageParams):
            self.shown.append(params.message)

        @self.client.feature(t.CLIENT_REGISTER_CAPABILITY)
        def _(params: t.RegistrationParams):
            return None

    async def start(self, versioned=True, options=None):
        await self.client.start_io(PROGRAM, "lsp", "--stdio")
        workspace = t.WorkspaceClientCapabilities(
            workspace_edit=t.WorkspaceEditClientCapabilities(document_changes=versioned),
            did_change_watched_files=t.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        )
        result = await self.client.initialize_async(
            t.InitializeParams(
                capabilities=t.ClientCapabilities(workspace=workspace),
                workspace_folders=[t.WorkspaceFolder(uri=FOLDER.as_uri(), name="w")],
                initialization_options=options,
            )
        )
        self.client.initialized(t.InitializedParams())
        return result

    def open(self, uri, text, version=1, language="yaml"):
        item = t.TextDocumentItem(uri=uri, language_id=language, version=version, text=text)
        self.client.text_document_did_open(t.DidOpenTextDocumentParams(text_document=item))

    def change(self, uri, text, version):
        self.client.text_document_did_change(
            t.DidChangeTextDocumentParams(
                text_document=t.VersionedTextDocumentIdentifier(uri=uri, version=version),
                content_changes=[t.TextDocumentContentChangeWholeDocument(text=text)],
            )
        )

    async def next(self, uri, version=None):
        while True:
            params = await asyncio.wait_for(self.published.get(), 30)
            if params.uri == uri and (version is None or params.version == version):
                return params

    async def actions(self, uri, range_, only=None):
        found = await self.client.text_document_code_action_async(
            t.CodeActionParams(
                text_document=t.TextDocumentIdentifier(uri=uri),
                range=range_,
                context=t.CodeActionContext(diagnostics=[], only=only),
            )
        )
        return list(found)

    async def hover(self, uri, position):
        return await self.client.text_document_hover_async(
            t.HoverParams(text_document=t.TextDocumentIdentifier(uri=uri), position=position)
        )

    async def stop(self):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        code = await asyncio.wait_for(self.client._server.wait(), 30)
        await self.client.stop()
        return code


async def quick_fix():
    session = Session()
    result = await session.start()
    check(result.capabilities.position_encoding == "utf-16", result.capabilities)
    check(result.server_info.name == "aon", result.server_info)
    uri = (FOLDER / "über uns" / "openapi.yaml").as_uri()
    session.open(uri, BAD)
    published = await session.next(uri, 1)
    found = [d for d in published.diagnostics if d.data["rule"] == "undeclared-choice"]
    check(len(found) == 1, published.diagnostics)
    finding = found[0]
    check(finding.code == "AON101" and finding.source == "aon", finding)
    check(finding.code_description.href.endswith("/docs/rules/undeclared-choice.md"), finding)
    check(finding.data["pointer"] == "/paths/~1orders/get/parameters/0", finding)

    hover = await session.hover(uri, finding.range.start)
    check(hover.contents.kind == t.MarkupKind.Markdown, hover)
    for part in ["AON101", "undeclared-choice", "**Why:**", "**Fix:**"]:
        check(part in hover.contents.value, hover.contents.value)
    check(await session.hover(uri, t.Position(0, 0)) is None, "a hover where nothing is")

    actions = await session.actions(uri, finding.range, only=[t.CodeActionKind.QuickFix])
    fixes = [a for a in actions if a.diagnostics[0].code == "AON101"]
    check(len(fixes) == 1, actions)
    check(fixes[0].kind == t.CodeActionKind.QuickFix, fixes)
    check(fixes[0].edit.document_changes[0].text_document.version == 1, fixes)
    check(fixes[0].is_preferred or "unsafe" in fixes[0].title, fixes)
    check(await session.actions(uri, t.Range(t.Position(0, 0), t.Position(0, 1)), [t.CodeActionKind.QuickFix]) == [], "")
    fixed = apply(BAD, edits_of(fixes[0]))
    check(fixed != BAD and "# kept" in fixed and "a comment that must stay" in fixed, fixed)
    session.change(uri, fixed, 2)
    published = await session.next(uri, 2)
    check(all(d.code != "AON101" for d in published.diagnostics), published.diagnostics)

    # All safe fixes at once; asked for at once after a change, so that the answer cannot be about the text before.
    session.change(uri, BAD, 3)
    everything = t.Range(t.Position(0, 0), t.Position(99, 0))
    for action in await session.actions(uri, everything, [t.CodeActionKind.SourceFixAll]):
        check(action.edit.document_changes[0].text_document.version == 3, action)
    published = await session.next(uri, 3)
    check(any(d.code == "AON101" for d in published.diagnostics), published.diagnostics)

    # Only the last of many changes is shown.
    for version in range(4, 40):
        session.change(uri, BAD if version % 2 else fixed, version)
    seen = []
    while not seen or seen[-1] != 39:
        seen.append((await session.next(uri)).version)
    check(len(seen) < 30, seen)

    # A broken document is a finding, not silence.
    session.change(uri, "openapi: 3.1.0\npaths: {a: [\n", 40)
    published = await session.next(uri, 40)
    check(published.diagnostics and published.diagnostics[0].severity == t.DiagnosticSeverity.Error, published)

    session.client.text_document_did_close(
        t.DidCloseTextDocumentParams(text_document=t.TextDocumentIdentifier(uri=uri))
    )
    while True:
        published = await session.next(uri)
        if published.version is None:
            break
    check(not published.diagnostics, published)
    check(await session.stop() == 0, "exit code after shutdown")


async def many_documents():
    session = Session()
    await session.start(versioned=False)
    other = (FOLDER / "compose.yaml").as_uri()
    session.open(other, "services: {web: {image: nginx}}\n")
    clean = (FOLDER / "clean.yaml").as_uri()
    session.open(clean, 'openapi: 3.1.0\ninfo: {title: A, version: "1"}\npaths: {}\n')
    untitled = "untitled:Untitled-1"
    session.open(untitled, BAD)
    main = (FOLDER / "main.yaml").as_uri()
    part = (FOLDER / "part.yaml").as_uri()
    reference = BAD.split("parameters:")[0] + "parameters: [{$ref: part.yaml}]\n      responses: {}\n"
    session.open(main, reference)
    seen = {}
    while not {clean, untitled, main} <= seen.keys():
        params = await asyncio.wait_for(session.published.get(), 30)
        seen[params.uri] = params.diagnostics
    check(not seen[clean], seen[clean])
    check(any(d.code == "AON101" for d in seen[untitled]), seen[untitled])
    check(other not in seen, "a file that is not a manifest is left alone")
    check(await session.hover(other, t.Position(0, 0)) is None, "nothing to say about it")
    check(await session.actions(other, t.Range(t.Position(0, 0), t.Position(0, 5))) == [], "")

    # The unsaved text of a referenced file counts, and its findings stand in that file.
    session.open(part, "name: mode\nin: query\ndescription: must be one of `a`, `b` or `c`\nschema: {type: string}\n")
    while True:
        params = await session.next(part)
        if params.diagnostics:
            break
    check(params.diagnostics[0].code == "AON101", params)
    actions = await session.actions(part, params.diagnostics[0].range, [t.CodeActionKind.QuickFix])
    check(all(list(a.edit.changes) == [part] for a in actions), actions)
    session.change(part, "name: mode\nin: query\nschema: {type: string, enum: [a, b, c]}\n", 2)
    while True:
        params = await session.next(part)
        if not params.diagnostics:
            break
    check(True, "")
    check(await session.stop() == 0, "exit code after shutdown")


async def configuration():
    folder = FOLDER / "configured"
    folder.mkdir()
    toml = folder / "aon.toml"
    toml.write_text('[rules]\nundeclared-choice = "info"\n[lint]\nexclude = ["left/**"]\n')
    session = Session()
    await session.start()
    uri = (folder / "openapi.yaml").as_uri()
    session.open(uri, BAD)
    params = await session.next(uri, 1)
    found = [d for d in params.diagnostics if d.code == "AON101"]
    check(found and found[0].severity == t.DiagnosticSeverity.Information, params)
    left = (folder / "left" / "openapi.yaml").as_uri()
    session.open(left, BAD)
    check(await session.hover(left, found[0].range.start) is None, "an excluded file")

    def touched():
        change = t.FileEvent(uri=toml.as_uri(), type=t.FileChangeType.Changed)
        session.client.workspace_did_change_watched_files(t.DidChangeWatchedFilesParams(changes=[change]))

    toml.write_text('[rules]\nundeclared-choice = "off"\n')
    touched()
    params = await session.next(uri, 1)
    check(all(d.code != "AON101" for d in params.diagnostics), params)
    toml.write_text('[rules]\nundeclared-choise = "off"\n')
    touched()
    params = await session.next(uri, 1)
    check(any(d.code == "AON101" for d in params.diagnostics), params)
    await session.hover(uri, t.Position(0, 0))
    check(any("undeclared-choice" in message for message in session.shown), session.shown)
    check(await session.stop() == 0, "exit code after shutdown")


async def refusals():
    session = Session()
    await session.start()
    for method, params, number, code in [
        ("textDocument/hovr", {}, -32601, "unknown_method"),
        ("no/such/method", {}, -32601, "unknown_method"),
        ("initialize", t.InitializeParams(capabilities=t.ClientCapabilities()), -32600, "late_request"),
    ]:
        try:
            await session.client.protocol.send_request_async(method, params)
            raise SystemExit(f"{method} was answered")
        except JsonRpcException as error:
            data = error.data
            get = data.get if isinstance(data, dict) else lambda name: getattr(data, name)
            check(error.code == number, (method, error.code))
            check(get("code") == code, (method, data))
            check(get("remediation") is not None, (method, data))
    check(await session.stop() == 0, "exit code after shutdown")


async def everything():
    for part in [quick_fix, many_documents, configuration, refusals]:
        await asyncio.wait_for(part(), 120)
    print(f"checks {CHECKS}")


asyncio.run(everything())
