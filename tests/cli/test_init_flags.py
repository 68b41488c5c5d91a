"""What the flags of `init` ask for."""

from tripwire.cli.init_flags import Options, wanted_by


def test_yes_alone_names_nothing_to_set_up():
    wanted = wanted_by(Options(yes=True), [])
    assert (wanted.read, wanted.gateway, wanted.hooks) == (False, False, False)


def test_no_flag_at_all_is_the_reading_side():
    assert wanted_by(Options(), []).read
    assert wanted_by(Options(yes=True, read=True), []).read
