"""factorials.py: the counterpart of factorials.st."""
import sys


def product_to(number):
    product = 1
    for each in range(2, number + 1):
        product *= each
    return product


def zeros_of(number):
    zeros = 0
    while number % 10 == 0:
        number //= 10
        zeros += 1
    return zeros


sys.set_int_max_str_digits(0)
for _ in range(int(sys.argv[2])):
    product = product_to(int(sys.argv[1]))
    zeros = zeros_of(product)
print(zeros)
print(product)
