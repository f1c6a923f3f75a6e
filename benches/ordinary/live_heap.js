// live_heap.js: the counterpart of live_heap.st.
class Node {
  constructor(a, b, c, next) {
    this.a = a;
    this.b = b;
    this.c = c;
    this.next = next;
  }
}

const [objects, rounds, places] = process.argv.slice(2).map(Number);
const kept = new Array(places);
let last = null;
for (let each = 1; each <= objects; each++) {
  last = new Node(each, each * 2, null, last);
  kept[each % places] = last;
}
for (let round = 1; round <= rounds; round++) {
  let node = null;
  for (let each = 1; each <= 1000000; each++) {
    node = new Node(each, round, node, null);
    if (each % 16 === 0) {
      node = null;
      kept[(each * 7919 + round) % places] = new Node(each, round, null, null);
    }
  }
}
let sum = 0;
for (const each of kept) sum += each.a;
console.log(String(sum));
