"""topological_sort.py: the counterpart of topological_sort.st."""
import sys
from collections import deque


def sorted_tasks(needs):
    followers = {}
    missing = {}
    ready = deque()
    for name, names in needs.items():
        missing[name] = len(names)
        if not names:
            ready.append(name)
        for each in names:
            followers.setdefault(each, []).append(name)
    order = []
    while ready:
        name = ready.popleft()
        order.append(name)
        for each in followers.get(name, ()):
            missing[each] -= 1
            if missing[each] == 0:
                ready.append(each)
    return order


def main():
    count = int(sys.argv[1])
    needs = {}
    for each in range(1, count + 1):
        names = set()
        if each > 1:
            for index in (1, 2, 3):
                names.add("task-" + str(each * 7919 * index % (each - 1) + 1))
        needs["task-" + str(each)] = names
    order = sorted_tasks(needs)
    places = {each: index for index, each in enumerate(order)}
    late = 0
    for each in range(1, count // 2 + 1):
        if places["task-" + str(each)] < places["task-" + str(count + 1 - each)]:
            late += 1
    print(len(order))
    print("true" if late > count // 4 else "false")


main()
