"""Our path globs against npm micromatch (dot on): equal but for the listed differences.

Needs Node and npm (micromatch is installed once into `.build/`); `make test-slow`.
The differences, each with its reason, are in docs/reference/globs.md and in DIFFERENCES below.
"""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tripwire.text.path_glob import compile_pattern

ROOT = Path(__file__).parents[2]
NODE = ROOT / ".build" / "micromatch"
PACKAGE = "micromatch@4.0.8"
SCRIPT = """
const mm = require('micromatch');
const pairs = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const one = ([pattern, path]) => mm.isMatch(path, pattern, {dot: true});
console.log(JSON.stringify(pairs.map(one)));
"""
PAIRS = 20_000
ATOMS = [
    *(
        "a",
        "b",
        "ab",
        "A",
        ".",
        "-",
        "_",
        "x1",
        ".ts",
        ".js",
        "é",
        "+",
        "@",
        "!",
        "$",
        "^",
        "#",
        " ",
    ),
    *("*", "?", "**", "a*", "*b", "*.ts", "[ab]", "[^a]", "[a-c]", "[!a]", "[[:alpha:]]", "[z-a]"),
    *("{a,b}", "{a,{b,.ts}}", "{,a}", "{c..a}", "{1..3}", "{10..8}", "{a}", "{a,b/c}", "{", "}"),
    *(
        "@(a|b)",
        "?(a)",
        "*(a|b)",
        "+(ab|b)",
        "!(a)",
        "!(a|b)",
        "+(!(a)b)",
        "@(a/b|c)",
        "(a)",
        "(a|b)",
    ),
    *("(", ")", "[", "]", '"a"', r"\*", r"\[", "|"),
]
ORDINARY = [
    atom for atom in ATOMS if not re.search(r"^[!(){}\[\]|]$|[!(|]\(|^\(|:|z-a|\.\.|\"", atom)
]
SEGMENTS = [
    *("a", "b", "ab", "A", ".a", "a.ts", "b.ts", "a-b", "a_b", "x1", "ba", "aab", "abab", "é", "*"),
    *(
        "[",
        "a[ab]",
        "(a)",
        "{a}",
        " ",
        "a+",
        "c",
        "1",
        "2",
        "9",
        "10",
        "b.js",
        "abc",
        "!a",
        "$",
        "^",
    ),
]

# What a pattern must look like for the two to differ, and why.
DIFFERENCES = {
    "complement": (r"!\(", "`!(x)` is any name but x; micromatch also rejects what begins with x"),
    "plain group": (r"(?<![?*+@!])\(", "`(a)` is also its own text; there `+ ?` after it repeat"),
    "unclosed": (r"$ ", "an unclosed parenthesis is literal; there it becomes part of a regex"),
    "regex plus": (
        r"[\])}][+?]",
        "after a class or group `+` and `?` mean no repeat, as in a regex",
    ),
    "reversed range": (r"z-a", "only the class never matches; there the whole pattern does not"),
    "posix": (
        r"\[\[:alpha:\]\]",
        "a POSIX class may be followed by anything; there it swallows it",
    ),
    "range": (
        r"\{\w+\.\.\w+\}",
        "a range expands; there it is a class, and text before it is lost",
    ),
    "two dollars": (r"\$\$", "`$$` is literal; there a text replacement eats one"),
    "quotes": (r'"', "quoted text is literal; there it is lost next to a brace or group"),
    "bar": (r"\|", "`|` outside a group is literal; there it is an alternative"),
    "two stars": (
        r"(?<![^/])\*\*[^/]|[})]\*\*",
        "`**` inside a segment is `*`; there sometimes not",
    ),
    "negated twice": (
        r"^!|^\./!",
        "`!` alone negates nothing; `!` before a broken pattern differs",
    ),
    "empty end": (
        r"/\*\*/.*(\{,|[?*]\()",
        "`a/**/` needs a segment after it even if that may be empty",
    ),
}


def documented(pattern):
    """The names of the differences that may show in a pattern."""
    bare = re.sub(r"\\.|\[[^\]]+\]", "", pattern)
    names = {name for name, (sign, _) in DIFFERENCES.items() if re.search(sign, pattern)}
    depth = 0
    for char in bare:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth < 0:
            break
    return names | ({"unclosed"} if depth else set())


def micromatch(pairs):
    """Its answers, in order."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("needs node and npm")
    if not (NODE / "node_modules" / "micromatch").is_dir():
        NODE.mkdir(parents=True, exist_ok=True)
        words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-save"]
        done = subprocess.run([*words, "--prefix", str(NODE), PACKAGE], check=False, timeout=120)
        if done.returncode:
            pytest.skip("micromatch cannot be installed")
    done = subprocess.run(
        ["node", "-e", SCRIPT],
        input=json.dumps(pairs),
        capture_output=True,
        text=True,
        check=True,
        cwd=NODE,
    )
    return json.loads(done.stdout)


def drawn(seed):
    """Random pattern and path pairs."""
    dice = random.Random(seed)

    def segment(atoms):
        if dice.random() < 0.12:
            return "**"
        return "".join(dice.choice(atoms) for _ in range(dice.choice([1, 1, 2, 2, 3])))

    def joined(part, of):
        return "/".join(part(of) for _ in range(dice.choice([1, 1, 2, 2, 3])))

    atoms = [ATOMS if number % 4 == 0 else ORDINARY for number in range(PAIRS)]
    return [[joined(segment, of), joined(dice.choice, SEGMENTS)] for of in atoms]


def related(seed):
    """Pairs that match more often: the path is made from the pattern's own pieces."""
    dice = random.Random(seed)
    pairs = []
    for pattern, _ in drawn(seed):
        path = re.sub(r"\*\*/?|[*?]", lambda _: dice.choice(["a", "x/y/", "b", ""]), pattern)
        path = re.sub(r"[\[\](){}|@+!\\\"^:]", lambda _: dice.choice(["", "", "a"]), path)
        path = re.sub("/+", "/", path.replace(",", dice.choice(["", "b"]))).strip("/")
        if path and not {".", ".."}.intersection(path.split("/")):  # no normalised path
            pairs.append([pattern, path])
    return pairs


@pytest.mark.slow
@pytest.mark.parametrize("draw", [drawn, related])
def test_20_000_pairs_differ_only_as_documented(draw):
    pairs = draw(4)
    theirs = micromatch(pairs)
    undocumented, found = [], 0
    for (pattern, path), expected in zip(pairs, theirs, strict=True):
        if compile_pattern(pattern).matches(path) is expected:
            continue
        found += 1
        if not documented(pattern):
            undocumented.append((pattern, path, expected))
    assert undocumented == []
    assert found < len(pairs) * 0.03
    assert sum(theirs) > len(pairs) * 0.05, "too few pairs match to tell anything"
