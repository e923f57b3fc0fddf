"""Secrets in texts: what is left out, what stays, and how long that takes."""

import hashlib
import re
import time
import uuid
from collections.abc import Iterator
from email import message
from http import client, cookiejar
from pathlib import Path

import pytest

from readgraph.sources.secrets import without_secrets
from tests.support.command import Command
from tests.support.secret_texts import make_secrets
from tests.support.source_files import write_file

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
LEFT_OUT = re.compile(r"…\([\d,]+ characters left out\)")
KEY = "sk-" + "a1B2" * 8


def test_of_500_made_forms_at_most_one_percent_is_left() -> None:
    left = [
        text
        for text, secrets in make_secrets(500)
        for shown in [without_secrets(text)]
        if any(secret[place : place + 6] in shown for secret in secrets for place in range(max(1, len(secret) - 5)))
    ]
    assert len(left) <= 5, left


def ordinary_texts() -> Iterator[str]:
    """Pages, programs that deal with passwords and cookies, and a log with commits, checksums and UUIDs."""
    pages = [*sorted((ROOT / "docs" / "guides").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    programs = [ROOT / "readgraph" / "cli" / "faults.py", ROOT / "readgraph" / "doors" / "serve" / "guard.py"]
    for path in [*pages[:12], *programs, *(Path(str(module.__file__)) for module in (client, cookiejar, message))]:
        yield path.read_text(encoding="utf-8")
    for number in range(300):
        digest = hashlib.sha256(b"%d" % number).hexdigest()
        yield (
            f"2026-03-12T19:40:{number % 60:02} commit {digest[:40]} pushed by anna, {uuid.UUID(digest[:32])}\n"
            f"sha256:{digest} image:{digest[:12]} --hash=sha256:{digest} {digest[:32]}  lamp-{number}.2.tar.gz\n"
            f"the token expired; password is required, max_tokens=4096, key: value, see /usr/share/doc/lamp/README\n"
        )


def test_of_ordinary_words_at_most_one_in_a_thousand_is_lost() -> None:
    texts = [*ordinary_texts()]
    lost = [line for text in texts for line in without_secrets(text).splitlines() if LEFT_OUT.search(line)]
    assert len(lost) <= sum(len(text.split()) for text in texts) / 1000, lost


@pytest.mark.parametrize(
    "text,shown",
    [
        (KEY, "sk-…(32 characters left out)"),
        (f"export OPENAI_API_KEY={KEY}", "export OPENAI_API_KEY=sk-…(32 characters left out)"),
        ('{"password": "hunter2 x"}', '{"password": "…(9 characters left out)"}'),
        ("postgres://me:pass@host/db", "postgres://me:…(4 characters left out)@host/db"),
        ("-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----\nrest", None),
        ("AKIA" + "A1B2C3D4E5F6G7H8", "AKIA…(16 characters left out)"),
        ("SECRET_TOKEN = abc123def", "SECRET_TOKEN = …(9 characters left out)"),
        ("curl -u me:hunter2 https://host", "curl -u me:…(7 characters left out) https://host"),
        ("Cookie: sid=abc; theme=dark", "Cookie: sid=…(3 characters left out); theme=…(4 characters left out)"),
        ("Das Passwort lautet „geheim“.", "Das Passwort lautet „…(6 characters left out)“."),
        ("mysql -uroot -p$PW -P 3306 shop", "mysql -uroot -p$PW -P 3306 shop"),
    ],
)
def test_the_shape_of_a_secret_stays(text: str, shown: str | None) -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    left = without_secrets(text)
    assert left == (f"{begin}…(3 characters left out){end}\nrest" if shown is None else shown)
    assert without_secrets(left) == left


@pytest.mark.parametrize(
    "text",
    [
        "tool auth --with-token\nthen a word",
        "MAX_TOKEN=4096, KEY=build, TOKEN=$(cat f), docker -u 1000:1000, --token-limit 500000",
        "max_tokens=500000, password: str, basic understanding, the token: nothing more",
        "password = getpass(), token = self.token, api_key=os.environ['API_KEY'], secret: ${{ secrets.X }}",
        "the password is wrong; the password is stored in a file; the password is required.",
        "https://github.com/owner/name/commit/" + "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "token_type: bearer, secret_name: lamp, tokenizer = 'o200k_base', primary_key=True, status code 404",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFy4kQ9vT2w8Zr3PqLm5XsN7bJc1Yd0HgUe6KtVaRoMi anna@lamp",
        '"integrity": "sha512-' + "vT2w8Zr3PqLm5XsN7bJc1Yd0HgUe6KtVaRoMi" * 2 + '=="',
        "request 01ARZ3NDEKTSV4RRFFQ69G5FAV took 3 ms; Qwen2VLForConditionalGeneration-7B-Instruct-AWQ",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


ADVERSE = (
    "a|=|'|\"|aA1|eyJ|sk-|://|password|password: |password=\"|bearer |-----BEGIN PRIVATE KEY-----|token='"
    "|key=|key=“|--api-|A_"
    "| -u a:|curl -u |env token |pass |echo 'a|code 1|seed word |Cookie: a=b; |Authorization: OAuth a=b,|$1$"
    "|backup codes: a1 |echo a > |connect('a', |put-parameter "
)


@pytest.mark.parametrize("run", ADVERSE.split("|"))
@pytest.mark.slow
def test_secrets_are_looked_for_in_linear_time(run: str) -> None:
    seconds = []
    for characters in (80_000, 320_000):
        began = time.process_time()
        without_secrets(run * (characters // len(run)))
        seconds.append(time.process_time() - began)
    assert seconds[1] < 8 * seconds[0] + 0.2 and seconds[1] < 5


def test_on_request_no_text_that_is_remembered_keeps_secrets(tmp_path: Path, readgraph: Command) -> None:
    mail = f"From: a@b.org\nTo: c@d.org\nSubject: Lamp\nDate: Thu, 12 Mar 2026 08:00:00 +0000\n\nUse {KEY} for it.\n"
    path = write_file(tmp_path / "lamp.eml", mail)
    for number, options in enumerate(([], ["--no-secrets"])):
        readgraph("remember", f"days{number}", path, *options)
        shown = readgraph("show", f"days{number}", "--part", "0").text
        assert (KEY in shown) == (not options) and ("sk-…(32 characters left out)" in shown) == bool(options)
