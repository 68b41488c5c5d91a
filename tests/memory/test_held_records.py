"""Records the session holds, and which of them the user's words pick out."""

from tripwire.memory.held_records import Held, HeldRecords, Source, records_in
from tripwire.model.label import Trust


def held(*records, said="", kind="file", own=False):
    memory = HeldRecords()
    memory.user_said(said)
    for record in records:
        for leaves in records_in(record):
            memory.add(Held(Source(kind, Trust.WORLD, True, 1), leaves, own, ""))
    return memory


def test_a_typed_title_picks_a_record_out():
    memory = held({"id": "1", "filename": "budget.xlsx"}, {"id": "2", "filename": "plan.txt"},
                  said="share budget.xlsx")  # fmt: skip
    assert memory.pinned(0).score == 1
    assert memory.pinned(1) is None


def test_words_of_a_name_pin_with_their_share():
    memory = held({"filename": "team-meeting-minutes.docx"}, said="the meeting minutes please")
    assert 0.5 <= memory.pinned(0).score < 1


def test_a_better_name_wins():
    memory = held({"filename": "team-meeting-minutes.docx"},
                  {"filename": "newest-client-meeting-minutes.docx"},
                  said="the team meeting minutes")  # fmt: skip
    assert memory.pinned(0) is not None
    assert memory.pinned(1) is None


def test_the_user_may_speak_later():
    memory = held({"filename": "budget.xlsx"}, said="hello")
    assert memory.pinned(0) is None
    memory.user_said("open budget.xlsx")
    assert memory.pinned(0).score == 1


def test_a_typed_amount_picks_a_transaction_out():
    memory = held({"amount": 10.0}, {"amount": 4.0}, said="refund that 10.00", kind="transaction")
    assert memory.pinned(0) is not None
    assert memory.pinned(1) is None


def test_free_text_is_no_structural_leaf():
    memory = held({"subject": "x@evil.example", "sender": "a@b.example"}, said="x")
    assert memory.records[0].holds("a@b.example")
    assert not memory.records[0].holds("x@evil.example")


def test_two_records_of_one_name_are_ambiguous():
    memory = held({"id": "1", "filename": "budget.xlsx"}, {"id": "2", "filename": "budget.xlsx"},
                  said="share budget.xlsx")  # fmt: skip
    assert memory.ambiguous(0)
    assert memory.ambiguous(1)


def test_the_same_record_twice_is_one():
    same = {"id": "1", "filename": "budget.xlsx"}
    memory = held(same, dict(same), said="share budget.xlsx")
    assert not memory.ambiguous(0)


def test_a_full_store_picks_nothing_out():
    memory = held({"filename": "budget.xlsx"}, said="share budget.xlsx")
    memory.full = True
    assert memory.pinned(0) is None
