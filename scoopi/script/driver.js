// The host object of scripts that drive a browser: the driver, its elements, and the classes of Java's WebDriver.
(core) => {
  "use strict";
  const { apply, bean, evaluateGlobally, freeze, isArray, parse, stringify } = core;
  const ask = globalThis.askHost;
  delete globalThis.askHost;

  class List extends Array {
    size() { return this.length; }
    isEmpty() { return this.length === 0; }
    contains(each) { return this.includes(each); }
    toArray() { return [...this]; }
    iterator() {
      let next = 0;
      return { hasNext: () => next < this.length, next: () => this.get(next++) };
    }
    get(index) {
      if (!(index >= 0 && index < this.length)) throw new RangeError(`no element ${index}: there are ${this.length}`);
      return this[index];
    }
  }
  const errorOf = (name, message) => {
    const error = new Error(message);
    error.name = name;
    return error;
  };
  const revived = (name, value) => {
    if (typeof value?.$element === "string") return new WebElement(value.$element);
    return isArray(value) ? List.from(value) : value;
  };
  const call = (operation, ...given) => {
    const answer = parse(ask(operation, stringify(given)), revived);
    if ("error" in answer) throw errorOf(answer.error, answer.message);
    return answer.value;
  };
  const found = (operation, within, by) => {
    if (!(by instanceof By)) throw new TypeError("elements are found by a By, as in driver.findElement(By.id('x'))");
    return call(operation, within, by.how, by.what);
  };

  class By {
    constructor(how, what) { this.how = how; this.what = `${what}`; freeze(this); }
    toString() { return `By.${this.how}: ${this.what}`; }
    findElement(within) { return within.findElement(this); }
    findElements(within) { return within.findElements(this); }
  }
  for (const [name, how] of [["id", "id"], ["name", "name"], ["cssSelector", "css selector"], ["xpath", "xpath"],
    ["className", "class name"], ["tagName", "tag name"], ["linkText", "link text"],
    ["partialLinkText", "partial link text"]])
    Object.defineProperty(By, name, { value: (what) => new By(how, what) });

  class WebElement {
    #key;
    constructor(key) { this.#key = key; }
    toJSON() { return { $element: this.#key }; }
    click() { call("element.click", this); }
    sendKeys(...texts) { call("element.type", this, ...texts.flat(9).map((each) => `${each}`)); }
    clear() { call("element.clear", this); }
    submit() { call("element.submit", this); }
    getText() { return call("element.text", this); }
    getTagName() { return call("element.tag", this); }
    getAttribute(name) { return call("element.attribute", this, name); }
    getDomAttribute(name) { return call("element.attribute", this, name); }
    getDomProperty(name) { return call("element.property", this, name); }
    getCssValue(name) { return call("element.css", this, name); }
    isDisplayed() { return call("element.isDisplayed", this); }
    isEnabled() { return call("element.isEnabled", this); }
    isSelected() { return call("element.isSelected", this); }
    findElement(by) { return found("find", this, by); }
    findElements(by) { return found("findAll", this, by); }
  }
  bean(WebElement);

  class Duration {
    constructor(ms) { this.ms = ms; freeze(this); }
    toMillis() { return this.ms; }
    getSeconds() { return Math.floor(this.ms / 1000); }
    static ofMillis(ms) { return new Duration(ms); }
    static ofSeconds(seconds) { return new Duration(seconds * 1000); }
    static ofMinutes(minutes) { return new Duration(minutes * 60000); }
  }
  class Unit {
    constructor(ms) { this.ms = ms; freeze(this); }
    toMillis(time) { return time * this.ms; }
    sleep(time) { call("sleep", time * this.ms); }
  }
  const TimeUnit = freeze({ MILLISECONDS: new Unit(1), SECONDS: new Unit(1000), MINUTES: new Unit(60000) });
  const msOf = (time, unit) => (time instanceof Duration ? time.ms : time * (unit ?? TimeUnit.SECONDS).ms);

  class Driver {
    get(url) { call("get", `${url}`); }
    getTitle() { return call("title"); }
    getCurrentUrl() { return call("url"); }
    getPageSource() { return call("source"); }
    findElement(by) { return found("find", null, by); }
    findElements(by) { return found("findAll", null, by); }
    executeScript(script, ...given) { return call("run", `${script}`, given); }
    executeAsyncScript(script, ...given) { return call("runAsync", `${script}`, given); }
    getWindowHandle() { return call("windowHandle"); }
    getWindowHandles() { return call("windowHandles"); }
    navigate() { return navigation; }
    switchTo() { return target; }
    manage() { return options; }
    close() { this.quit(); }
    quit() { throw errorOf("UnsupportedOperationException", "the browser is closed by Scoopi"); }
  }
  const driver = new Driver();
  const navigation = freeze({
    to: (url) => driver.get(url), back: () => call("back"), forward: () => call("forward"),
    refresh: () => call("refresh"),
  });
  const alert = freeze({
    accept: () => call("accept"), dismiss: () => call("dismiss"), getText: () => call("dialog"),
    sendKeys: (text) => call("answer", `${text}`),
  });
  const target = freeze({
    window: (handle) => { call("window", handle); return driver; },
    frame: (which) => { call("frame", which); return driver; },
    parentFrame: () => { call("parentFrame"); return driver; },
    defaultContent: () => { call("page"); return driver; },
    activeElement: () => call("active"),
    alert: () => { call("dialog"); return alert; },
  });
  const timeouts = freeze({
    implicitlyWait: (time, unit) => { call("implicitWait", msOf(time, unit)); return timeouts; },
    setScriptTimeout: (time, unit) => { call("scriptTimeout", msOf(time, unit)); return timeouts; },
    scriptTimeout: (time) => timeouts.setScriptTimeout(time),
    pageLoadTimeout: () => timeouts,  // that of the visit holds
  });
  const frame = freeze({
    maximize: () => {}, fullscreen: () => {},  // there is no screen
    setSize: (size) => call("resize", size.width, size.height),
  });
  const options = freeze({
    timeouts: () => timeouts, window: () => frame, deleteAllCookies: () => call("forgetCookies"),
  });
  bean(Driver);

  const POLL_MS = 50;
  class WebDriverWait {
    #driver; #ms;
    constructor(driver, time) { this.#driver = driver; this.#ms = msOf(time); }
    pollingEvery() { return this; }
    ignoring() { return this; }
    withTimeout(time, unit) { this.#ms = msOf(time, unit); return this; }
    until(condition) {
      const ends = Date.now() + this.#ms;
      for (;;) {
        try {
          const value = typeof condition === "function" ? condition(this.#driver) : condition.apply(this.#driver);
          if (value) return value;
        } catch (error) {
          if (!/^(NoSuch|StaleElement)/.test(error?.name)) throw error;
        }
        if (Date.now() >= ends)
          throw errorOf("TimeoutException", `${condition.shown ?? "the condition"} did not come true within ${this.#ms / 1000} s`);
        call("sleep", POLL_MS);
      }
    }
  }
  const condition = (shown, holds) => { holds.shown = shown; return holds; };
  const elementOf = (driver, which) => (which instanceof By ? driver.findElement(which) : which);
  const shownElement = (driver, which) => {
    const element = elementOf(driver, which);
    return element.isDisplayed() ? element : null;
  };
  const ExpectedConditions = freeze({
    presenceOfElementLocated: (by) => condition(`${by}`, (driver) => driver.findElement(by)),
    presenceOfAllElementsLocatedBy: (by) => condition(`${by}`, (driver) => {
      const elements = driver.findElements(by);
      return elements.length ? elements : null;
    }),
    visibilityOf: (element) => condition("a visible element", (driver) => shownElement(driver, element)),
    visibilityOfElementLocated: (by) => condition(`${by}`, (driver) => shownElement(driver, by)),
    elementToBeClickable: (which) => condition(`${which}`, (driver) => {
      const element = shownElement(driver, which);
      return element?.isEnabled() ? element : null;
    }),
    invisibilityOfElementLocated: (by) => condition(`no ${by}`, (driver) =>
      driver.findElements(by).every((each) => !each.isDisplayed())),
    textToBePresentInElementLocated: (by, text) => condition(`${by} with "${text}"`, (driver) =>
      driver.findElement(by).getText().includes(text)),
    titleIs: (title) => condition(`the title "${title}"`, (driver) => driver.getTitle() === title),
    titleContains: (part) => condition(`"${part}" in the title`, (driver) => driver.getTitle().includes(part)),
    urlContains: (part) => condition(`"${part}" in the address`, (driver) => driver.getCurrentUrl().includes(part)),
    alertIsPresent: () => condition("a dialog", (driver) => {
      try { return driver.switchTo().alert(); } catch { return null; }
    }),
  });
  class Dimension { constructor(width, height) { this.width = width; this.height = height; } }

  const classes = {
    "org.openqa.selenium.By": By, "org.openqa.selenium.Keys": freeze(call("keys")),
    "org.openqa.selenium.Dimension": Dimension,
    "org.openqa.selenium.support.ui.WebDriverWait": WebDriverWait,
    "org.openqa.selenium.support.ui.FluentWait": WebDriverWait,
    "org.openqa.selenium.support.ui.ExpectedConditions": ExpectedConditions,
    "java.lang.Thread": freeze({ sleep: (ms) => call("sleep", ms) }),
    "java.time.Duration": Duration, "java.util.concurrent.TimeUnit": TimeUnit,
  };
  const Packages = {};
  for (const [name, value] of Object.entries(classes)) {
    const parts = name.split("."), last = parts.pop();
    let inner = Packages;
    for (const part of parts) inner = inner[part] ??= {};
    globalThis[last] = inner[last] = value;
  }
  const type = (name) => {
    if (!Object.hasOwn(classes, name))
      throw new TypeError(`there is no class ${name} here; there are ${Object.keys(classes).join(", ")}`);
    return classes[name];
  };
  // All classes are global already, so imports only check what they are given: a mistyped name is undefined.
  const all = Object.values(classes);
  const unknown = (verb, what) => {
    throw new TypeError(`${verb}: there is no such ${what} here; there are ${Object.keys(classes).join(", ")}`);
  };
  const importClass = (...given) => {
    for (const each of given) if (!all.includes(each)) unknown("importClass", "class");
  };
  const importPackage = (...given) => {
    for (const each of given) if (typeof each !== "object" || each === null) unknown("importPackage", "package");
  };
  function JavaImporter(...given) {
    for (const each of given) {
      if (typeof each !== "object" && typeof each !== "function" || each === null)
        unknown("JavaImporter", "class or package");
      const at = all.indexOf(each), name = Object.keys(classes)[at]?.split(".").pop();
      Object.assign(this, name ? { [name]: each } : each);
    }
  }
  Object.assign(globalThis, { Java: freeze({ type }), Packages, org: Packages.org, java: Packages.java,
    importClass, importPackage, JavaImporter });

  let entry = null;
  const load = (sources) => {
    entry = evaluateGlobally(sources);
    return entry && "loaded";
  };
  const run = () => { apply(entry, undefined, [driver]); return null; };
  return { load, run };
}
