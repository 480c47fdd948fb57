"""The calls of the plan through the PyPI client `a2a-sdk`: version 1.0, version 0.3, and 1.0 with our extension.

Reads the plan from AON_PLAN, prints what the client handed to its caller as one JSON document.
"""

import asyncio
import importlib.metadata
import json
import logging
import os

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import A2ACardResolver
from a2a.client.client import ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import a2a_pb2 as pb
from google.protobuf import json_format

logging.disable(logging.WARNING)

PLAN = json.loads(os.environ["AON_PLAN"])


async def outcome(awaitable):
    try:
        return await awaitable
    except Exception as error:
        cause = error.__cause__
        body = None
        if isinstance(cause, httpx.HTTPStatusError):
            body = {"status": cause.response.status_code, "headers": dict(cause.response.headers)}
        return {
            "error": {
                "class": type(error).__name__,
                "message": str(error),
                "data": getattr(error, "data", None),
                "http": body,
            }
        }


async def send(client, data, context):
    part = pb.Part()
    json_format.ParseDict(data, part.data.struct_value)
    message = pb.Message(message_id="m", role=pb.ROLE_USER, parts=[part])
    async for event in client.send_message(pb.SendMessageRequest(message=message), context=context):
        [part] = event.message.parts
        return {"data": json_format.MessageToDict(part.data)}
    return {"error": {"class": "nothing came back"}}


async def task(call, context):
    await call(context)
    return {"data": "an answer"}


async def walk(card, version, extensions):
    own = pb.AgentCard()
    own.CopyFrom(card)
    interfaces = [each for each in card.supported_interfaces if each.protocol_version.startswith(version)]
    del own.supported_interfaces[:]
    own.supported_interfaces.extend(interfaces)
    answers = []

    async def heard(response):
        answers.append({name: value for name, value in response.headers.items() if "a2a" in name})

    async with httpx.AsyncClient(
        headers={"X-Request-Id": PLAN["request_id"]}, timeout=60, event_hooks={"response": [heard]}
    ) as web:
        client = ClientFactory(ClientConfig(httpx_client=web)).create(own)
        context = None
        if extensions:
            context = ClientCallContext(service_parameters=ServiceParametersFactory.create([with_a2a_extensions(extensions)]))
        calls = {}
        for step in PLAN["calls"]:
            data = {"skill": step["skill"], **step["arguments"]}
            calls[step["name"]] = await outcome(send(client, data, context))
        config = pb.TaskPushNotificationConfig(task_id="t", url="https://example.com/hook")
        methods = {
            "GetTask": lambda c: client.get_task(pb.GetTaskRequest(id="t"), context=c),
            "CancelTask": lambda c: client.cancel_task(pb.CancelTaskRequest(id="t"), context=c),
            "CreateTaskPushNotificationConfig": lambda c: client.create_task_push_notification_config(config, context=c),
        }
        if version == "1.0":
            methods["ListTasks"] = lambda c: client.list_tasks(pb.ListTasksRequest(), context=c)
        for name, call in methods.items():
            calls[name] = await outcome(task(call, context))
    return {"version": version, "extensions": extensions, "calls": calls, "headers": answers}


async def main():
    async with httpx.AsyncClient(timeout=60) as web:
        card = await A2ACardResolver(web, PLAN["base"]).get_agent_card()
    sessions = [
        await walk(card, "1.0", []),
        await walk(card, "0.3", []),
        await walk(card, "1.0", [PLAN["extension"]]),
        await walk(card, "0.3", [PLAN["extension"]]),
    ]
    version = importlib.metadata.version("a2a-sdk")
    print(
        json.dumps(
            {"client": f"PyPI a2a-sdk {version}", "card": json_format.MessageToDict(card), "sessions": sessions}
        )
    )


asyncio.run(main())
