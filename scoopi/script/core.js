// What every sandbox begins with: calls from the host, their answers as text and guards.
// `hosts` makes the operations of one kind of script; `zonedSource` is the text of zoned.js. What the host calls uses
// the engine's own functions as they were at the beginning: a script may replace those that it can reach.
(hosts, zonedSource) => {
  "use strict";
  const evaluateGlobally = eval;
  const { stringify, parse } = JSON;
  const { apply, defineProperty, deleteProperty, get, getOwnPropertyDescriptor, has, ownKeys, set } = Reflect;
  const { freeze, getOwnPropertyNames } = Object;
  const { isArray } = Array;
  const { toWellFormed, includes, replaceAll, slice: sliceText, toLowerCase } = String.prototype;
  const { exec } = RegExp.prototype;
  const { toISOString, getUTCFullYear } = Date.prototype;
  const { slice: sliceArray, map: mapArray } = Array.prototype;
  const NativeDate = Date, NativeProxy = Proxy, NativeString = String, NativeNumber = Number, NativeObject = Object,
    NativeMath = Math;
  const replaceMethod = (owner, name, method) => {
    defineProperty(method, "name", { value: NativeString(name), configurable: true });
    defineProperty(owner, name, { value: method, writable: true, enumerable: false, configurable: true });
  };

  // The error of a limit leaves the engine outside of the time limit, where nothing of a script may be called.
  const limitText = function () { return `InternalError: ${getOwnPropertyDescriptor(this, "message")?.value}`; };
  for (const [name, value] of [["toString", limitText], [Symbol.toPrimitive, limitText], ["stack", ""]])
    defineProperty(InternalError.prototype, name, { value });
  freeze(InternalError.prototype);
  defineProperty(Error, "prepareStackTrace", { value: undefined, writable: false, configurable: false });

  // Native loops that never look at the time limit. Over an array they are bounded by its length, which only code of
  // its own can change; over anything else each of their steps is made a call, which looks at the limit.
  const MOST_ITEMS = 16777216;
  const proxies = new WeakSet();
  const isKnownProxy = WeakSet.prototype.has.bind(proxies);
  const noteProxy = WeakSet.prototype.add.bind(proxies);
  const noted = (proxy) => { noteProxy(proxy); return proxy; };
  globalThis.Proxy = class Proxy { constructor(target, handler) { return noted(new NativeProxy(target, handler)); } };
  const { revocable } = NativeProxy;
  replaceMethod(Proxy, "revocable", (target, handler) => {
    const made = revocable(target, handler);
    noteProxy(made.proxy);
    return made;
  });
  const isPlainArray = (value) => isArray(value) && !isKnownProxy(value);
  const STEP_BY_STEP = freeze({
    __proto__: null,
    get: (target, key) => get(target, key),
    set: (target, key, value) => set(target, key, value),
    has: (target, key) => has(target, key),
    deleteProperty: (target, key) => deleteProperty(target, key),
    defineProperty: (target, key, property) => defineProperty(target, key, property),
  });
  const checkedLength = (list) => {
    const { length } = list;
    if (length > MOST_ITEMS) throw new RangeError("array is too long to go through");
    return length;
  };
  for (const name of ["join", "toString", "toLocaleString", "sort", "reverse", "fill", "indexOf", "lastIndexOf",
    "includes", "copyWithin", "shift", "unshift", "slice", "splice", "toSorted", "toReversed", "toSpliced", "with",
    "push", "pop", "at", "forEach", "map", "filter", "some", "every", "reduce", "reduceRight", "find", "findIndex",
    "findLast", "findLastIndex"]) {
    const native = Array.prototype[name];
    if (!native) continue;
    replaceMethod(Array.prototype, name, function (...given) {
      if (this === null || this === undefined) return apply(native, this, given);
      if (isPlainArray(this)) { checkedLength(this); return apply(native, this, given); }
      const self = NativeObject(this);
      const seen = new NativeProxy(self, STEP_BY_STEP);
      const result = apply(native, seen, given);
      return result === seen ? self : result;
    });
  }
  const append = (list, target, depth) => {
    const length = checkedLength(list);
    for (let at = 0; at < length; at++) {
      if (!has(list, at)) { if (depth < 0) target.length++; continue; }
      const element = list[at];
      if (depth > 0 && isArray(element)) append(element, target, depth - 1);
      else defineProperty(target, target.length,
        { value: element, writable: true, enumerable: true, configurable: true });
    }
    return target;
  };
  const emptyLike = (list) => (isPlainArray(list) ? apply(sliceArray, list, [0, 0]) : []);
  replaceMethod(Array.prototype, "concat", function (...given) {
    const target = emptyLike(this);
    for (let at = -1; at < given.length; at++) {
      const part = at < 0 ? NativeObject(this) : given[at];
      const spreads = typeof part === "object" && part !== null && (part[Symbol.isConcatSpreadable] ?? isArray(part));
      append(spreads ? part : [part], target, -1);
    }
    return target;
  });
  replaceMethod(Array.prototype, "flat", function (depth = 1) {
    return append(NativeObject(this), emptyLike(this), NativeNumber(depth) || 0);
  });
  replaceMethod(Array.prototype, "flatMap", function (change, self) {
    return append(apply(mapArray, this, [change, self]), emptyLike(this), 1);
  });

  const { raw: nativeRaw } = NativeString;
  replaceMethod(NativeString, "raw", (template, ...given) => {
    const { raw } = template, copy = [];
    const length = checkedLength(raw);
    for (let at = 0; at < length; at++) copy[at] = `${raw[at]}`;
    return apply(nativeRaw, NativeString, [{ raw: copy }, ...given]);
  });
  const { drop } = Iterator.prototype;
  replaceMethod(Iterator.prototype, "drop", function (count) {
    return apply(drop, this, [checkedLength({ length: NativeNumber(count) })]);
  });

  // A search of a huge text in another never looks at the time limit either.
  const MOST_STEPS = 1e9;
  for (const [name, symbol] of [["indexOf"], ["lastIndexOf"], ["includes"], ["split", Symbol.split],
    ["replace", Symbol.replace], ["replaceAll", Symbol.replace]]) {
    const native = String.prototype[name];
    replaceMethod(String.prototype, name, function (wanted, ...given) {
      if (this === null || this === undefined) return apply(native, this, [wanted]);
      if (typeof wanted === "object" && wanted !== null) {
        const own = symbol && wanted[symbol];
        if (own !== undefined && own !== null) {
          if (name === "replaceAll" && wanted instanceof RegExp) return apply(native, this, [wanted, ...given]);
          return apply(own, wanted, [this, ...given]);
        }
        if (wanted instanceof RegExp && !symbol) return apply(native, this, [wanted, ...given]);
      }
      const text = `${this}`;
      const needle = name === "split" && wanted === undefined ? wanted : `${wanted}`;
      if (needle?.length > 64 && needle.length * text.length > MOST_STEPS)
        throw new RangeError("text is too long to search");
      return apply(native, text, [needle, ...given]);
    });
  }

  // A method getX() or isX() without parameters can also be read as the property x, and setX(v) be assigned.
  const bean = (kind) => {
    const { prototype } = kind;
    const names = getOwnPropertyNames(prototype);
    for (let at = 0; at < names.length; at++) {
      const name = names[at];
      const getter = apply(exec, /^(?:get|is)([A-Z].*)$/, [name]);
      if (!getter || prototype[name].length) continue;
      const property = apply(toLowerCase, getter[1][0], []) + apply(sliceText, getter[1], [1]);
      if (property in prototype) continue;
      defineProperty(prototype, property, { __proto__: null, get: prototype[name], set: prototype["set" + getter[1]] });
    }
    return kind;
  };

  // Parsing ZonedDateTime takes a fifth of a sandbox's time, and few pages need it: it is compiled at its first use.
  let ZonedDateTime = null;
  const zonedOf = ({ wall, offset, zone }) => {
    const natives = { Date: NativeDate, String: NativeString, Math: NativeMath };
    ZonedDateTime ??= evaluateGlobally(zonedSource)(natives, bean, freeze);
    return new ZonedDateTime(wall, offset, zone);
  };

  // The host reads UTF-8 up to the first NUL: both kinds of letter it could not read are replaced.
  const hasPart = Function.prototype.call.bind(includes), wellFormed = Function.prototype.call.bind(toWellFormed);
  const clean = (text) => wellFormed(hasPart(text, "\0") ? apply(replaceAll, text, ["\0", "\ufffd"]) : text);

  const textOf = (value) => {
    if (typeof value === "string") return clean(value);
    if (value === null || value === undefined) return null;
    if (typeof value === "object") {
      if (typeof value.toJSON === "function") value = value.toJSON();
      if (value instanceof NativeString || value instanceof NativeNumber) value = `${value}`;
      if (typeof value === "object") value = stringify(value);
    }
    if (typeof value === "string") return clean(value);
    if (typeof value === "function" || typeof value === "symbol" || value === undefined)
      throw new TypeError(`a ${typeof value} is not a value; call it, or return a text`);
    return NativeString(value);
  };

  // A date goes to the host as it is written here, for the host to format.
  const dateOf = (value) => {
    const text = apply(toISOString, value, []);
    const year = apply(getUTCFullYear, value, []);
    if (year < 1 || year > 9999) throw new RangeError(`date is out of range: its year ${year} is not from 1 to 9999`);
    return apply(sliceText, text, [0, -1]);
  };

  // An answer is a letter for its kind and a text: primitive, so that the host runs nothing of a script to read it.
  const answerOf = (value) => {
    if (ZonedDateTime?.isOne(value)) return `w${dateOf(ZonedDateTime.wallOf(value))}`;
    if (value instanceof NativeDate) return `e${dateOf(value)}`;
    const text = textOf(value);
    return text === null ? "0" : `=${text}`;
  };

  const MOST_LETTERS = 4000;
  const shown = (read) => {
    try {
      const text = read();
      return typeof text === "string" ? clean(apply(sliceText, text, [0, MOST_LETTERS])) : "";
    } catch {
      return "";
    }
  };
  const failureOf = (error) => {
    const what = shown(() => NativeString(error)) || "an exception that gives no text";
    return `!${what}\n${shown(() => (typeof error === "object" && error !== null ? error.stack : ""))}`;
  };

  const operations = { __proto__: null, evaluate: evaluateGlobally,
    ...hosts({ apply, bean, defineProperty, evaluateGlobally, freeze, getOwnPropertyDescriptor, isArray, ownKeys, parse,
      stringify, textOf, zonedOf }) };
  return (name, first, second) => {
    try {
      return answerOf(operations[name](first, second));
    } catch (error) {
      return failureOf(error);
    }
  };
}
