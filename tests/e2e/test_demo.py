"""The demo, whole: real servers, three runs, and the record of the last one."""

import json
import os
import subprocess
import sys


def demo(tmp_path, *words):
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    return subprocess.run(
        [sys.executable, "-m", "tripwire", "demo", *words],
        capture_output=True,
        text=True,
        env=env,
        timeout=120,
        check=False,
    )


def test_the_attack_works_unguarded_and_fails_behind_tripwire(tmp_path):
    done = demo(tmp_path, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    unguarded, guarded, wrong_amount = told["runs"]
    assert unguarded["robbed"]
    assert guarded["refusals"] == ["provenance_violation"]
    assert wrong_amount["refusals"] == ["consensus_failed"]
    for run in (guarded, wrong_amount):
        assert not run["robbed"]
        assert [payment["amount"] for payment in run["paid"]] == [12480.0]
    assert told["verify"]["status"] == "ok"
    assert list(tmp_path.iterdir()) == [], "the demo leaves nothing behind"
