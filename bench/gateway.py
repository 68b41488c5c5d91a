"""What the gateway adds to a call: an echo and a 100 KB result, through it and direct, interleaved.

`python -m bench.gateway [--quick]` prints JSON. Both ways lead to the same small server, in the
same run, one call after the other; the session on the gateway's way is real, journal included.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import IO

from bench.measure import machine

SERVER = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    if m["method"] == "initialize":
        r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}},
             "serverInfo": {"name": "s", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("echo", "page")]}
    else:
        a = m["params"]["arguments"]
        text = a["text"] if m["params"]["name"] == "echo" else (a["text"] + LINE) * 1700
        r = {"content": [{"type": "text", "text": text[:100_000]}]}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}) + "\\n")
    sys.stdout.flush()
"""
LINE = "The order of north stones left the harbour on paper 4711; see https://example.com/a.\n"
TARGETS = {"echo": 0.6, "page": 5.0}
"""Milliseconds that the gateway may add at p50."""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Peer:
    """A server process and the calls to it."""

    def __init__(self, words: list[str], home: Path, prefix: str) -> None:
        env = dict(os.environ, TRIPWIRE_HOME=str(home))
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
        )
        self.prefix = prefix
        self.number = 0
        self.ask("initialize", HELLO)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask("tools/list", {})

    def _pipe(self, pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise RuntimeError("the process has no pipe")
        return pipe

    def _write(self, message: dict[str, object]) -> None:
        stdin = self._pipe(self.process.stdin)
        stdin.write(json.dumps(message).encode() + b"\n")
        stdin.flush()

    def ask(self, method: str, params: object) -> bytes:
        """Send a request; the line that answers it."""
        self.number += 1
        self._write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self._pipe(self.process.stdout).readline()

    def call(self, tool: str, text: str) -> float:
        """Milliseconds of one call."""
        params = {"name": self.prefix + tool, "arguments": {"text": text}}
        begin = time.perf_counter()
        answer = self.ask("tools/call", params)
        took = (time.perf_counter() - begin) * 1000
        if b'"isError"' in answer or b'"error"' in answer:
            raise RuntimeError(f"the call failed: {answer[:300]!r}")
        return took

    def cpu(self) -> float:
        """Milliseconds of CPU that the process has used (Linux; else 0)."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text("ascii").split()[0]) for task in tasks) / 1e6

    def close(self) -> None:
        """End the process."""
        self._pipe(self.process.stdin).close()
        self.process.wait(10)


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 60 if words.parse_args().quick else 400
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        script = here / "server.py"
        script.write_text(f"LINE = {LINE!r}\n{SERVER}", "utf-8")
        server = [sys.executable, "-I", str(script)]
        config = here / "tripwire.yaml"
        upstream = {"name": "s", "command": server, "trust": "untrusted"}
        config.write_text(json.dumps({"state_dir": "state", "upstreams": [upstream]}), "utf-8")
        gateway = [sys.executable, "-m", "tripwire.cli.main", "run", "-c", str(config)]
        direct, guarded = Peer(server, here, ""), Peer(gateway, here, "s__")
        report: dict[str, object] = {"bench": "gateway", "machine": machine(), "rounds": rounds}
        good = True
        for tool, count in (("echo", rounds), ("page", rounds // 4)):
            found = measured(direct, guarded, tool, count)
            report[tool] = {**found, "target_p50_ms": TARGETS[tool]}
            good = good and found["added_p50_ms"] <= TARGETS[tool]
        report["ok"] = good
        direct.close()
        guarded.close()
    print(json.dumps(report, indent=1))


def measured(direct: Peer, guarded: Peer, tool: str, count: int) -> dict[str, float]:
    """Added milliseconds at p50 and p95, and the CPU of the gateway, over interleaved calls."""
    plain, through = [], []
    before = 0.0
    for n in range(count + 20):
        if n == 20:
            before = guarded.cpu()
        one, other = direct.call(tool, f"hello {n}"), guarded.call(tool, f"hello {n}")
        if n >= 20:  # the first calls warm both up
            plain.append(one)
            through.append(other)
    direct_q, guarded_q = quantiles(plain, n=100), quantiles(through, n=100)
    return {
        "direct_p50_ms": round(direct_q[49], 3),
        "gateway_p50_ms": round(guarded_q[49], 3),
        "added_p50_ms": round(guarded_q[49] - direct_q[49], 3),
        "gateway_cpu_ms": round((guarded.cpu() - before) / count, 3),
        "added_p95_ms": round(guarded_q[94] - direct_q[94], 3),
    }


if __name__ == "__main__":
    main()
