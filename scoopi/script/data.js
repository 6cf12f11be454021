// The host objects of the script step: data, its items (rows), and their axes (columns).
(() => {
  "use strict";
  const { bean, textOf } = globalThis[Symbol.for("scoopi")];

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
  }
  bean(Data);

  const read = (json) => {
    const { name, heads, rows } = JSON.parse(json);
    const items = new List();
    rows.forEach(([head, values, indexes], position) =>
      items.push(new Item({ position, axes: heads[head], values, indexes, changed: false })));
    return new Data(name, items);
  };

  // Each row as [position in the input], with its values behind it if any was set.
  const write = (result) => {
    if (result === null || result === undefined) throw new TypeError("nothing was returned; return the data");
    const items = result instanceof Data ? result.getItems() : result;
    if (!Array.isArray(items)) throw new TypeError("neither data nor a list of its items was returned");
    return JSON.stringify(Array.from(items, (item) => {
      if (!Item.isItem(item)) throw new TypeError("the returned list holds something that is no item of the data");
      const row = Item.rowOf(item);
      return row.changed ? [row.position, row.values] : [row.position];
    }));
  };

  return (entry, json) => write(entry(read(json)));
})()
