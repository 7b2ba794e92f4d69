"""A report opened from its file in headless Chromium, driven by Selenium."""

import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pages
import pytest
from reading import open_page

AXE = "axe-core@4.14.1"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One browser for all tests; they are skipped on a machine without it."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("chromium and chromedriver (Debian: chromium-driver) are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(driver)) as found:
        yield found


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a report on invented records."""
    folder = tmp_path_factory.mktemp("report")
    pages.fill(folder)
    path: Path = folder / "results" / "report.html"
    path.write_text(pages.report(folder))
    return path.as_uri()


@pytest.fixture
def page(chromium: Any, address: str) -> Any:
    """The report, opened anew with scripts, in light, 1280 pixels wide."""
    return open_page(chromium, address)


@pytest.fixture(scope="session")
def axe(request: pytest.FixtureRequest) -> str:
    """The script of axe-core, fetched once into pytest's cache."""
    folder = request.config.cache.mkdir("axe")
    archive = folder / f"{AXE.replace('@', '-')}.tgz"
    if not archive.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip(f"npm, which fetches {AXE}, is not installed")
        command = [npm, "pack", AXE, "--pack-destination", str(folder)]
        found = subprocess.run(command, capture_output=True, check=False, timeout=120)
        if found.returncode != 0 or not archive.exists():
            pytest.skip(f"npm could not fetch {AXE}")
    with tarfile.open(archive) as files:
        script = files.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()
