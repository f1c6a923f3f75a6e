"""modular_power.py: the counterpart of modular_power.st."""
import sys


def power(base, exponent, modulus):
    result = 1
    square = base % modulus
    while exponent > 0:
        if exponent & 1:
            result = result * square % modulus
        square = square * square % modulus
        exponent >>= 1
    return result


def passes(number, base, odd, twos):
    value = power(base, odd, number)
    if value == 1 or value == number - 1:
        return True
    for _ in range(twos - 1):
        value = value * value % number
        if value == number - 1:
            return True
    return False


def is_prime(number):
    odd = number - 1
    twos = 0
    while odd % 2 == 0:
        odd //= 2
        twos += 1
    return all(passes(number, base, odd, twos) for base in (2, 3, 5, 7, 11, 13))


def next_after(number):
    candidate = number + 2 if number % 2 == 1 else number + 1
    while not is_prime(candidate):
        candidate += 2
    return candidate


number = 2 ** int(sys.argv[1]) + 12345
for _ in range(int(sys.argv[2])):
    number = next_after(number)
    print(number % 1000000007)
