"""large_objects.py: the counterpart of large_objects.st."""
import sys


def main():
    count, size = int(sys.argv[1]), int(sys.argv[2])
    small = []
    for each in range(1, 100001):
        small.append(str(each))
    recent = [None] * 4
    for each in range(1, count + 1):
        large = [None] * size
        large[0] = each
        large[-1] = each
        recent[each % 4] = large
    print(len(small) + sum(each[0] + each[-1] for each in recent))


main()
