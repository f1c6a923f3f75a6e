"""fibonacci.py: the counterpart of fibonacci.st."""
import sys


def fibonacci(index):
    current, following = 0, 1
    for _ in range(index):
        current, following = following, current + following
    return current


for _ in range(int(sys.argv[2])):
    number = fibonacci(int(sys.argv[1]))
print(number % 1000000007)
