"""The guard of a stream: microseconds a token, flat however long the reply; hostile text.

`python -m bench.say_guard [--quick]` prints JSON. The packs `default` and `property-sales`,
tokens of four characters, times by the wall clock of each call; hostile texts cold and warm.
"""

import argparse
import json
import random
import sys
import time
from contextlib import suppress
from statistics import quantiles

from bench.measure import machine
from tripwire import say
from tripwire.doors.say_library import BUILTIN
from tripwire.errors import TripwireAbort

PROSE = (
    "the team agreed on next steps and will report back soon order build table Value check 12 of"
    " 20, price is 45 with floor plan today. Visit us"
)
HOSTILE = {
    "newlines": "\n",
    "eyJ": "eyJ",
    "digits": "7",
    "braces": "{{",
    "a.": "a.",
    "letters": "a",
}
TARGET_US, TARGET_P99_US, TARGET_RATIO = 4.0, 20.0, 1.2
TARGET_REVIEW_MS, TARGET_DELTA_MS = 50.0, 5.0


def tokens(count: int, *, foreign: bool) -> list[str]:
    """Four characters each; with a word beyond ASCII in every fifth if `foreign`."""
    dice, words = random.Random(3), PROSE.split()
    text = " ".join(dice.choice(words) for _ in range(count))
    found = [text[at : at + 4] for at in range(0, 4 * count, 4)]
    if foreign:
        found[::5] = [token[:3] + "\u00e9" for token in found[::5]]
    return found


def streamed(parts: list[str]) -> dict[str, float]:
    """Microseconds of each `on_chunk`."""
    guard = say.create_streaming_guard()
    took = []
    for part in parts:
        begin = time.perf_counter_ns()
        guard.on_chunk(part)
        took.append((time.perf_counter_ns() - begin) / 1000)
    guard.flush()
    cuts = quantiles(took, n=100)
    return {"p50_us": round(cuts[49], 2), "p99_us": round(cuts[98], 2)}


def hostile(unit: str) -> dict[str, float]:
    """Milliseconds of one delta of 16,384 characters, and of a review of 100,000."""
    delta, reply = (unit * (n // len(unit)) for n in (16_384, 100_000))
    found = {}
    for phase in ("cold", "warm"):
        begin = time.perf_counter_ns()
        with suppress(TripwireAbort):
            say.create_streaming_guard().on_chunk(delta)
        found[f"delta_{phase}_ms"] = round((time.perf_counter_ns() - begin) / 1e6, 1)
        begin = time.perf_counter_ns()
        say.check_response(reply)
        found[f"review_{phase}_ms"] = round((time.perf_counter_ns() - begin) / 1e6, 1)
    return found


def main() -> int:
    """Print the report; exit 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10,000 tokens at most")
    most = 10_000 if parser.parse_args().quick else 100_000
    streamed(tokens(2_000, foreign=False))
    short, long = (streamed(tokens(n, foreign=False)) for n in (100, most))
    report = {
        "bench": "say_guard",
        "machine": machine(),
        "rules": len(BUILTIN),
        "tokens_100": short,
        f"tokens_{most}": long,
        "foreign": streamed(tokens(most // 10, foreign=True)),
        "hostile": {name: hostile(unit) for name, unit in HOSTILE.items()},
        "ratio": round(long["p50_us"] / short["p50_us"], 2),
        "targets": {"p50_us": TARGET_US, "p99_us": TARGET_P99_US, "ratio": TARGET_RATIO,
                    "review_ms": TARGET_REVIEW_MS, "delta_ms": TARGET_DELTA_MS},
    }  # fmt: skip
    worst = report["hostile"].values()
    report["ok"] = (
        long["p50_us"] <= TARGET_US
        and long["p99_us"] <= TARGET_P99_US
        and report["ratio"] <= TARGET_RATIO
        and max(row["review_warm_ms"] for row in worst) <= TARGET_REVIEW_MS
        and max(row["delta_warm_ms"] for row in worst) <= TARGET_DELTA_MS
    )
    json.dump(report, sys.stdout, indent=2)
    print()
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
