"""shortest_path.py: the counterpart of shortest_path.st, with tuples and a binary heap of its own."""
import sys

DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Queue:
    def __init__(self):
        self.steps = []

    def add(self, step):
        steps = self.steps
        steps.append(step)
        index = len(steps) - 1
        while index > 0 and steps[(index - 1) // 2][0] > step[0]:
            steps[index] = steps[(index - 1) // 2]
            index = (index - 1) // 2
        steps[index] = step

    def remove_first(self):
        first = self.steps[0]
        last = self.steps.pop()
        if self.steps:
            self.sink(last)
        return first

    def sink(self, step):
        steps = self.steps
        index = 0
        while (child := index * 2 + 1) < len(steps):
            if child + 1 < len(steps) and steps[child + 1][0] < steps[child][0]:
                child += 1
            if not steps[child][0] < step[0]:
                break
            steps[index] = steps[child]
            index = child
        steps[index] = step


def shortest(width, start, goal):
    known = {start: 0}
    queue = Queue()
    queue.add((0, start))
    while queue.steps:
        cost, point = queue.remove_first()
        if point == goal:
            return cost
        if cost > known[point]:
            continue
        for dx, dy in DIRECTIONS:
            x, y = following = (point[0] + dx, point[1] + dy)
            if 0 <= x < width and 0 <= y < width:
                new_cost = cost + (x * 7 + y * 13) % 9 + 1
                if new_cost < known.get(following, new_cost + 1):
                    known[following] = new_cost
                    queue.add((new_cost, following))
    return None


width = int(sys.argv[1])
print(shortest(width, (0, 0), (width - 1, width - 1)))
