"""What scripts that drive a browser see, without a browser: calls are noted, and answered by the test."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.script.driver_script import DriverScript


class Host:
    """Answers the calls of scripts; `title` and elements are made up."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def __call__(self, operation: str, given: str) -> str:
        arguments = json.loads(given)
        self.calls.append((operation, arguments))
        if operation == "keys":
            return json.dumps({"value": {"ENTER": "\ue007"}})
        if operation == "find":
            if arguments[-1] == "nothing":
                return json.dumps({"error": "NoSuchElementException", "message": "no such element"})
            return json.dumps({"value": {"$element": "e1"}})
        if operation == "findAll":
            return json.dumps({"value": [{"$element": "e1"}, {"$element": "e2"}]})
        return json.dumps({"value": "shown" if operation in ("title", "element.text") else None})


def run(body: str, host: Host | None = None, head: str = "") -> Host:
    host = host or Host()
    DriverScript([head, f"function execute(driver) {{\n{body}\n}}"], "execute", ScriptLimits())(host)
    host.calls = [call for call in host.calls if call[0] != "keys"]
    return host


@pytest.mark.parametrize(
    ("script", "call"),
    [
        ("driver.get('http://a.example/')", ("get", ["http://a.example/"])),
        ("driver.navigate().to('http://a.example/')", ("get", ["http://a.example/"])),
        ("driver.navigate().refresh()", ("refresh", [])),
        ("driver.findElement(By.id('x'))", ("find", [None, "id", "x"])),
        ("driver.findElement(By.linkText('x'))", ("find", [None, "link text", "x"])),
        ("driver.findElements(By.partialLinkText('x'))", ("findAll", [None, "partial link text", "x"])),
        (
            "driver.findElement(Java.type('org.openqa.selenium.By').xpath('//a'))",
            ("find", [None, "xpath", "//a"]),
        ),
        ("driver.findElement(Packages.org.openqa.selenium.By.name('x'))", ("find", [None, "name", "x"])),
        (
            "importClass(org.openqa.selenium.By); importPackage(org.openqa.selenium);"
            "driver.findElement(By.name('x'))",
            ("find", [None, "name", "x"]),
        ),
        (
            "with (new JavaImporter(org.openqa.selenium, java.lang.Thread)) {"
            "const seen = By; driver.findElement(seen.name('x')) }",
            ("find", [None, "name", "x"]),
        ),
        ("new JavaImporter(java.lang).Thread.sleep(5)", ("sleep", [5])),
        ("new JavaImporter(java.lang.Thread).Thread.sleep(6)", ("sleep", [6])),
        ("driver.switchTo().frame('inner')", ("frame", ["inner"])),
        ("driver.manage().timeouts().implicitlyWait(2, TimeUnit.SECONDS)", ("implicitWait", [2000])),
        ("driver.manage().timeouts().implicitlyWait(Duration.ofMillis(5))", ("implicitWait", [5])),
        ("java.lang.Thread.sleep(5)", ("sleep", [5])),
        ("driver.executeScript('return arguments[0]', 7)", ("run", ["return arguments[0]", [7]])),
    ],
)
def test_a_script_drives_the_browser_as_by_javas_webdriver(script: str, call: tuple[str, Any]) -> None:
    assert run(script).calls == [call]


def test_an_element_is_what_its_methods_are_called_on() -> None:
    host = run(
        "const all = driver.findElements(By.tagName('a'));"
        "all.get(all.size() - 1).sendKeys('oslo', Keys.ENTER); driver.executeScript('', all[0]);"
    )
    assert host.calls[1:] == [
        ("element.type", [{"$element": "e2"}, "oslo", "\ue007"]),
        ("run", ["", [{"$element": "e1"}]]),
    ]


def test_lists_have_what_javas_have() -> None:
    host = run(
        "const all = driver.findElements(By.tagName('a')), each = all.iterator(), found = [];"
        "while (each.hasNext()) found.push(each.next());"
        "if (!all.contains(found[1]) || all.contains(driver) || all.toArray().length !== 2) throw 1;"
        "driver.executeScript('', found[1])"
    )
    assert host.calls[1:] == [("run", ["", [{"$element": "e2"}]])]


def test_getters_are_properties_too() -> None:
    run(
        "const said = [driver.title, driver.getTitle(), driver.findElement(By.id('x')).text];"
        "if (said.join() !== 'shown,shown,shown') throw 1"
    )


def test_a_wait_ends_with_its_condition_or_with_an_error() -> None:
    found = "new WebDriverWait(driver, 10).until(ExpectedConditions.presenceOfElementLocated(By.id('%s')))"
    assert [name for name, _ in run(found % "x").calls] == ["find"]
    run("let left = 3; new WebDriverWait(driver, Duration.ofSeconds(60)).until(d => --left === 0)")
    with pytest.raises(
        ScriptError, match=r"TimeoutException: By.id: nothing did not come true within 0.001 s"
    ):
        run((found % "nothing").replace("10", "0.001"))


def test_an_error_has_the_line_that_the_script_had_come_to() -> None:
    with pytest.raises(ScriptError, match=r"NoSuchElementException: no such element \(in execute, line 3,"):
        run("driver.getTitle();\ndriver.findElement(By.id('nothing'));", head="// another source\n")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("driver.quit()", "the browser is closed by Scoopi"),
        ("Java.type('java.io.File')", "there is no class java.io.File here"),
        ("importClass(org.openqa.selenium.Bye)", "importClass: there is no such class here; there are org.o"),
        (
            "importPackage(org.openqa.seleniun)",
            "importPackage: there is no such package here; there are org.",
        ),
        ("new JavaImporter(java.io)", "JavaImporter: there is no such class or package here; there are org."),
        ("driver.findElement('x')", "elements are found by a By"),
        ("askHost('title', '[]')", "askHost is not defined"),
    ],
)
def test_what_scripts_may_not_do_is_said(script: str, said: str) -> None:
    with pytest.raises(ScriptError, match=said):
        run(script)


def test_a_script_sees_nothing_of_the_page_before() -> None:
    script = DriverScript(
        ["let runs = 0; function execute() { if (++runs > 1) throw new Error('again') }"],
        "execute",
        ScriptLimits(),
    )
    script(Host())
    script(Host())


def test_a_script_without_the_function_is_an_error() -> None:
    with pytest.raises(ScriptError, match="scripts define no function open"):
        DriverScript(["1"], "open", ScriptLimits())(Host())
