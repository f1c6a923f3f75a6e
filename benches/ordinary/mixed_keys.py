"""mixed_keys.py: the counterpart of mixed_keys.st."""
import sys


def main():
    count = int(sys.argv[1])
    table = {}
    for each in range(1, count + 1):
        table[each] = each
        table[str(each)] = each * 2
    total = 0
    for each in range(1, count + 1):
        total += table[each] + table[str(each)]
    print(len(table))
    print(total)


main()
