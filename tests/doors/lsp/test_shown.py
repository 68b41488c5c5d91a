"""What an editor shows of a plan: nothing that a tripwire says becomes a link, image or command."""

import re

from tripwire.doors.lsp import shown
from tripwire.doors.lsp.project import Project

LINK = "[a](command:b)"


def plan(root, **tripwires):
    (root / ".tripwires").mkdir()
    for name, text in tripwires.items():
        (root / ".tripwires" / f"{name}.yml").write_text(text)
    (root / LINK).write_text("x")
    project = Project(root)
    return project.plan(project.rules({}), str(root / LINK), None)


def outside_code(markdown):
    """Markdown without its fenced blocks and code spans."""
    text = re.sub(r"^(`{3,})text\n.*?^\1$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", text)


HOSTILE = f"""\
triggers: ["**", "{LINK}", "``` ![i](https://mallory.example/)"]
context: |
  ```
  ![i](https://mallory.example/) {LINK}
  ``````````
  <img src=x>
created_by: human
"""


def test_hostile_text_stays_text(tmp_path):
    found = plan(tmp_path, t=HOSTILE)
    text = shown.markdown(found, lambda file: f"file:///{file}")
    assert "mallory" in text
    left = outside_code(text)
    assert re.findall(r"\]\([^)]*\)", left) == ["](file:///.tripwires/t.yml)"]
    assert "<img" not in left
    assert "![" not in left
    assert LINK in shown.plain(found)
    assert "](" not in shown.message(found)


def test_many_tripwires_have_a_few_lenses_and_the_count_of_all(tmp_path):
    text = 'triggers: ["**"]\ncontext: x\ncreated_by: human\n'
    found = plan(tmp_path, **{f"t{n}": text for n in range(9)})
    lenses = shown.lenses(found, "file:///x")
    assert [lens.command.title for lens in lenses][:2] == ["9 tripwires", "warning t0"]
    assert len(lenses) == 1 + shown.MAX_LENSES
    (told,) = shown.information(found, lenses[0].range)
    assert told.message.endswith("warning t4 and 4 more")


def test_what_the_budget_leaves_out_is_said(tmp_path):
    (tmp_path / ".tripwirerc.yml").write_text("max_context_length: 10\n")
    found = plan(tmp_path, t='triggers: ["**"]\ncontext: a long sentence\ncreated_by: human\n')
    assert shown.lenses(found, "")[1].command.title == "warning t (not shown: context budget)"
    assert "context_budget" in shown.markdown(found, str)


def test_a_hover_has_an_end(tmp_path):
    found = plan(tmp_path, t=f'triggers: ["**"]\ncontext: {"x" * 40_000}\ncreated_by: human\n')
    text = shown.markdown(found, str)
    assert len(text) < shown.MAX_HOVER + 500
    assert "tripwire explain" in text
