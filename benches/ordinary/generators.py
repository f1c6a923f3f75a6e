"""generators.py: the counterpart of generators.st."""
import itertools
import sys


def without(source, prime):
    for number in source:
        if number % prime != 0:
            yield number


def first(count):
    source = itertools.count(2)
    primes = []
    for _ in range(count):
        prime = next(source)
        primes.append(prime)
        source = without(source, prime)
    return primes


for _ in range(int(sys.argv[2])):
    primes = first(int(sys.argv[1]))
print(primes[-1])
print(sum(primes))
