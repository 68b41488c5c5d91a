"""Timing shared by the benchmarks: percentiles of repeated calls, machine facts."""

import os
import platform
import statistics
import time
from collections.abc import Callable


def percentile(samples: list[float], share: float) -> float:
    """The `share` (0..1) percentile of `samples`."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def timed(work: Callable[[], object]) -> float:
    """Seconds that one call of `work` took."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def summary_us(samples: list[float]) -> dict[str, float]:
    """p50 and p99 of samples in seconds, in microseconds."""
    return {
        "p50_us": round(statistics.median(samples) * 1e6, 1),
        "p99_us": round(percentile(samples, 0.99) * 1e6, 1),
    }


def machine() -> dict[str, object]:
    """What it ran on."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load_1m": round(os.getloadavg()[0], 2),
    }
