"""Finds the browser that this machine has; none is ever downloaded."""

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

from readgraph.state.errors import BadInput

NAMES = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "chrome": ("google-chrome", "google-chrome-stable"),
    "edge": ("microsoft-edge", "microsoft-edge-stable"),
}
"""Drivers by their names, with the programs that are looked for."""

CHROMIUM = "chromium"


def executable(driver: str = CHROMIUM) -> Path:
    """The program of a driver, which is one of `NAMES` or a program's path; raises `BadInput` where there is none."""
    if driver not in NAMES:
        if found := shutil.which(driver):
            return Path(found)
        raise BadInput(f"There is no browser '{driver}': name {', '.join(NAMES)}, or the path of a Chromium.")
    found = next(filter(None, map(shutil.which, NAMES[driver])), None)
    if found is None:
        raise BadInput(f"No {driver} is installed: install it (Debian: apt install chromium), or name its path.")
    return Path(found)


def playwright() -> Any:
    """Playwright's asynchronous interface; raises `BadInput` where it is not installed."""
    try:
        return import_module("playwright.async_api")
    except ImportError:
        raise BadInput("Browsing needs one more package: pip install 'readgraph[web]'.") from None
