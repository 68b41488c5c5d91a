"""A sample of the evasions really runs in bash, with a stub in place of the program."""

import os
import shutil
import subprocess

import pytest
from tests.act.shell.shells import cases

SAMPLE = cases("grammar.yaml")[::6]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_sample_of_evasions_has_effect_in_bash(tmp_path):
    stubs, project = tmp_path / "stubs", tmp_path / "project"
    stubs.mkdir()
    project.mkdir()
    (stubs / "curl").write_text('#!/bin/sh\necho run >> "$LOG"\n')
    (stubs / "curl").chmod(0o755)
    ran = 0
    for number, command in enumerate(SAMPLE):
        log = tmp_path / f"log{number}"
        subprocess.run(
            ["bash", "-c", command],
            cwd=project,
            env={"PATH": f"{stubs}:{os.defpath}", "LOG": str(log), "HOME": str(project)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=20,
            check=False,
        )
        ran += log.exists()
    assert ran >= 0.85 * len(SAMPLE)
