// Called by the step `metres` of tides.yml with the rows of one page; gives them back changed.
const HEIGHT = /^(\d+) ft (\d+) in$/;

function toMetres(data) {
  for (const item of data.getItems()) {
    const height = item.getAxisByItemName("fact");
    const found = HEIGHT.exec(height.getValue());
    if (found) {
      const inches = Number(found[1]) * 12 + Number(found[2]);
      height.setValue((inches * 0.0254).toFixed(DIGITS) + " m");
    }
  }
  return data;
}
