"""Prints the tools of every AgentDojo suite as `tools/list` does, for `draft-policy`: names,
descriptions and schemas, nothing of a task. Runs in AgentDojo's own environment.
"""

import json
import sys

from agentdojo.task_suite.load_suites import get_suites

VERSION = "v1.2.2"


def listed(suite) -> list[dict]:
    """The tools of one suite."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.parameters.model_json_schema(),
        }
        for tool in suite.tools
    ]


if __name__ == "__main__":
    json.dump({name: listed(suite) for name, suite in get_suites(VERSION).items()}, sys.stdout)
