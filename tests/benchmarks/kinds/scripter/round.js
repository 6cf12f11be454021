function rounded(data) {
  for (const item of data.items) {
    const fact = item.getAxis("fact");
    fact.setValue(String(Math.round(Number(fact.value))));
  }
  return data;
}
