// Called by the step `minutes`: `1 h 25 min` becomes `85 min`.
function inMinutes(data) {
  for (const item of data.items) {
    const time = item.getAxis("fact");
    const found = /^(?:(\d+) h )?(\d+) min$/.exec(time.value);
    if (found) time.value = `${Number(found[1] ?? 0) * 60 + Number(found[2])} min`;
  }
  return data;
}
