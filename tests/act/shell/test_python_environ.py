"""Setting a variable of the environment reads none."""

import pytest
from tests.act.shell.shells import effects

from tripwire.model.label import Label


@pytest.mark.parametrize(
    ("code", "secret"),
    [
        ("import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'x'", False),
        ("import os; os.environ.setdefault('A', 'b')", False),
        ("import os; print(os.environ.setdefault('A', 'b'))", True),
        ("import os; print(os.environ)", True),
        ("import os; os.environ['A'] = 'b'; print(os.environ['B'])", True),
        ("import os; e = os.environ; print(e)", True),
    ],
)
def test_environ(code, secret):
    assert (Label.SECRET in effects(f'python3 -c "{code}"').labels) == secret
