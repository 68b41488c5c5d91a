"""The README of examples/hello-tripwire, command by command: the output is as printed there."""

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tripwire.cli.main import main

HERE = Path(__file__).parents[2] / "examples" / "hello-tripwire"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
STEP = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
SHELL = re.compile(r"[|<>;&$*]|^(?!tripwire |python )")
"""A line that only a shell can run; the others run here, which is the same and quicker."""


def steps(page):
    """Each command of the page, and the output that is printed below it."""
    return [step.groups() for block in BLOCK.findall(page) for step in STEP.finditer(block)]


def typed(line):
    """What a terminal would show for one line."""
    if SHELL.search(line):
        done = subprocess.run(
            ["bash", "-c", line],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        return done.stdout.decode()
    shown = io.StringIO()
    program, *words = shlex.split(line)
    with contextlib.redirect_stdout(shown):
        if program == "python":
            runpy.run_path(words[0], run_name="__main__")
        else:
            with contextlib.redirect_stderr(shown):
                main(words)
    return shown.getvalue()


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the example as the working directory, and a machine of its own."""
    place = tmp_path / "hello"
    shutil.copytree(HERE, place)
    monkeypatch.chdir(place)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TRIPWIRE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    yield place
    main(["daemon", "stop"])


def test_everything_happens_as_the_page_says(copy):
    page = (HERE / "README.md").read_text("utf-8")
    told = steps(page)
    assert len(told) > 15
    for line, printed in told:
        assert f"$ {line}\n{typed(line)}" == f"$ {line}\n{printed}"
    assert not (copy / "mended").exists()


def test_every_block_of_the_page_is_run():
    page = (HERE / "README.md").read_text("utf-8")
    assert page.count("\n$ ") == len(steps(page))
    assert page.count("```console") * 2 == page.count("```")
