"""determinant.py: the counterpart of determinant.st, with the fractions module."""
import sys
from fractions import Fraction


def determinant_of(rows):
    size = len(rows)
    determinant = Fraction(1)
    for column in range(size):
        pivot = next((each for each in range(column, size) if rows[each][column] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != column:
            rows[pivot], rows[column] = rows[column], rows[pivot]
            determinant = -determinant
        row = rows[column]
        determinant *= row[column]
        for below in range(column + 1, size):
            other = rows[below]
            factor = other[column] / row[column]
            if factor != 0:
                for index in range(column, size):
                    other[index] -= factor * row[index]
    return determinant


size = int(sys.argv[1])
rows = [
    [Fraction(row * column % 7 + 1, row + column) for column in range(1, size + 1)]
    for row in range(1, size + 1)
]
determinant = determinant_of(rows)
print(determinant.numerator % 1000003)
print(determinant.denominator % 1000003)
