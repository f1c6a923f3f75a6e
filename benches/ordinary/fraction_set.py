"""fraction_set.py: the counterpart of fraction_set.st."""
import sys
from fractions import Fraction


def main():
    bound = int(sys.argv[1])
    fractions = set()
    for above in range(1, bound + 1):
        for below in range(1, bound + 1):
            fractions.add(Fraction(above, below))
    found = 0
    for each in range(1, bound + 1):
        if Fraction(each + 1, bound + 1) in fractions:
            found += 1
    print(len(fractions))
    print(found)


main()
