# SPDX-License-Identifier: GPL-2.0-or-later
"""A headless Chromium by WebDriver (W3C): clicks, keys, screenshots."""
import base64
import json
import subprocess
import tempfile
import time
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's id, by the standard
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
        "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Tab": "\ue004", "Home": "\ue011",
        "End": "\ue010", "PageDown": "\ue00f", "Control": "\ue009"}


class Browser:
    """with Browser((1200, 900)) as browser: ...; all waits end after `limit` seconds"""

    def __init__(self, size, limit=120):
        self.limit = limit
        self.size = size

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(["chromedriver", "--port=0"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{self.port()}/session"
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage", "--hide-scrollbars",
                            f"--user-data-dir={self.folder.name}",
                            f"--window-size={self.size[0]},{self.size[1]}"]}
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}
        self.base += "/" + self.send("", {"capabilities": wanted})["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
            self.folder.cleanup()

    def port(self):
        for line in self.process.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip(".\n").rsplit(" ", 1)[1])
        raise RuntimeError("chromedriver does not start")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=self.limit) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def send(self, path, body):
        return self.call("POST", path, body)

    def open(self, path):
        self.send("/url", {"url": f"file://{path}"})

    def run(self, script, *arguments):
        """What `script`, the body of a function, returns."""
        return self.send("/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script):
        """Waits until `script` returns something that is true, and returns that."""
        end = time.monotonic() + self.limit
        while time.monotonic() < end:
            found = self.run(script)
            if found:
                return found
            time.sleep(0.05)
        raise RuntimeError(f"waited {self.limit} s in vain: {script}")

    def element(self, selector):
        return self.send("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.send(f"/element/{self.element(selector)}/click", {})

    def type(self, selector, text):
        element = self.element(selector)
        self.send(f"/element/{element}/clear", {})
        self.send(f"/element/{element}/value", {"text": text})

    def keys(self, *names):
        """Presses keys where the focus is."""
        actions = []
        for name in names:
            value = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.send("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def view(self, width, height):
        """Makes the part of the window that shows the page so large."""
        self.send("/window/rect", {"width": width, "height": height})
        seen = self.run("return [innerWidth, innerHeight]")
        self.send("/window/rect", {"width": 2 * width - seen[0], "height": 2 * height - seen[1]})

    def wheel(self, x, y, delta, *held):
        """Turns the wheel while keys are held."""
        held = [KEYS[name] for name in held]
        pauses = [{"type": "pause"}]
        self.send("/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions":
                [{"type": "keyDown", "value": key} for key in held] + pauses +
                [{"type": "keyUp", "value": key} for key in held]},
            {"type": "wheel", "id": "wheel", "actions": pauses * len(held) + [
                {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": delta}]}]})

    def point_at(self, x, y):
        self.pointer([{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}])

    def drag(self, selector, begin, end):
        """Drags from one share of an element's width to another; equal ones are a click."""
        left, top, width, height = self.run(
            "const b = arguments[0].getBoundingClientRect();"
            "return [b.left, b.top, b.width, b.height]", {ELEMENT: self.element(selector)})
        moves = [{"type": "pointerMove", "duration": 0, "x": round(left + width * share),
                  "y": round(top + height / 2)} for share in (begin, end)]
        self.pointer([moves[0], {"type": "pointerDown", "button": 0}, moves[1],
                      {"type": "pointerUp", "button": 0}])

    def click_at(self, x, y):
        self.pointer([{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
                      {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def pointer(self, actions):
        self.send("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions,
                                            "parameters": {"pointerType": "mouse"}}]})

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))
