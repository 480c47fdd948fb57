"""Tasks through the PyPI client `a2a-sdk`: it streams, is asked, cancels, comes back, lists, and reads the final problem.

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
from a2a.types import a2a_pb2 as pb
from google.protobuf import json_format

logging.disable(logging.WARNING)

PLAN = json.loads(os.environ["AON_PLAN"])


def request(data=None, text=None, **named):
    part = pb.Part()
    if data is None:
        part.text = text
    else:
        json_format.ParseDict(data, part.data.struct_value)
    return pb.SendMessageRequest(message=pb.Message(message_id="m", role=pb.ROLE_USER, parts=[part], **named))


def shown(event):
    """What one event of the client is: its kind, the state it tells of, and the object."""
    kind = event.WhichOneof("payload")
    body = getattr(event, kind)
    state = pb.TaskState.Name(body.status.state) if kind in ("task", "status_update") else None
    return {"kind": kind, "state": state, "body": json_format.MessageToDict(body)}


async def collect(events, most=1000):
    seen = []
    async for event in events:
        seen.append(shown(event))
        if len(seen) >= most:
            break
    return seen


def task_id(events):
    body = events[0]["body"]
    return body.get("id") or body.get("taskId")


async def walk(card, version, binding):
    own = pb.AgentCard()
    own.CopyFrom(card)
    fits = [each for each in card.supported_interfaces if each.protocol_version.startswith(version) and each.protocol_binding == binding]
    del own.supported_interfaces[:]
    own.supported_interfaces.extend(fits)
    async with httpx.AsyncClient(timeout=60) as web:
        config = ClientConfig(httpx_client=web, supported_protocol_bindings=[binding])
        client = ClientFactory(config).create(own)
        rollout = {"skill": "possibility_rollout", "id": "acme"}
        out = {"version": version, "binding": binding}
        out["streamed"] = await collect(client.send_message(request({**rollout, "steps": 3, "fails": True})))
        asked = await collect(client.send_message(request({"skill": "possibility_auth_guided", "id": "acme", "auth_ux": "magic"})))
        out["asked"] = asked
        out["answered"] = await collect(client.send_message(request(text="hosted", task_id=task_id(asked))))
        begun = await collect(client.send_message(request({**rollout, "steps": 10})), 2)
        hook = {"task_id": task_id(begun), "id": "mine"}
        known = {"token": "known-by-this", "authentication": pb.AuthenticationInfo(scheme="Bearer", credentials="let-me-in")}
        address = f"{PLAN['hook']}/{version}/{binding}"
        await client.create_task_push_notification_config(pb.TaskPushNotificationConfig(url=address, **hook, **known))
        gone = {**hook, "id": "gone"}
        await client.create_task_push_notification_config(pb.TaskPushNotificationConfig(url=f"{PLAN['hook']}/gone", **gone))
        await client.delete_task_push_notification_config(pb.DeleteTaskPushNotificationConfigRequest(**gone))
        told = await client.get_task_push_notification_config(pb.GetTaskPushNotificationConfigRequest(**hook))
        out["hook"] = json_format.MessageToDict(told)
        listed = await client.list_task_push_notification_configs(pb.ListTaskPushNotificationConfigsRequest(task_id=task_id(begun)))
        out["hooks"] = [each.id for each in listed.configs]
        out["resubscribed"] = await collect(client.subscribe(pb.SubscribeToTaskRequest(id=task_id(begun))))
        begun = await collect(client.send_message(request({**rollout, "steps": 300})), 2)
        cancelled = await client.cancel_task(pb.CancelTaskRequest(id=task_id(begun)))
        out["cancelled"] = pb.TaskState.Name(cancelled.status.state)
        got = await client.get_task(pb.GetTaskRequest(id=task_id(asked)))
        out["got"] = json_format.MessageToDict(got)
        if version == "1.0":
            listed = await client.list_tasks(pb.ListTasksRequest(context_id=got.context_id))
            out["listed"] = [task.id for task in listed.tasks]
        try:
            await collect(client.send_message(request({"skill": "possibility_auth_configuration", "id": "private", "auth_ux": "custom"})))
        except Exception as error:
            out["refused"] = {"class": type(error).__name__, "message": str(error), "data": getattr(error, "data", None)}
    return out


async def main():
    async with httpx.AsyncClient(timeout=60) as web:
        card = await A2ACardResolver(web, PLAN["base"]).get_agent_card()
    walks = [await walk(card, *each) for each in (("1.0", "JSONRPC"), ("1.0", "HTTP+JSON"), ("0.3", "JSONRPC"))]
    version = importlib.metadata.version("a2a-sdk")
    print(json.dumps({"client": f"PyPI a2a-sdk {version}", "walks": walks}))


asyncio.run(main())
