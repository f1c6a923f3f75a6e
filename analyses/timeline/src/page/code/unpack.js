// Packed columns: numbers of seven bits a byte, deflated, in base 64.

async function inflated(text) {
  if (text === "") return new Uint8Array(0);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place++) bytes[place] = letters.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads numbers one after the other. Numbers beyond what a script holds exactly are rounded.
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.place = 0;
  }

  byte() {
    return this.bytes[this.place++] ?? 0;
  }

  number() {
    let byte = this.byte(), number = byte & 127, unit = 128;
    while (byte > 127) {
      byte = this.byte();
      number += (byte & 127) * unit;
      unit *= 128;
    }
    return number;
  }

  // The sign is in the lowest bit.
  difference() {
    const number = this.number();
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }

  // A column of numbers, or of what is made of them.
  column(Type, count, next = () => this.number()) {
    const column = new Type(count);
    for (let place = 0; place < count; place++) column[place] = next(place);
    return column;
  }

  // Numbers of which 0 stands for nothing, which is -1 in the column.
  optionals(count) {
    return this.column(Int32Array, count, () => this.number() - 1);
  }
}
