"""How long a decision takes as a session grows: 10, 1,000 and 10,000 earlier calls of 4 KB results.

`python -m bench.decision [--quick]` prints JSON. The calls are judged by the real engine over the
shipped policy plus one guarded payment tool; `decide` is `Session.decide`, journal included.
"""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from bench.measure import machine, summary_us, timed
from tripwire.config.presets import policy_from_mapping
from tripwire.engine import Engine
from tripwire.io.session import open_session
from tripwire.model.event import SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.verdict import Verdict

POLICY = {
    "upstreams": [
        {"name": "crm", "command": ["true"], "trust": "trusted"},
        {"name": "payments", "command": ["true"], "trust": "trusted"},
    ],
    "rules": [
        {
            "id": "pay",
            "match": {"tool": "payments__send_*"},
            "sensitive_params": {
                "recipient": {"provenance": "trusted", "role": "destination"},
                "amount": {"provenance": "any", "role": "amount"},
            },
        }
    ],
}
WORDS = [
    "report",
    "order",
    "table",
    "value",
    "check",
    "build",
    "token",
    "parse",
    "north",
    "amber",
    "river",
    "stone",
    "paper",
    "light",
]
TARGET_US = 300
TARGET_GROWTH = 1.5


def result_text(dice: random.Random) -> str:
    """About 4 KB that look like a log or a page: words, ids, numbers, addresses, URLs."""
    lines = []
    size = 0
    while size < 4096:
        words = " ".join(dice.choice(WORDS) for _ in range(8))
        line = (
            f"{words} id-{dice.randrange(10**8):08d} {dice.randrange(10**6) / 100:.2f} "
            f"user{dice.randrange(10**5)}@mail{dice.randrange(500)}.example "
            f"https://site{dice.randrange(900)}.example/p/{dice.randrange(10**6)}"
        )
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


def earlier(number: int, dice: random.Random) -> ToolResult:
    """One earlier call: a page, a file, or a trusted record, in turn."""
    kind = number % 3
    if kind == 0:
        url = f"https://site{dice.randrange(900)}.example/p"
        return ToolResult(f"w{number}", "claude-code", "WebFetch", {"url": url}, result_text(dice))
    if kind == 1:
        path = f"/project/src/module{number}.py"
        return ToolResult(
            f"r{number}", "claude-code", "Read", {"file_path": path}, result_text(dice)
        )
    record = {
        "id": f"V-{number}",
        "name": f"Vendor {number}",
        "wallet": f"0x{dice.getrandbits(160):040x}",
        "notes": result_text(dice)[:3800],
    }
    answer = {"content": [{"type": "text", "text": json.dumps(record)}]}
    return ToolResult(f"v{number}", "crm", "get_vendor", {"id": f"V-{number}"}, answer)


def calls(number: int) -> list[ToolCall]:
    """The calls that are judged: an unseen page, a shell line, a file edit, a guarded payment."""
    payment = {"recipient": f"0x{number:040x}", "amount": 125.5 + number}
    edit = {"file_path": f"/project/src/m{number}.py", "old_string": "a", "new_string": "b"}
    line = f"cd /project && git diff --stat | head -{number} && pytest -q tests/t{number}.py"
    shell = {"command": line}
    page = {"url": f"https://unseen{number}.example/docs/page{number}"}
    return [
        ToolCall(f"p{number}", "claude-code", "WebFetch", page, cwd="/project"),
        ToolCall(f"s{number}", "claude-code", "Bash", shell, cwd="/project"),
        ToolCall(f"e{number}", "claude-code", "Edit", edit, cwd="/project"),
        ToolCall(f"m{number}", "payments", "send_payment", payment, cwd="/project"),
    ]


def measure(sizes: list[int], repeats: int) -> dict[str, object]:
    """Grow one session through `sizes`, judging `repeats` × 4 calls at each."""
    dice = random.Random(7)
    policy = policy_from_mapping(POLICY)
    engine = Engine(policy)
    engine.learn(SessionOpened("bench", cwd="/project"), Verdict())
    engine.learn(UserSaid("Fix the bug in the parser and report the order"), Verdict())
    learnt = 0
    report: dict[str, object] = {}
    for size in sizes:
        learning = []
        while learnt < size:
            event = earlier(learnt, dice)
            learning.append(timed(lambda e=event: engine.learn(e, Verdict())))
            learnt += 1
        samples = []
        for number in range(repeats):
            for call in calls(number):
                if number == 0:
                    engine.judge(call)  # builds what is built at first use
                samples.append(timed(lambda c=call: engine.judge(c)))
        report[str(size)] = {"judge": summary_us(samples), "learn_4kb": summary_us(learning)}
    return report


def measure_decide(repeats: int) -> dict[str, float]:
    """The whole `Session.decide` of a shell line, journal included."""
    policy = policy_from_mapping(POLICY)
    with tempfile.TemporaryDirectory() as folder:
        session = open_session(policy, root=Path(folder), name="bench", client="bench")
        session.decide(SessionOpened("bench", cwd="/project"))
        samples = [
            timed(lambda c=call: session.decide(c))
            for n in range(repeats)
            for call in calls(n)[1:3]
        ]
        session.close()
    return summary_us(samples)


def main() -> int:
    """Print the report; exit 1 if a ratio or the bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1,000 calls at most")
    options = parser.parse_args()
    sizes = [10, 1000] if options.quick else [10, 1000, 10_000]
    growth_report = measure(sizes, repeats=50 if options.quick else 200)
    first, last = (growth_report[str(size)]["judge"]["p50_us"] for size in (sizes[0], sizes[-1]))
    report = {
        "bench": "decision",
        "machine": machine(),
        "earlier_calls": growth_report,
        "decide_with_journal": measure_decide(50 if options.quick else 200),
        "growth_p50": round(last / first, 2),
        "targets": {"p50_us_at_largest": TARGET_US, "growth_p50": TARGET_GROWTH},
        "ok": last <= TARGET_US and last / first <= TARGET_GROWTH,
    }
    json.dump(report, sys.stdout, indent=2)
    print()
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
