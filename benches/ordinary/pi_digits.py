"""pi_digits.py: the counterpart of pi_digits.st."""
import sys


def pi_digits():
    q, r, t, k, n, l = 1, 0, 1, 1, 3, 3
    while True:
        if 4 * q + r - t < n * t:
            yield n
            q, r, n = q * 10, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            n, r = (7 * k * q + 2 + r * l) // (t * l), (2 * q + r) * l
            q, t, l, k = q * k, t * l, l + 2, k + 1


digits = pi_digits()
print("".join(str(next(digits)) for _ in range(int(sys.argv[1]))))
