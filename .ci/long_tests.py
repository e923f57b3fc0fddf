"""Write `tests/long_tests.txt`: long tests which the default suite leaves out, since others reach all that they reach.

python .ci/long_tests.py [SECONDS]

It runs the default suite once, in one process, and notes how long each test takes and which lines of the package it
reaches (half an hour; it needs the package `coverage`). Then it leaves out tests that take so many seconds or longer
(0.06), the longest first, as long as each line is reached by one of the others. Tests of the quick part stay, and those
of the project's own order. `.ci/run` runs what is left out with the slow tests.
"""

import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from coverage import Coverage

LIST = Path("tests/long_tests.txt")
PACKAGES = ["readgraph", "evaluation/readgraph_evaluation"]
STAYS = "pytest.mark.quick"  # in a file whose tests stay


class Watch:
    """Notes the seconds of each test, and under which name lines are reached."""

    def __init__(self) -> None:
        self.coverage, self.seconds = Coverage(data_file=None, source=PACKAGES), defaultdict[str, float](float)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """From here on, lines are reached by this test."""
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the time that a part of a test took."""
        self.seconds[report.nodeid] += report.duration

    def find_reached(self) -> dict[str, set[tuple[str, int]]]:
        """The lines that each test reached."""
        reached, data = defaultdict[str, set[tuple[str, int]]](set), self.coverage.get_data()
        for file in data.measured_files():
            for line, tests in data.contexts_by_lineno(file).items():
                for test in tests:
                    reached[test].add((file, line))
        return reached


def stays(test: str) -> bool:
    """Whether a test is never left out."""
    file = test.partition("::")[0]
    return file.startswith("tests/project/") or STAYS in Path(file).read_text(encoding="utf-8")


def choose_long(watch: Watch, least: float) -> list[str]:
    """The tests that can be left out; a function's name alone where all of its cases can."""
    reached = watch.find_reached()
    times, long = Counter(line for lines in reached.values() for line in lines), set[str]()
    for test in sorted(watch.seconds, key=lambda test: -watch.seconds[test]):
        lines = reached.get(test, set())
        if watch.seconds[test] >= least and lines and not stays(test) and all(times[line] > 1 for line in lines):
            times.subtract(lines)
            long.add(test)
    cases = defaultdict[str, set[str]](set)
    for test in watch.seconds:
        cases[test.partition("[")[0]].add(test)
    return sorted(name for function, own in cases.items() for name in ([function] if own <= long else own & long))


def main() -> None:
    """Run the tests, and write the list."""
    LIST.write_text("", encoding="utf-8")
    watch = Watch()
    watch.coverage.start()
    pytest.main(["-n", "0", "-q"], plugins=[watch])
    watch.coverage.stop()
    least = float(sys.argv[1]) if len(sys.argv) > 1 else 0.06
    LIST.write_text("".join(f"{name}\n" for name in choose_long(watch, least)), encoding="utf-8")


if __name__ == "__main__":
    main()
