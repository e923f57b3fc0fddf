"""Looks an environment's packages up among known vulnerabilities, and writes its software bill of materials.

`python .ci/audit.py TOOLS PYTHON`: TOOLS is the folder that has the programs pip-audit and cyclonedx-py, PYTHON that of
the environment. Where the vulnerability database can't be reached it says "skipped"; a bill that lacks a package is an
error.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

MOST_SECONDS_OF_SERVERS = 45
MOST_SECONDS_OF_A_BILL = 600  # it asks no server: a slow machine, busy with other sections, needs a minute and more
HERE = "import json, importlib.metadata as m; print(json.dumps([[d.name, d.version] for d in m.distributions()]))"
FOLDER = "import sysconfig; print(sysconfig.get_path('purelib'))"


def outcome(report: dict[str, Any]) -> tuple[list[str], int, int]:
    """The known vulnerabilities, a line each; how many packages were looked up, and how many there are."""
    packages = report["dependencies"]
    looked_up = [each for each in packages if "skip_reason" not in each]
    found = [
        f"{each['name']} {each['version']}: {one['id']}, mended in {', '.join(one['fix_versions']) or 'no version yet'}"
        for each in looked_up
        for one in each["vulns"]
    ]
    return found, len(looked_up), len(packages)


def audit(tools: Path, python: str) -> str:
    """One line of what pip-audit finds; exits where a package has a known vulnerability."""
    folder = subprocess.check_output([python, "-c", FOLDER], text=True).strip()
    command = [tools / "pip-audit", "--path", folder, "--format", "json", "--progress-spinner", "off", "--timeout", "5"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS_OF_SERVERS, check=False)
        found, looked_up, all_of_them = outcome(json.loads(ran.stdout))
    except (subprocess.TimeoutExpired, ValueError):
        return "skipped: the database of vulnerabilities can't be reached"
    if found:
        sys.exit("\n".join(["Packages with known vulnerabilities:", *found]))
    if not looked_up:
        return f"skipped: the database of vulnerabilities knows none of the {all_of_them} packages from here"
    return f"no known vulnerability in {looked_up} of {all_of_them} packages"


def plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return name.lower().replace("_", "-").replace(".", "-")


def missing(bill: dict[str, Any], installed: list[list[str]]) -> list[str]:
    """The installed packages that a bill of materials lacks, or names with another version."""
    listed = {(plain(each["name"]), each.get("version", "")) for each in bill["components"]}
    return sorted(f"{name} {version}" for name, version in installed if (plain(name), version) not in listed)


def bill_of_materials(tools: Path, python: str) -> str:
    """One line of the bill that was written and checked; exits where it is not valid, or lacks a package."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bill.json"
        command = [tools / "cyclonedx-py", "environment", python, "--validate", "--of", "JSON", "-o", file]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, timeout=MOST_SECONDS_OF_A_BILL)
        bill = json.loads(file.read_text(encoding="utf-8"))
    lacking = missing(bill, json.loads(subprocess.check_output([python, "-c", HERE], text=True)))
    if lacking:
        sys.exit(f"The bill of materials lacks {', '.join(lacking)}.")
    return f"bill of materials: {bill['bomFormat']} {bill['specVersion']}, {len(bill['components'])} packages, complete"


if __name__ == "__main__":
    for told in (audit, bill_of_materials):
        sys.stdout.write(f"{told(Path(sys.argv[1]), sys.argv[2])}\n")
        sys.stdout.flush()
