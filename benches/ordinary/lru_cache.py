"""lru_cache.py: the counterpart of lru_cache.st, with an ordered dictionary."""
import sys
from collections import OrderedDict


class Cache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.values = OrderedDict()

    def get(self, key, make):
        if key in self.values:
            self.values.move_to_end(key)
            return self.values[key]
        if len(self.values) >= self.capacity:
            self.values.popitem(last=False)
        value = self.values[key] = make(key)
        return value


def main():
    cache = Cache(int(sys.argv[1]))
    seed, misses, total = 1, 0, 0

    def make(key):
        nonlocal misses
        misses += 1
        return len(key)

    for _ in range(int(sys.argv[2])):
        seed = seed * 16807 % 2147483647
        key = str(seed % 10000 if seed % 3 == 0 else seed % 500)
        total += cache.get(key, make)
    print(misses)
    print(total)


main()
