"""half_keys.py: the counterpart of half_keys.st."""
import sys


def main():
    count = int(sys.argv[1])
    table = {}
    for each in range(1, count + 1):
        table[each * 0.5] = each
    total = 0
    for each in range(1, count + 1):
        total += table[each * 0.5]
    for each in range(1, count + 1):
        total += table.get(each * 0.5 + 0.25, 1)
    print(len(table))
    print(total)


main()
