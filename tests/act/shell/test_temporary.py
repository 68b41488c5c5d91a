"""Which deletions of Python code are of the program's own temporary files."""

import ast

import pytest

from tripwire.act.shell.temporary import temporary_names

OWN = [
    "import tempfile\nt = tempfile.mkdtemp()",
    "from tempfile import mkdtemp\nt = mkdtemp()",
    "import tempfile, os\nd = tempfile.mkdtemp()\nt = os.path.join(d, 'a.txt')",
    "import tempfile\nfrom pathlib import Path\nd = Path(tempfile.mkdtemp())\nt = d / 'x'",
    "import tempfile\nwith tempfile.NamedTemporaryFile(delete=False) as f:\n    t = f.name",
    "import tempfile\nfd, t = tempfile.mkstemp(suffix='.db')",
    "import tempfile\nwith tempfile.TemporaryDirectory() as d:\n    t = f'{d}/x'",
]
NOT_OWN = [
    "t = '/home/user'",
    "import tempfile\nt = tempfile.mkdtemp()\nt = '/home/user'",
    "import tempfile, os\nd = tempfile.mkdtemp()\nt = os.path.join(d, '../../home')",
    "import tempfile, os\nd = tempfile.mkdtemp()\nt = os.path.join(d, other)",
    "import tempfile\nt = tempfile.mkdtemp(dir='/home/user')",
    "import tempfile\nt = tempfile.mkdtemp('', '', '/home/user')",
    "def mkdtemp(): return '/home/user'\nt = mkdtemp()",
    "import evil as tempfile\nt = tempfile.mkdtemp()",
    "from evil import mkdtemp\nt = mkdtemp()",
    "class tempfile:\n    mkdtemp = lambda: '/'\nt = tempfile.mkdtemp()",
    "import tempfile\ntempfile.mkdtemp = lambda: '/'\nt = tempfile.mkdtemp()",
    "import tempfile\nsetattr(tempfile, 'mkdtemp', lambda: '/')\nt = tempfile.mkdtemp()",
    "import tempfile\nt = tempfile.mkdtemp()\nfor t in ['/home']: pass",
    "import tempfile\nt = tempfile.mkdtemp()\ndef f(t): pass",
    "import tempfile\nt = tempfile.mkdtemp()\nt += '/../..'",
]


@pytest.mark.parametrize("code", OWN)
def test_made_by_the_program_itself(code):
    assert "t" in temporary_names(list(ast.walk(ast.parse(code))))


@pytest.mark.parametrize("code", NOT_OWN)
def test_anything_else_is_not(code):
    assert "t" not in temporary_names(list(ast.walk(ast.parse(code))))
