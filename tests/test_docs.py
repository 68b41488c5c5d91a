"""What the documents say is true: links lead somewhere, commands exist, examples run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_have_one_title(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1


def test_every_make_target_named_in_a_page_exists():
    targets = set(
        re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    )
    for page in PAGES:
        for line in re.findall(r"`make ([^`=]+?)(?: ID=[^`]*)?`", page.read_text("utf-8")):
            assert set(line.split()) <= targets, f"{page.name}: make {line}"


def test_every_verb_named_in_a_page_exists():
    from tripwire.cli.main import VERBS

    for page in PAGES:
        for verb in re.findall(
            r"(?:^ {4,}|`)tripwire ([a-z][\w-]+)", page.read_text("utf-8"), re.MULTILINE
        ):
            assert verb in {*VERBS, "hook"}, f"{page.name}: tripwire {verb}"


def test_readme_begins_with_the_two_commands():
    commands = re.findall(r"^ {4}(make \w+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]


def test_architecture_fits_on_a_page():
    assert (ROOT / "ARCHITECTURE.md").read_text("utf-8").count("\n") <= 150


def test_every_place_in_the_where_table_exists():
    table = (ROOT / "ARCHITECTURE.md").read_text("utf-8").split("## Where is")[1].split("##")[0]
    for name in re.findall(r"`([\w/]+\.py)`", table):
        found = (ROOT / "src/tripwire" / name).exists()
        assert found or name.startswith("act/rules/<"), name


def python_blocks():
    for page in [ROOT / "README.md", *(ROOT / "docs/tutorials").glob("*.md")]:
        blocks = re.findall(
            r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
        )
        for number, block in enumerate(blocks):
            yield pytest.param(block, id=f"{page.stem}-{number}")


@pytest.mark.parametrize("block", list(python_blocks()))
def test_python_examples_run(block, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", block],
        env={"TRIPWIRE_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if "mallory" in block:
        assert "sent to bob@corp.example" in done.stdout
        assert "sent to mallory" not in done.stdout


def test_changelog_has_an_unreleased_part():
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text("utf-8")
