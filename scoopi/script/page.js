// The host objects `document` and `configs` of scripts in data definitions.
(() => {
  "use strict";
  const { bean, ZonedDateTime } = globalThis[Symbol.for("scoopi")];
  const zoned = (date) => new ZonedDateTime(date.wall, date.offset, date.zone);

  const documentOf = (facts) => {
    const fromDate = zoned(facts.fromDate);
    class Document {
      getId() { return null; }
      getLocatorId() { return null; }
      getName() { return facts.name; }
      getGroup() { return facts.group; }
      getUrl() { return facts.url; }
      getFromDate() { return fromDate; }
      toString() { return `${facts.name}:${facts.group}`; }
    }
    return new (bean(Document))();
  };

  const configsOf = (facts) => {
    const settings = new Map(Object.entries(facts.settings));
    const runDateTime = zoned(facts.runDateTime);
    const runDate = zoned(facts.runDate);
    class Configs {
      getConfig(key, ...fallback) {
        if (settings.has(key)) return settings.get(key);
        if (fallback.length) return fallback[0];
        throw new Error(`no setting ${key}; see scoopi config`);
      }
      getInt(key, ...fallback) {
        const text = this.getConfig(key, ...fallback);
        if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
        if (fallback.length) return fallback[0];
        throw new Error(`setting ${key} is no integer: ${text}`);
      }
      getBoolean(key, ...fallback) {
        const text = String(this.getConfig(key, ...fallback)).trim().toLowerCase();
        if (text === "true" || text === "false") return text === "true";
        if (fallback.length) return fallback[0];
        throw new Error(`setting ${key} is neither true nor false: ${text}`);
      }
      getRunDate() { return runDate; }
      getRunDateTime() { return runDateTime; }
      getRunDateText() { return facts.runDateText; }
      getRunDateTimeText() { return facts.runDateTimeText; }
      isCluster() { return facts.cluster; }
    }
    return new (bean(Configs))();
  };

  return (json) => {
    const facts = JSON.parse(json);
    globalThis.document = documentOf(facts.document);
    globalThis.configs = configsOf(facts.configs);
  };
})()
