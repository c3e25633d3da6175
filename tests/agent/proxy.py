#!/usr/bin/env python3
"""A proxy on the loopback: proxy.py PORTFILE SEEN PORT. Every connection that is asked of it (CONNECT) goes to PORT of this
machine, whatever its name; any other request is refused. All bytes that came from the client go into the file SEEN."""
import asyncio
import pathlib
import sys

portfile, seen, port = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])


async def pipe(reader, writer, keep):
    try:
        while data := await reader.read(65536):
            if keep:
                with seen.open("ab") as file:
                    file.write(data)
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def serve(reader, writer):
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        writer.close()
        return
    with seen.open("ab") as file:
        file.write(head)
    if not head.startswith(b"CONNECT "):
        writer.write(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()
        return
    to = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
    await asyncio.gather(pipe(reader, to[1], True), pipe(to[0], writer, False))


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    pathlib.Path(portfile).write_text(str(server.sockets[0].getsockname()[1]) + "\n")
    await server.serve_forever()


asyncio.run(main())
