"""A real Chromium, controlled over its DevTools pipe: no driver, no port, no library."""

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""The system's Chromium, where there is one."""

FLAGS = (
    "--headless --remote-debugging-pipe --no-first-run --disable-background-networking --disable-extensions "
    "--disable-gpu --disable-dev-shm-usage --force-device-scale-factor=1 --hide-scrollbars --mute-audio"
)
LAUNCH = """
import fcntl, os, sys
above = [fcntl.fcntl(int(pipe), fcntl.F_DUPFD, 10) for pipe in sys.argv[1:3]]
os.dup2(above[0], 3)
os.dup2(above[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which reads commands from file 3 and writes answers to file 4."""

KEYS = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Home": 36,
    "End": 35,
    "Tab": 9,
    "Escape": 27,
    "Enter": 13,
    " ": 32,
    "/": 191,
}
"""Keys and their Windows key codes, which the protocol expects."""


class Browser:
    """One tab. Each command is answered before the next one is sent; events in between are kept."""

    def __init__(self, to: int, answers: int) -> None:
        self._to, self._from = os.fdopen(to, "wb", 0), os.fdopen(answers, "rb")
        self._sent, self._session = 0, ""
        self.events: list[tuple[str, Any]] = []
        (target,) = [one for one in self.send("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        attached = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Security"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        """End the browser."""
        self._session = ""
        self.send("Browser.close")
        self._to.close()
        self._from.close()

    def send(self, method: str, **parameters: Any) -> Any:
        """The result of a command of the DevTools protocol."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._sent:
            self.events.append((answer["method"], answer["params"]))
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        message = bytearray()
        while (byte := self._from.read(1)) != b"\0":
            assert byte, "the browser ended"
            message += byte
        return dict(json.loads(message))

    def open(self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Go to a page and wait until it is loaded."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.send("Page.navigate", url=url)
        self.loaded()

    def loaded(self) -> None:
        """Wait until a page is loaded, by the events since they were cleared."""
        while not any(name == "Page.loadEventFired" for name, _ in self.events):
            event = self._read()
            self.events.append((event["method"], event["params"]))

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited."""
        ran = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in ran, ran["exceptionDetails"]
        return ran["result"].get("value")

    def texts(self, selector: str) -> list[str]:
        """The texts of the elements that a selector finds."""
        found: list[str] = self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")
        return found

    def focused(self) -> str:
        """The tag and the accessible name, or else the text, of what has the focus."""
        script = "(e => `${e.localName} ${e.ariaLabel ?? e.textContent}`)(document.activeElement)"
        return str(self.run(script))

    def click(self, selector: str) -> None:
        """Click in the middle of the first element that a selector finds, as a mouse does."""
        script = (
            f"(e => {{ e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect(); "
            f"return [r.x + r.width / 2, r.y + r.height / 2]; }})(document.querySelector({json.dumps(selector)}))"
        )
        x, y = self.run(script)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.run(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )  # wait for the effects of the click

    def press(self, *keys: str) -> None:
        """Press keys one after the other; "Shift+Tab" goes back."""
        for key in keys:
            name, shift = key.removeprefix("Shift+"), 8 if key.startswith("Shift+") else 0
            typed = {"Enter": "\r", " ": " "}.get(name)
            down: dict[str, Any] = {"key": name, "windowsVirtualKeyCode": KEYS[name], "modifiers": shift}
            text = {"text": typed} if typed else {}
            self.send("Input.dispatchKeyEvent", type="keyDown" if typed else "rawKeyDown", **down, **text)
            self.send("Input.dispatchKeyEvent", type="keyUp", **down)

    def until(self, expression: str, seconds: float = 30) -> Any:
        """The value of an expression in the page as soon as it is true and drawn; it is looked at in each frame."""
        value = f"(() => {{ try {{ return ({expression}) }} catch {{ return null }} }})()"
        script = f"""new Promise((done) => {{
            const ends = performance.now() + {seconds * 1000};
            const look = () => {{
                const value = {value};
                const found = value instanceof Node ? true : value;
                if (value) requestAnimationFrame(() => requestAnimationFrame(() => done(found)));
                else if (performance.now() > ends) done(null);
                else requestAnimationFrame(look);
            }};
            look(); }})"""
        found = self.run(script)
        assert found, (expression, self.run("document.body.innerText.slice(0, 2000)"))
        return found

    def type(self, selector: str, text: str) -> None:
        """Type a text into the field that a selector finds."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.send("Input.insertText", text=text)

    def put_files(self, selector: str, *files: Path) -> None:
        """Choose files in the field that a selector finds, as a person does in the system's window."""
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])

    def screenshot(self, file: Path) -> None:
        """The whole page as a PNG."""
        file.write_bytes(self.shot(whole=True))

    def shot(self, *, whole: bool = False) -> bytes:
        """What the window shows, or the whole page, as a PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"])

    def requested(self) -> list[str]:
        """The requests since the page was opened."""
        return [about["request"]["url"] for name, about in self.events if name == "Network.requestWillBeSent"]

    def troubles(self) -> list[str]:
        """Errors that the page reported: exceptions, refusals of its policy."""
        named = ("Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(about) for name, about in self.events if name in named]


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with a profile folder of its own."""
    assert CHROMIUM
    from_us, to_browser = os.pipe()
    from_browser, to_us = os.pipe()
    flags = [*FLAGS.split(), f"--user-data-dir={profile}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    command = [sys.executable, "-c", LAUNCH, str(from_us), str(to_us), CHROMIUM, *flags, "about:blank"]
    quiet = subprocess.DEVNULL
    started = subprocess.Popen(command, pass_fds=(from_us, to_us), stdin=quiet, stdout=quiet, stderr=quiet)
    os.close(from_us)
    os.close(to_us)
    try:
        opened = Browser(to_browser, from_browser)
        yield opened
        opened.close()
        started.wait(20)
    finally:
        if started.poll() is None:
            started.kill()
            started.wait()
