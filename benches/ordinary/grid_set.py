"""grid_set.py: the counterpart of grid_set.st, with a set of tuples."""
import sys


def main():
    width = int(sys.argv[1])
    points = set()
    for x in range(1, width + 1):
        for y in range(1, width + 1):
            points.add((x, y))
    found = 0
    half = width // 2
    for x in range(1, width + 1):
        for y in range(1, width + 1):
            if (x + half, y) in points:
                found += 1
    print(len(points))
    print(found)


main()
