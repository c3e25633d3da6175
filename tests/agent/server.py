#!/usr/bin/env python3
"""A server of language models on the loopback, with faults: server.py PORTFILE [--replies FOLDER] [--faults RATE]
[--delay SECONDS] [--tls PEM] [--redirect URL]. Speaks chat completions (/v1/chat/completions) and Messages (/v1/messages), streamed. The answer to a
question is FOLDER/ROLE-CHAINSTEP (see scripted.py), else "answer to ID"; one that begins with !flood or !drip never ends. GET /stats tells what was called and
what it cost: tokens are billed for every call that was begun to be answered, whether or not the answer arrived."""
import argparse
import asyncio
import json
import pathlib
import random
import re
import ssl

options = argparse.ArgumentParser()
options.add_argument("portfile")
options.add_argument("--replies")
options.add_argument("--faults", type=float, default=0)
options.add_argument("--delay", type=float, default=0)
options.add_argument("--tls", help="file with key and certificate: the server is encrypted")
options.add_argument("--redirect", help="address that every call is sent on to")
options = options.parse_args()
stats = {"calls": 0, "now": 0, "most": 0, "answered": 0, "billed_in": 0, "billed_out": 0, "faults": {}, "auth": []}
attempts = {}


def reply_to(user):
    found = re.search(r"# Request (\S+)", user)
    name = found.group(1) if found else "none"
    verdict = re.search(r"## Verdict\n(.*)\n", user)
    text = f"answer to {name}"
    if options.replies and name.count("-") > 2:
        path = pathlib.Path(options.replies) / "-".join(name.split("-")[1:3])
        text = path.read_text() if path.exists() else "Nothing comes to my mind."
    return name, text.replace("@request@", name).replace("@cause@", verdict.group(1)[:40] if verdict else "")


def events(anthropic, text, tokens_in, tokens_out, told):
    pieces = [text[i : i + 60] for i in range(0, len(text), 60)]
    if anthropic:
        yield {"type": "message_start", "message": {"usage": {"input_tokens": tokens_in, "output_tokens": 1}}}
        for piece in pieces:
            yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": tokens_out}}
        yield {"type": "message_stop"}
        return
    for piece in pieces:
        yield {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    if told:
        yield {"choices": [], "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}}
    yield None


async def answer(writer, path, headers, body):
    path = path.partition("?")[0]
    if path == "/stats":
        text = json.dumps(stats)
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        return True
    stats["calls"] += 1
    stats["now"] += 1
    stats["most"] = max(stats["most"], stats["now"])
    try:
        return await converse(writer, path, headers, body)
    finally:
        stats["now"] -= 1


async def converse(writer, path, headers, body):
    question = json.loads(body)
    anthropic = path.endswith("/messages")
    auth = headers.get("x-api-key" if anthropic else "authorization", "")
    if auth not in stats["auth"]:
        stats["auth"].append(auth)
    assert question["stream"] and question["max_tokens"] > 0
    assert ("system" in question) == anthropic
    if options.redirect:
        writer.write(f"HTTP/1.1 307 Elsewhere\r\nLocation: {options.redirect}\r\nContent-Length: 0\r\n\r\n".encode())
        return False
    name, text = reply_to(question["messages"][-1]["content"])
    attempts[name] = attempts.get(name, 0) + 1
    luck = random.Random(f"{name} {attempts[name]}")
    fault = None
    if luck.random() < options.faults:
        fault = luck.choice(["drop", "429", "500", "truncate", "garbage", "delay", "untold", "cutline", "error"])
        stats["faults"][fault] = stats["faults"].get(fault, 0) + 1
    await asyncio.sleep(options.delay + (0.2 if fault == "delay" else 0))
    if fault == "drop":
        return False
    if fault in ("429", "500"):
        writer.write(f"HTTP/1.1 {fault} No\r\nRetry-After: 0\r\nContent-Length: 2\r\n\r\nno".encode())
        return True
    if text.startswith(("!flood", "!drip")):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        piece = json.dumps({"choices": [{"index": 0, "delta": {"content": "x" * (6000 if text.startswith("!flood") else 1)}}]})
        while not writer.is_closing(): # until the other side has had enough
            writer.write(f"data: {piece}\n\n".encode())
            await writer.drain()
            await asyncio.sleep(0 if text.startswith("!flood") else 0.2)
        return False
    tokens_in = len(body) // 4
    tokens_out = len(text) // 4 + 1
    stats["billed_in"] += tokens_in
    stats["billed_out"] += tokens_out
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    if fault == "garbage":
        writer.write(b"data: {\"choices\": [\xff\xfe not JSON\n\n")
        return False
    if fault == "error":
        writer.write(b'data: {"error": {"message": "overloaded"}}\n\n')
        return False
    stream = b""
    for event in events(anthropic, text, tokens_in, tokens_out, fault != "untold"):
        kind = f"event: {event['type']}\n" if anthropic else ""
        stream += (kind + "data: " + (json.dumps(event) if event else "[DONE]") + "\n\n").encode()
    if fault == "truncate":
        stream = stream[: stream.rfind(b'"content' if not anthropic else b"message_delta") - 20]
    if fault == "cutline":
        half = len(stream) // 2
        writer.write(stream[:half])
        await writer.drain()
        await asyncio.sleep(0.01)
        stream = stream[half:]
    writer.write(stream)
    stats["answered"] += fault != "truncate"
    return False


async def serve(reader, writer):
    try:
        keep = True
        while keep:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head[1:])}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            keep = await answer(writer, head[0].split()[1], headers, body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if options.tls else None
    if context:
        context.load_cert_chain(options.tls)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 24, ssl=context)
    pathlib.Path(options.portfile).write_text(str(server.sockets[0].getsockname()[1]) + "\n")
    await server.serve_forever()


asyncio.run(main())
