"""Script plugins of `DomLoader` in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scoopi.bootstrap.group_loaders import plugins_command
from scoopi.browser.browser import Browser
from scoopi.browser.page.page_snapshots import PageSnapshots
from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.configs.groups import BrowserSettings, ScriptLimits
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import BrowserDef, Until
from scoopi.model.scrape.plugin_def import PluginDef
from tests.server.answer import Answer
from tests.server.server import Server

PAGE = """<title>bread</title><form action="/found"><input id=city name=city value=old><select name=size>
<option selected>S<option>L</select><button id=go>go</button></form><a href="/other">other page</a>
<iframe id=inner srcdoc="<b class=deep>deep</b>"></iframe><p id=hidden style="display:none">x</p><script>
const { pathname, search } = location;
if (pathname === '/found') document.body.insertAdjacentHTML('beforeend', `<i>${search}</i>`);
</script>"""
AT = Place("bread.yml", 7, 3)
PYTHON = """
def open_all(driver, label=""):
    driver.execute_script("document.title = arguments[0]", label + driver.title)

def fails(driver):
    raise KeyError("no such thing")
"""


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser whose scripts run in Scoopi's own process."""
    folder = tmp_path_factory.mktemp("driven")
    (folder / "plugins").mkdir()
    (folder / "profile").mkdir()
    (folder / "plugins" / "drivers.py").write_text(PYTHON)
    (folder / "open.js").write_text(
        "function openUp(driver) {\n  driver.executeScript('document.title = 7');\n}"
    )
    command = plugins_command(folder, folder, ScriptLimits())
    made = Browser(
        BrowserSettings(), folder / "profile", folder / "shots", PageSnapshots(folder / "kept"), command
    )
    yield made
    made.kill()


@pytest.fixture
def site() -> Iterator[Server]:
    with Server(lambda path: Answer(PAGE.encode())) as server:
        yield server


def load(
    browser: Browser,
    site: Server,
    *plugins: PluginDef,
    until: Until = Until(),  # noqa: B008 - frozen
    timeout_s: float = 60.0,
) -> Rendered | VisitFailed:
    how = BrowserDef(until, 30_000, scripts=plugins)
    return browser.load(Visit(site.url("/"), {"User-Agent": "test/1"}, timeout_s, how))


def script(body: str) -> PluginDef:
    return PluginDef(
        "opener", "BasicScript", {"script": f"function execute(driver) {{\n{body}\n}}"}, place=AT
    )


USES = """
const is = (a, b) => { if (a !== b) throw new Error(`${a} is not ${b}`) };
is(driver.getTitle(), 'bread');
is(driver.findElements(By.className('deep')).size(), 0);
driver.switchTo().frame(driver.findElement(By.id('inner')));
is(driver.findElement(By.className('deep')).getText(), 'deep');
driver.switchTo().defaultContent();
is(driver.findElement(By.id('hidden')).isDisplayed(), false);
const link = driver.findElement(By.partialLinkText('other'));
is(link.getAttribute('href').endsWith('/other'), true);
is(driver.executeScript('return {all: [arguments[0]]}', link).all[0].tagName, 'a');
is(driver.findElement(By.xpath('//button')).isEnabled(), true);
is(driver.findElement(By.cssSelector('option')).isSelected(), true);
const city = driver.findElement(By.name('city'));
is(city.getAttribute('value'), 'old');
city.clear();
city.sendKeys('oslo');
driver.findElement(By.id('go')).click();
new WebDriverWait(driver, 30).until(ExpectedConditions.urlContains('/found'));
is(driver.getPageSource().includes('city=oslo'), true);
"""


def test_a_script_does_what_the_original_offers_and_the_page_is_read_as_it_leaves_it(
    driven: Browser, site: Server
) -> None:
    page = load(driven, site, script(USES))
    assert isinstance(page, Rendered), page
    assert page.url.endswith("/found?city=oslo&size=S")
    assert b"<i>?city=oslo&amp;size=S</i>" in page.body


def test_plugins_run_in_order_from_files_and_in_python(driven: Browser, site: Server) -> None:
    first = PluginDef("file", "BasicScript", {"scripts": ["open.js"], "entryPoint": "openUp"}, place=AT)
    second = PluginDef("python", "open_all", {"label": "title "}, place=AT)
    page = load(driven, site, first, second)
    assert isinstance(page, Rendered), page
    assert b"<title>title 7</title>" in page.body


def test_what_until_names_is_waited_for_again_after_the_scripts(driven: Browser, site: Server) -> None:
    late = script(
        "driver.executeScript(`document.querySelector('form').remove();"
        "setTimeout(() => document.body.append(document.createElement('form')), 300)`)"
    )
    page = load(driven, site, late, until=Until(selector="form"))
    assert isinstance(page, Rendered), page
    assert b"<form></form>" in page.body


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        (script("driver.title;\ndriver.findElement(By.id('nothing'));"), "(in execute, line 3, column"),
        (script("throw new Error('no rows')"), "failed: script failed: Error: no rows (in execute, line 2"),
        (PluginDef("opener", "fails", place=AT), "KeyError: 'no such thing' ("),
        (PluginDef("opener", "nowhere", place=AT), "unknown class nowhere"),
    ],
)
def test_a_script_that_fails_is_named_with_its_place_and_line(
    driven: Browser, site: Server, plugin: PluginDef, said: str
) -> None:
    failed = load(driven, site, plugin)
    assert isinstance(failed, VisitFailed)
    assert failed.what.startswith(f"the script plugin opener at {AT} failed: ")
    assert said in failed.what
    assert failed.kept, "what the page showed is kept"
    assert isinstance(load(driven, site), Rendered), "the browser stays good"


def test_an_implicit_wait_of_a_script_does_not_outlive_it(driven: Browser, site: Server) -> None:
    load(driven, site, script("driver.manage().timeouts().implicitlyWait(600, TimeUnit.SECONDS)"))
    page = load(driven, site, script("driver.findElements(By.id('nothing')).length"), timeout_s=60.0)
    assert isinstance(page, Rendered), page


def test_a_script_that_hangs_is_ended_and_its_browser_stays(driven: Browser, site: Server) -> None:
    failed = load(driven, site, script("for (;;) {}"), timeout_s=6.0)
    assert isinstance(failed, VisitFailed)
    assert "did not end within" in failed.what
    assert isinstance(load(driven, site, script("driver.title")), Rendered)
