// The host objects of scripts in data definitions: `document`, `configs`, and the row that is being read.
(core) => {
  "use strict";
  const { bean, defineProperty, evaluateGlobally, freeze, parse, zonedOf } = core;

  const documentOf = (facts) => {
    let fromDate = null;
    class Document {
      getId() { return null; }
      getLocatorId() { return null; }
      getName() { return facts.name; }
      getGroup() { return facts.group; }
      getUrl() { return facts.url; }
      getFromDate() { return (fromDate ??= zonedOf(facts.fromDate)); }
      toString() { return `${facts.name}:${facts.group}`; }
    }
    return new (bean(Document))();
  };

  const configsOf = (facts) => {
    const settings = new Map(Object.entries(facts.settings));
    let runDate = null, runDateTime = null;
    class Configs {
      getConfig(key, ...fallback) {
        if (settings.has(key)) return settings.get(key);
        if (fallback.length) return fallback[0];
        throw new Error(`no setting ${key} that a script may see: those with the scope run in scoopi config`);
      }
      getInt(key, ...fallback) {
        const text = this.getConfig(key, ...fallback);
        if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
        if (fallback.length) return fallback[0];
        throw new Error(`setting ${key} is not an integer: ${text}`);
      }
      getBoolean(key, ...fallback) {
        const text = String(this.getConfig(key, ...fallback)).trim().toLowerCase();
        if (text === "true" || text === "false") return text === "true";
        if (fallback.length) return fallback[0];
        throw new Error(`setting ${key} is neither true nor false: ${text}`);
      }
      getRunDate() { return (runDate ??= zonedOf(facts.runDate)); }
      getRunDateTime() { return (runDateTime ??= zonedOf(facts.runDateTime)); }
      getRunDateText() { return facts.runDateText; }
      getRunDateTimeText() { return facts.runDateTimeText; }
      isCluster() { return facts.cluster; }
    }
    return new (bean(Configs))();
  };

  const furnish = (json) => {
    const facts = parse(json);
    globalThis.document = documentOf(facts.document);
    globalThis.configs = configsOf(facts.configs);
  };

  // `item`, `dim` and `fact` as placeholders name them, and `axis`, the one that is being read; of a record `record`,
  // its fields so far, and `parent`, those of the record that led to the page. What the page gave comes as data; a variable of the same name in a script hides them from then on.
  let rowText = "";
  let row = null;
  let wasRead = false;
  const rowOf = ({ axes = [], own, record, parent }) => {
    const made = { record, parent };
    for (let at = 0; at < axes.length; at++) {
      const [axisName, itemName, order, match, index, value] = axes[at];
      const axis = { axisName, itemName, order, match, index, value };
      if (at === own) made.axis = axis;
      const first = (made[axisName] ??= { ...axis });
      if (!(itemName in first)) first[itemName] = freeze(axis);
    }
    return made;
  };
  for (const name of ["item", "dim", "fact", "axis", "record", "parent"])
    defineProperty(globalThis, name, {
      configurable: true,
      get() { wasRead = true; return (row ??= rowOf(parse(rowText)))[name]; },
      set(value) { defineProperty(globalThis, name, { value, writable: true, enumerable: true, configurable: true }); },
    });

  const evaluate = (text, newRow) => {
    rowText = newRow;
    row = null;
    wasRead = false;
    return evaluateGlobally(text);
  };

  // An expression that only reads the row (pure_expression.py) is compiled once.
  const compiled = { __proto__: null };
  const evaluateExpression = (text, newRow) => {
    rowText = newRow;
    row = null;
    return (compiled[text] ??= evaluateGlobally(`() => (${text}\n)`))();
  };

  return { furnish, evaluate, evaluateExpression, wasRowRead: () => wasRead };
}
