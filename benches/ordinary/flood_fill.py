"""flood_fill.py: the counterpart of flood_fill.st, with a set of tuples."""
import sys
from collections import deque

DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def is_free(x, y, width):
    if not 0 <= x < width or not 0 <= y < width:
        return False
    return x % 7 != 6 or y % 10 == 3


def fill(width):
    seen = {(0, 0)}
    queue = deque([(0, 0)])
    while queue:
        x, y = queue.popleft()
        for dx, dy in DIRECTIONS:
            following = (x + dx, y + dy)
            if is_free(*following, width) and following not in seen:
                seen.add(following)
                queue.append(following)
    return seen


print(len(fill(int(sys.argv[1]))))
