"""pair_set.py: the counterpart of pair_set.st, with a set of tuples."""
import sys


def main():
    width = int(sys.argv[1])
    pairs = set()
    for i in range(1, width + 1):
        for j in range(1, width + 1):
            pairs.add((i, j))
    found = 0
    for i in range(1, width + 1):
        for j in range(1, width + 1):
            if (j, i + j) in pairs:
                found += 1
    print(len(pairs))
    print(found)


main()
