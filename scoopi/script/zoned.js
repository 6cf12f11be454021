// A java.time.ZonedDateTime as far as scripts use it; `wall` is its local date-time taken as if it were UTC.
// It is compiled when it is first used; `natives` are the engine's objects as they were before any script ran.
(natives, bean, freeze) => {
  "use strict";
  const { Date, String, Math } = natives;
  const MONTHS = ["JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER",
    "OCTOBER", "NOVEMBER", "DECEMBER"];
  const DAYS = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];
  const DAY_MS = 86400000;
  const pad = (number, width = 2) => String(number).padStart(width, "0");

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
    static wallOf(value) { return value.#wall; }
    static isOne(value) { return typeof value === "object" && value !== null && #wall in value; }
  }
  freeze(freeze(bean(ZonedDateTime)).prototype);
  return ZonedDateTime;
}
