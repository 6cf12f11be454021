// The host objects of the script step: data, its items (rows), and their axes (columns).
(core) => {
  "use strict";
  const { apply, bean, evaluateGlobally, freeze, getOwnPropertyDescriptor, isArray, ownKeys, parse, stringify,
    textOf } = core;

  class List extends Array {
    size() { return this.length; }
    isEmpty() { return this.length === 0; }
    get(index) {
      if (!(index >= 0 && index < this.length)) throw new RangeError(`no element ${index}: there are ${this.length}`);
      return this[index];
    }
    set(index, element) { const former = this.get(index); this[index] = element; return former; }
    add(element) { this.push(element); return true; }
    contains(element) { return this.includes(element); }
    remove(which) {
      const index = typeof which === "number" ? which : this.indexOf(which);
      if (index < 0 || index >= this.length) return typeof which === "number" ? this.get(which) : false;
      const [former] = this.splice(index, 1);
      return typeof which === "number" ? former : true;
    }
    clear() { this.length = 0; }
  }

  class Axis {
    #row; #column;
    constructor(row, column) { this.#row = row; this.#column = column; }
    getAxisName() { return this.#row.axes[this.#column][0]; }
    getItemName() { return this.#row.axes[this.#column][1]; }
    getOrder() { return this.#row.axes[this.#column][2]; }
    getMatch() { return this.#row.axes[this.#column][3]; }
    getIndex() { return this.#row.indexes[this.#column]; }
    getValue() { return this.#row.values[this.#column]; }
    setValue(value) { this.#row.values[this.#column] = textOf(value); this.#row.changed = true; }
    toString() { return `${this.getAxisName()}.${this.getItemName()}=${this.getValue()}`; }
  }
  bean(Axis);

  class Item {
    #row; #axes = null;
    constructor(row) { this.#row = row; }
    getAxes() { return this.#axes ??= List.from(this.#row.axes, (_, column) => new Axis(this.#row, column)); }
    #axisAt(column) { return column < 0 ? null : this.getAxes()[column]; }
    getAxis(axisName) { return this.#axisAt(this.#row.axes.findIndex((axis) => axis[0] === axisName)); }
    getFirstAxis(...axisName) { return axisName.length ? this.getAxis(axisName[0]) : this.getAxes().get(0); }
    getAxisByItemName(name) { return this.#axisAt(this.#row.axes.findIndex((axis) => axis[1] === name)); }
    toString() { return this.getAxes().join(" "); }
    static rowOf(item) { return item.#row; }
    static isItem(value) { return typeof value === "object" && value !== null && #row in value; }
  }
  bean(Item);

  class Data {
    #name; #items;
    constructor(name, items) { this.#name = name; this.#items = items; }
    getName() { return this.#name; }
    getDataDef() { return this.#name; }
    getItems() { return this.#items; }
    setItems(items) { this.#items = List.from(items); }
    static itemsOf(value) { return typeof value === "object" && value !== null && #items in value ? value.#items : value; }
  }
  bean(Data);
  for (const kind of [List, Axis, Item, Data]) freeze(freeze(kind).prototype);

  const read = (json) => {
    const { name, heads, rows } = parse(json);
    const items = new List();
    for (let position = 0; position < rows.length; position++) {
      const [head, values, indexes] = rows[position];
      items[position] = new Item({ position, axes: heads[head], values, indexes, changed: false });
    }
    return new Data(name, items);
  };

  // Each row as [position in the input, its values if any was set, else null].
  const write = (result) => {
    if (result === null || result === undefined) throw new TypeError("nothing was returned; return the data");
    const items = Data.itemsOf(result);
    if (!isArray(items)) throw new TypeError("neither data nor a list of its items was returned");
    let written = "";
    for (let at = 0; at < items.length; at++) {
      if (!Item.isItem(items[at]))
        throw new TypeError("the returned list holds something that is not an item of the data");
      const { position, changed, values } = Item.rowOf(items[at]);
      written += `${at ? "," : ""}[${position},${changed ? stringify(values) : null}]`;
    }
    return `[${written}]`;
  };

  // What all scripts share without naming it: the global functions, and the objects that belong to JavaScript. A page
  // must not find there what a page before it has left; variables of a script are its own.
  const { getPrototypeOf } = Object;
  const globals = ownKeys(globalThis);
  const shared = [];
  const share = (value) => {
    const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
    if (isObject && value !== globalThis && !shared.includes(value)) shared.push(value);
  };
  for (const name of globals) {
    const { value } = getOwnPropertyDescriptor(globalThis, name);
    share(value);
    share(value?.prototype);
  }
  for (const sample of [[].values(), "".matchAll(/./g), ""[Symbol.iterator](), new Map().keys(), new Set().keys(),
    (function* () {})(), async () => {}, new Uint8Array(0)])
    for (let kind = getPrototypeOf(sample); kind; kind = getPrototypeOf(kind)) share(kind);

  let counts, prototypes, owners, names, values, accessors;
  const note = () => {
    [counts, prototypes, owners, names, values, accessors] = [[], [], [], [], [], []];
    const noteProperty = (owner, name) => {
      const property = getOwnPropertyDescriptor(owner, name);
      if (property && !("value" in property)) accessors.push([owner, name, property]);
      else if (property?.configurable || property?.writable) {
        owners.push(owner);
        names.push(name);
        values.push(property.value);
      }
    };
    for (const name of globals) noteProperty(globalThis, name);
    for (const owner of shared) {
      const keys = ownKeys(owner);
      counts.push(keys.length);
      prototypes.push(getPrototypeOf(owner));
      for (const name of keys) noteProperty(owner, name);
    }
  };
  const isAsLoaded = () => {
    for (let at = 0; at < counts.length; at++)
      if (ownKeys(shared[at]).length !== counts[at] || getPrototypeOf(shared[at]) !== prototypes[at]) return false;
    for (let at = 0; at < owners.length; at++) if (owners[at][names[at]] !== values[at]) return false;
    for (let at = 0; at < accessors.length; at++) {
      const now = getOwnPropertyDescriptor(accessors[at][0], accessors[at][1]);
      if (!now || now.get !== accessors[at][2].get || now.set !== accessors[at][2].set) return false;
    }
    return true;
  };

  let entry = null;
  const load = (sources) => {
    entry = evaluateGlobally(sources);
    note();
    return entry && "loaded";
  };
  const run = (json) => write(apply(entry, undefined, [read(json)]));

  return { load, run, isAsLoaded };
}
