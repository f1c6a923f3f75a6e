"""memo_pairs.py: the counterpart of memo_pairs.st, with a dictionary keyed by tuples."""
import sys


def letters(seed, count):
    made = []
    for _ in range(count):
        seed = (seed * 1309 + 13849) % 65536
        made.append("acgt"[seed // 16 % 4])
    return "".join(made)


class CommonSubsequence:
    def __init__(self, left, right):
        self.left = left
        self.right = right
        self.known = {}

    def from_(self, i, j):
        if i >= len(self.left) or j >= len(self.right):
            return 0
        key = (i, j)
        found = self.known.get(key)
        if found is not None:
            return found
        if self.left[i] == self.right[j]:
            found = self.from_(i + 1, j + 1) + 1
        else:
            found = max(self.from_(i + 1, j), self.from_(i, j + 1))
        self.known[key] = found
        return found


sys.setrecursionlimit(100000)
length = int(sys.argv[1])
common = CommonSubsequence(letters(1, length), letters(2, length))
print(common.from_(0, 0))
print(len(common.known))
