"""queens_booleans.py: the counterpart of queens_booleans.st."""
import sys


class Queens:
    def __init__(self, size):
        self.size = size
        self.columns = [False] * size
        self.rising = [False] * (size * 2)
        self.falling = [False] * (size * 2)
        self.solutions = 0

    def is_free(self, row, column):
        return not (
            self.columns[column] or self.rising[row + column] or self.falling[row - column + self.size]
        )

    def set(self, row, column, value):
        self.columns[column] = value
        self.rising[row + column] = value
        self.falling[row - column + self.size] = value

    def place(self, row):
        if row == self.size:
            self.solutions += 1
            return
        for column in range(self.size):
            if self.is_free(row, column):
                self.set(row, column, True)
                self.place(row + 1)
                self.set(row, column, False)


queens = Queens(int(sys.argv[1]))
queens.place(0)
print(queens.solutions)
