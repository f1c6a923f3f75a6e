"""life_points.py: the counterpart of life_points.st, with tuples."""
import sys


def step(living):
    counts = {}
    for x, y in living:
        for right in (-1, 0, 1):
            for down in (-1, 0, 1):
                if right or down:
                    cell = (x + right, y + down)
                    counts[cell] = counts.get(cell, 0) + 1
    return {cell for cell, count in counts.items() if count == 3 or (count == 2 and cell in living)}


living = {(1, 0), (2, 0), (0, 1), (1, 1), (1, 2)}
for each in range(1, 21):
    for down in (-1, 0, 1):
        living.add((each * 6 + 100, down))
for _ in range(int(sys.argv[1])):
    living = step(living)
print(len(living))
print(sum(abs(x) * 3 + abs(y) for x, y in living))
