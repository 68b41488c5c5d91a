"""Names in a goal (gateway.md C-9)."""

import pytest

from tripwire.act.goal_words import groups, required
from tripwire.memory.records import Records


def records(*names):
    known = Records()
    known.learn([{"id": f"R-{n}", "name": name} for n, name in enumerate(names)], "s")
    return known


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("Pay the outstanding Acme Corp invoice #7741", [["acme", "corp"], ["7741"]]),
        ("Settle our June bill from Acme Corp", [["acme", "corp"]]),
        ("Pay Acme and Globex, then Initech", [["acme"], ["globex"], ["initech"]]),
        ("Payer la facture d'Acme", [["acme"]]),
        ("向北京公司付款", [["北京公司"]]),
        ("Pay 500 USDC on 2026-06-15", []),
        ("Оплатить счет для Ромашка", [["ромашка"]]),
    ],
)
def test_groups(goal, names):
    assert groups(goal, records("Acme Corp", "北京公司")) == names


def test_a_name_is_narrowed_down_from_its_rarest_word():
    known = records("Acme Industrial", "Globex Industrial")
    assert required(["acme", "industrial"], known) == {"acme", "industrial"}
    assert required(["industrial"], known) == {"industrial"}
    assert required(["corp"], known) == frozenset()
