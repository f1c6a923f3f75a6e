"""collatz.py: the counterpart of collatz.st."""
import sys


def main():
    lengths = {1: 1}

    def length_from(number):
        if number in lengths:
            return lengths[number]
        following = number // 2 if number % 2 == 0 else 3 * number + 1
        length = lengths[number] = length_from(following) + 1
        return length

    best, longest = 1, 1
    for each in range(2, int(sys.argv[1]) + 1):
        length = length_from(each)
        if length > longest:
            longest, best = length, each
    print(best, longest)
    print(len(lengths))


main()
