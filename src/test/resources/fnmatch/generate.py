"""Writes table.jsonl: what Python's fnmatch.fnmatchcase answers, one pattern a line: [pattern, [hits], [misses]].

Run it with Python 3.11 or later from any folder; the seed is fixed, so that the same table comes out again.
"""

import fnmatch
import json
import pathlib
import random
import re
import warnings

HAND = {
    "*": ["a", "dev:tap-to-target", "ä/%_", "🎉"],
    "?": ["a", "ab", "é", "🎉", "e\u0301"],
    "a*b": ["ab", "a🎉b", "abc", "xab", "a*b"],
    "**": ["a", "abc"],
    "a***b": ["ab", "axxb", "a"],
    "*a*a*a*a*b": ["a" * 60, "a" * 60 + "b"],
    "dev:*": ["dev:", "dev:tap", "Dev:tap", "xdev:tap"],
    "*:tap_a-*": ["dev:tap_a-to-b", "dev:tapXa-to-b"],
    "100%": ["100%", "1000"],
    "a.b": ["a.b", "axb"],
    "(a|b)+": ["(a|b)+", "a", "ab"],
    "^a$": ["^a$", "a"],
    "{1,2}": ["{1,2}", "1"],
    "a\\*": ["a\\x", "a*", "a\\"],
    "\\d": ["\\d", "1"],
    "[abc]": ["a", "b", "c", "d", "[abc]", "ab"],
    "[a-c]x": ["ax", "bx", "dx", "-x"],
    "[!a-c]": ["a", "d", "!", "-", "🎉"],
    "[^a]": ["^", "a", "b"],
    "[a^]": ["^", "a", "b"],
    "[]": ["[]", "]", "["],
    "[!]": ["[!]", "!", "]"],
    "[]]": ["]", "[", "[]]"],
    "[]a]": ["]", "a", "b"],
    "[!]]": ["]", "a"],
    "[!]a]": ["]", "a", "b", "!"],
    "[]-a]": ["]", "^", "_", "`", "a", "-", "b"],
    "[abc": ["[abc", "a", "abc"],
    "[": ["[", "a"],
    "a[": ["a[", "a"],
    "[[]": ["[", "]", "[[]"],
    "[[:alpha:]]": ["a]", ":]", "[]", "a", "p]"],
    "[c-a]": ["a", "b", "c", "-", "[c-a]"],
    "[!c-a]": ["a", "b", "c", "-", "🎉"],
    "x[c-a]*": ["x", "xa", "xc"],
    "[c-ab]": ["a", "b", "c", "-"],
    "[c-ad-f]": ["c", "a", "d", "e", "f", "-"],
    "[b-a!c]": ["a", "b", "c", "!", "d"],
    "[b-a!-z]": ["!", "-", "z", "y", "a", "5"],
    "[b-a!-zq]": ["!", "-", "z", "q", "y", "a"],
    "[b-a!-zq-s]": ["!", "-", "z", "q", "r", "s", "a"],
    "[b-a^c]": ["^", "c", "a", "b"],
    "[b-a[c]": ["[", "c", "a", "b"],
    "[-a]": ["-", "a", "b"],
    "[a-]": ["-", "a", "b"],
    "[!-a]": ["-", "a", "b", "!"],
    "[!a-]": ["-", "a", "b", "!"],
    "[!--z]": ["-", "z", "!", "a", "+"],
    "[--0]": ["-", ".", "/", "0", "1"],
    "[+--]": ["+", ",", "-", "."],
    "[---]": ["-", "a"],
    "[a-c-e]": ["a", "b", "c", "d", "e", "-"],
    "[a--c]": ["a", "b", "c", "-", "."],
    "[\\]": ["\\", "]", "a"],
    "[\\d]": ["\\", "d", "1"],
    "[!\\]": ["\\", "a"],
    "[\\-a]": ["\\", "]", "^", "a", "-", "Z"],
    "[a&&b]": ["a", "b", "&"],
    "[a||b]": ["a", "b", "|"],
    "[a~~b]": ["a", "b", "~"],
    "[a--b]": ["a", "b", "-"],
    "[.]": [".x", "a", "..."],
    "[😀-😎]": ["😀", "😃", "😎", "🎉", "a"],
    "[!😀-😎]": ["😃", "🎉", "a"],
    "[a-🎉]": ["z", "é", "\uffff", "😀", "🎉", "🎊", "A"],
    "[\ud7ff-\ue000]": ["\ud7ff", "\ue000", "\ue001", "a"],
    "a b": ["a b", "ab"],
    "#": ["#", "a"],
    "a\tb": ["a b", "atb"],
    "\x7f*": ["a"],
    "[\x01-c]": ["a", " ", "d"],
}

ALPHABETS = ["ab", "abc-", "ab*?", "a!]-[", "ab[]!-^", "\\[]a-", ".$^|()+{}a", "abAB_%", "é🎉😀a", "&~|-a[]", " #/:;a"]


def text(rng, alphabet, most):
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(1, most)))


def pattern(rng, alphabet):
    pieces = []
    for _ in range(rng.randint(1, 5)):
        kind = rng.random()
        if kind < 0.2:
            pieces.append("*")
        elif kind < 0.35:
            pieces.append("?")
        elif kind < 0.6:
            pieces.append("[" + rng.choice(["", "", "!"]) + text(rng, alphabet + "-", 6) + "]")
        else:
            pieces.append(text(rng, alphabet, 3))
    return "".join(pieces)


def expansion(rng, alphabet, glob):
    """A text that has a fair chance to match."""
    out = re.sub(r"\[.[^\]]*\]", lambda m: rng.choice(m.group(0)[1:-1] + alphabet), glob)
    return re.sub(r"[*?]", lambda m: text(rng, alphabet, 1 if m.group(0) == "?" else 3), out)


def main():
    rng = random.Random(20240229)
    table = {glob: list(texts) for glob, texts in HAND.items()}
    while len(table) < 1500:
        alphabet = rng.choice(ALPHABETS)
        glob = pattern(rng, alphabet)
        texts = [text(rng, alphabet, 4) for _ in range(2)] + [expansion(rng, alphabet, glob) for _ in range(4)]
        table.setdefault(glob, []).extend(texts)
    lines = []
    for glob, texts in table.items():
        ids = sorted(set(texts) - {".", ".."})
        hits = [t for t in ids if fnmatch.fnmatchcase(t, glob)]
        lines.append(json.dumps([glob, hits, [t for t in ids if t not in hits]]))
    pathlib.Path(__file__).with_name("table.jsonl").write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
