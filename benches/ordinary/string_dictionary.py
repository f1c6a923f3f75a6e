"""string_dictionary.py: the counterpart of string_dictionary.st."""
import sys


def main():
    count = int(sys.argv[1])
    table = {}
    for each in range(1, count + 1):
        table["customer-" + str(each)] = each
    total = 0
    for each in range(count, 0, -1):
        total += table["customer-" + str(each)]
    for each in range(1, count + 1):
        total += table.get("supplier-" + str(each), 1)
    print(len(table))
    print(total)


main()
