"""Benchmarks: ratios against a floor of the same run gate, absolute times are reported."""
