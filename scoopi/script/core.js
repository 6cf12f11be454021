// What every sandbox begins with: evaluating, turning results into text, guards and the zoned date-time.
(() => {
  "use strict";
  const evaluateGlobally = eval;
  const stringify = JSON.stringify;
  const MONTHS = ["JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER",
    "OCTOBER", "NOVEMBER", "DECEMBER"];
  const DAYS = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];
  const DAY_MS = 86400000;

  // Native loops over huge sparse arrays, or searches of huge texts in each other, never look at the
  // time limit; no dense array or needle of that size fits into the memory limit.
  const MOST_ITEMS = 16777216;
  const MOST_STEPS = 1e10;
  const replaceMethod = (prototype, name, guard) => {
    const native = prototype[name];
    const value = { [name](...given) { guard(this, given); return native.apply(this, given); } }[name];
    Object.defineProperty(prototype, name, { value, writable: true, enumerable: false, configurable: true });
  };
  const guardArray = (list) => {
    if (list != null && list.length > MOST_ITEMS) throw new RangeError("array is too long to go through");
  };
  const guardText = (text, [needle]) => {
    if (typeof needle === "string" && needle.length > 1000 && needle.length * text.length > MOST_STEPS)
      throw new RangeError("text is too long to search");
  };
  const guardConcat = (list, given) => { guardArray(list); given.forEach(guardArray); };
  for (const name of ["join", "toString", "toLocaleString", "sort", "reverse", "fill", "indexOf", "lastIndexOf",
    "includes", "copyWithin", "shift", "unshift", "slice", "splice", "flat", "flatMap", "toSorted",
    "toReversed", "toSpliced", "with", "forEach", "map", "filter", "some", "every", "reduce", "reduceRight",
    "find", "findIndex", "findLast", "findLastIndex"])
    if (Array.prototype[name]) replaceMethod(Array.prototype, name, guardArray);
  replaceMethod(Array.prototype, "concat", guardConcat);
  for (const name of ["indexOf", "lastIndexOf", "includes", "split", "replaceAll"])
    replaceMethod(String.prototype, name, guardText);

  // A method getX() or isX() without parameters can also be read as the property x, and setX(v) be assigned.
  const bean = (kind) => {
    const prototype = kind.prototype;
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const getter = /^(?:get|is)([A-Z].*)$/.exec(name);
      if (!getter || prototype[name].length) continue;
      const property = getter[1][0].toLowerCase() + getter[1].slice(1);
      if (property in prototype) continue;
      Object.defineProperty(prototype, property, { get: prototype[name], set: prototype["set" + getter[1]] });
    }
    return kind;
  };

  const pad = (number, width = 2) => String(number).padStart(width, "0");

  // A java.time.ZonedDateTime as far as scripts use it; `wall` is its local date-time taken as if it were UTC.
  class ZonedDateTime {
    #wall; #offset; #zone;
    constructor(wall, offsetMs, zone) { this.#wall = new Date(wall); this.#offset = offsetMs; this.#zone = zone; }
    getYear() { return this.#wall.getUTCFullYear(); }
    getMonthValue() { return this.#wall.getUTCMonth() + 1; }
    getMonth() { return MONTHS[this.#wall.getUTCMonth()]; }
    getDayOfMonth() { return this.#wall.getUTCDate(); }
    getDayOfYear() { return 1 + Math.floor((this.#wall - Date.UTC(this.getYear(), 0, 1)) / DAY_MS); }
    getDayOfWeek() { return DAYS[this.#wall.getUTCDay()]; }
    getHour() { return this.#wall.getUTCHours(); }
    getMinute() { return this.#wall.getUTCMinutes(); }
    getSecond() { return this.#wall.getUTCSeconds(); }
    getNano() { return this.#wall.getUTCMilliseconds() * 1000000; }
    getTime() { return this.#wall.getTime() - this.#offset; }
    toEpochSecond() { return Math.floor(this.getTime() / 1000); }
    toDate() { return new Date(this.getTime()); }
    valueOf() { return this.getTime(); }
    #moved(change) {
      const wall = new Date(this.#wall);
      change(wall);
      return new ZonedDateTime(wall.getTime(), this.#offset, this.#zone);
    }
    plusSeconds(count) { return this.#moved((wall) => wall.setTime(wall.getTime() + count * 1000)); }
    plusMinutes(count) { return this.plusSeconds(count * 60); }
    plusHours(count) { return this.plusSeconds(count * 3600); }
    plusDays(count) { return this.plusSeconds(count * 86400); }
    plusWeeks(count) { return this.plusDays(count * 7); }
    plusMonths(count) {
      return this.#moved((wall) => {
        const day = wall.getUTCDate();
        wall.setUTCMonth(wall.getUTCMonth() + count);
        if (wall.getUTCDate() !== day) wall.setUTCDate(0);
      });
    }
    plusYears(count) { return this.plusMonths(count * 12); }
    minusSeconds(count) { return this.plusSeconds(-count); }
    minusMinutes(count) { return this.plusMinutes(-count); }
    minusHours(count) { return this.plusHours(-count); }
    minusDays(count) { return this.plusDays(-count); }
    minusWeeks(count) { return this.plusWeeks(-count); }
    minusMonths(count) { return this.plusMonths(-count); }
    minusYears(count) { return this.plusYears(-count); }
    toLocalDate() { return this.toString().slice(0, 10); }
    toString() {
      const minutes = Math.abs(this.#offset) / 60000;
      const sign = this.#offset < 0 ? "-" : "+";
      const offset = minutes ? `${sign}${pad(Math.floor(minutes / 60))}:${pad(Math.floor(minutes % 60))}` : "Z";
      const milliseconds = this.#wall.getUTCMilliseconds();
      const fraction = milliseconds ? "." + pad(milliseconds, 3) : "";
      const seconds = this.getSecond() || fraction ? `:${pad(this.getSecond())}${fraction}` : "";
      const date = `${pad(this.getYear(), 4)}-${pad(this.getMonthValue())}-${pad(this.getDayOfMonth())}`;
      const time = `${pad(this.getHour())}:${pad(this.getMinute())}${seconds}`;
      return `${date}T${time}${offset}${this.#zone ? `[${this.#zone}]` : ""}`;
    }
    toJSON() { return this.toString(); }
    [Symbol.toPrimitive](hint) { return hint === "number" ? this.getTime() : this.toString(); }
    wall() { return this.#wall.toISOString().slice(0, -1); }
  }
  bean(ZonedDateTime);

  // The host reads UTF-8 up to the first NUL: both kinds of letter it could not read are replaced.
  const clean = (text) => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text).toWellFormed();

  const textOf = (value) => {
    if (value === null || value === undefined) return null;
    if (typeof value === "string") return clean(value);
    if (typeof value === "function" || typeof value === "symbol")
      throw new TypeError(`a ${typeof value} is no value; call it, or return a text`);
    if (typeof value !== "object") return String(value);
    if (typeof value.toJSON === "function" && typeof (value = value.toJSON()) === "string") return clean(value);
    if (value instanceof String || value instanceof Number) return clean(String(value));
    return clean(stringify(value));
  };

  // Text and null are handed over as they are; an object {wall} or {epoch} is a date that the host formats.
  const evaluate = (text) => {
    const value = evaluateGlobally(text);
    if (value instanceof ZonedDateTime) return { wall: value.wall() };
    if (value instanceof Date) return { epoch: value.toISOString() };
    return textOf(value);
  };

  Object.defineProperty(globalThis, Symbol.for("scoopi"), { value: { bean, textOf, ZonedDateTime } });
  return evaluate;
})()
