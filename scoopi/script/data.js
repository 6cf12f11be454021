// The host objects of the script step: data, its items (rows), and their axes (columns).
(core) => {
  "use strict";
  const { apply, bean, defineProperty, evaluateGlobally, freeze, getOwnPropertyDescriptor, isArray, ownKeys, parse,
    stringify, textOf } = core;

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

  // The list of axes is made when it is asked for, as most scripts look at one or two axes of a row.
  class Item {
    #row; #axes = null; #single = null;
    constructor(row) { this.#row = row; }
    getAxes() {
      if (this.#axes === null) {
        this.#axes = new List();
        for (let column = 0; column < this.#row.axes.length; column++)
          defineProperty(this.#axes, column,
            { value: this.#axisAt(column), writable: true, enumerable: true, configurable: true });
      }
      return this.#axes;
    }
    #axisAt(column) {
      this.#single ??= [];
      return this.#single[column] ??= new Axis(this.#row, column);
    }
    #found(part, name) {
      const { axes } = this.#row;
      for (let column = 0; column < axes.length; column++)
        if (axes[column][part] === name) return this.#axes === null ? this.#axisAt(column) : this.#axes[column];
      return null;
    }
    getAxis(axisName) { return this.#found(0, axisName); }
    getFirstAxis(...axisName) { return axisName.length ? this.getAxis(axisName[0]) : this.getAxes().get(0); }
    getAxisByItemName(name) { return this.#found(1, name); }
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
      const row = rows[position];
      items[position] = new Item(
        { position, axes: heads[row[0]], values: row[1], indexes: row[2], changed: false });
    }
    return new Data(name, items);
  };

  // The position of each row in the input, as -1 - position if a value was set; and the values of these rows.
  const write = (result) => {
    if (result === null || result === undefined) throw new TypeError("nothing was returned; return the data");
    const items = Data.itemsOf(result);
    if (!isArray(items)) throw new TypeError("neither data nor a list of its items was returned");
    const places = [], changed = [];
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      if (!Item.isItem(item))
        throw new TypeError("the returned list holds something that is not an item of the data");
      const row = Item.rowOf(item);
      places[at] = row.changed ? -1 - row.position : row.position;
      if (row.changed) changed[changed.length] = row.values;
    }
    return `[${stringify(places)},${stringify(changed)}]`;
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
