"""absent_integers.py: the counterpart of absent_integers.st."""
import sys


def main():
    count = int(sys.argv[1])
    numbers = set()
    for each in range(1, count + 1):
        numbers.add(each)
    absent = 0
    for each in range(1, count + 1):
        if each + count not in numbers:
            absent += 1
        if -each not in numbers:
            absent += 1
    print(len(numbers))
    print(absent)


main()
