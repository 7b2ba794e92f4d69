"""Read a page as a reader does, and report what the browser finds."""

import json
from typing import Any


def open_page(
    chromium: Any,
    address: str,
    *,
    scripts: bool = True,
    scheme: str = "light",
    width: int = 1280,
) -> Any:
    """Open a page as a reader has it; what was logged before is forgotten."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chromium.get("about:blank")
    for log in ("browser", "performance"):
        chromium.get_log(log)
    chromium.get(address)
    return chromium


def requests(page: Any) -> set[str]:
    """Addresses that were asked for since the page was opened."""
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return {params["request"]["url"] for params in sent}


def await_element(page: Any, selector: str) -> None:
    """Let the page's own events end, which come after the browser has answered.

    Raises:
        TimeoutException: the element is not there within ten seconds.
    """
    from selenium.webdriver.support.wait import WebDriverWait  # installed where a browser is

    WebDriverWait(page, 10).until(lambda page: page.find_elements("css selector", selector))


def await_text(page: Any, element: Any, text: str) -> None:
    """Let an element come to say this.

    Raises:
        TimeoutException: it does not within ten seconds.
    """
    from selenium.webdriver.support.wait import WebDriverWait  # installed where a browser is

    WebDriverWait(page, 10).until(lambda _: element.text == text)


def texts(page: Any, selector: str) -> list[str]:
    """Return the text of all elements that a selector finds."""
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())"
    found: list[str] = page.execute_script(script, selector)
    return found


def serious(page: Any) -> list[tuple[str, str]]:
    """Return the rules that axe, loaded by the page, finds broken, each with an element."""
    found = page.execute_async_script("axe.run().then(arguments[0])")["violations"]
    bad = [violation for violation in found if violation["impact"] in ("serious", "critical")]
    return [(violation["id"], violation["nodes"][0]["html"]) for violation in bad]
