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

  // What an item and its axes share is an array, which costs the engine less than an object: see `read`. Axes lead to
  // it and not to their item, so that the engine frees all of them at once and need not look for cycles.
  const VALUES = 0, AXES = 1, PLACE = 2, CHANGED = 3, ALL = 4;

  class Axis {
    #row; #column;
    constructor(row, column) { this.#row = row; this.#column = column; }
    getAxisName() { return this.#row[AXES][this.#column][0]; }
    getItemName() { return this.#row[AXES][this.#column][1]; }
    getOrder() { return this.#row[AXES][this.#column][2]; }
    getMatch() { return this.#row[AXES][this.#column][3]; }
    getIndex() { const row = this.#row; return row[ALL].indexes(row[PLACE])[this.#column]; }
    getValue() { return this.#row[VALUES][this.#column]; }
    setValue(value) {
      const row = this.#row;
      row[VALUES][this.#column] = textOf(value);
      row[CHANGED] = true;
    }
    toString() { return `${this.getAxisName()}.${this.getItemName()}=${this.getValue()}`; }
  }
  bean(Axis);

  class Item {
    // The axes that were asked for, by column; most scripts look at one or two. All of them, once the list was.
    #row; #made = null;
    constructor(row) { this.#row = row; }
    #axis(part, name) {
      const row = this.#row, axes = row[AXES], count = axes.length;
      for (let column = 0; column < count; column++)
        if (axes[column][part] === name) {
          const made = this.#made ??= [null, null, null], axis = made[column];  // without holes, which are slow
          return axis || made instanceof List ? axis : made[column] = new Axis(row, column);
        }
      return null;
    }
    getAxes() {
      const row = this.#row, made = this.#made;
      if (made instanceof List) return made;
      const list = new List();
      for (let column = 0; column < row[AXES].length; column++)
        defineProperty(list, column,
          { value: made?.[column] ?? new Axis(row, column), writable: true, enumerable: true, configurable: true });
      return this.#made = list;
    }
    getAxis(axisName) { return this.#axis(0, axisName); }
    getFirstAxis(...axisName) { return axisName.length ? this.getAxis(axisName[0]) : this.getAxes().get(0); }
    getAxisByItemName(name) { return this.#axis(1, name); }
    toString() { return this.getAxes().join(" "); }
    // The place of each row in the input, as -1 - place if a value was set; and the values of these rows.
    static written(items) {
      const places = [], changed = [];
      for (let at = 0; at < items.length; at++) {
        const item = items[at];
        if (typeof item !== "object" || item === null || !(#row in item))
          throw new TypeError("the returned list holds something that is not an item of the data");
        const row = item.#row;
        if (row[CHANGED]) {
          places[at] = -1 - row[PLACE];
          changed[changed.length] = row[VALUES];
        } else {
          places[at] = row[PLACE];
        }
      }
      return `[${stringify(places)},${stringify(changed)}]`;
    }
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

  // Heads are given for each row where they differ; indexes are read when a script asks for the first one.
  const read = (json, indexes) => {
    const { name, heads, numbers, rows } = parse(json);
    const items = new List();
    let known = null;
    const all = { indexes: (place) => (known ??= parse(indexes))[place] };
    for (let place = 0; place < rows.length; place++)
      items[place] = new Item([rows[place], heads[numbers === null ? 0 : numbers[place]], place, false, all]);
    return new Data(name, items);
  };

  const write = (result) => {
    if (result === null || result === undefined) throw new TypeError("nothing was returned; return the data");
    const items = Data.itemsOf(result);
    if (!isArray(items)) throw new TypeError("neither data nor a list of its items was returned");
    return Item.written(items);
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
    [areSame, checks] = [compareEach, 0];
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
  // A script that is called again gets a comparison of its own: the engine finds a property whose name stands in the
  // code sooner than one whose name is a value.
  const compareEach = () => {
    for (let at = 0; at < owners.length; at++) if (owners[at][names[at]] !== values[at]) return false;
    return true;
  };
  const compiled = () => {
    let text = "(owners, names, values) => () => { let o;", owner;
    for (let at = 0; at < owners.length; at++) {
      if (owner !== owners[at]) text += ` o = owners[${at}];`;
      owner = owners[at];
      text += ` if (o[${typeof names[at] === "string" ? stringify(names[at]) : `names[${at}]`}] !== values[${at}]) return false;`;
    }
    return evaluateGlobally(`${text} return true; }`)(owners, names, values);
  };
  let areSame, checks;
  const isAsLoaded = () => {
    for (let at = 0; at < counts.length; at++)
      if (ownKeys(shared[at]).length !== counts[at] || getPrototypeOf(shared[at]) !== prototypes[at]) return false;
    checks += 1;
    if (checks === 2) areSame = compiled();
    if (!areSame()) return false;
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
  const run = (json, indexes) => write(apply(entry, undefined, [read(json, indexes)]));

  return { load, run, isAsLoaded };
}
