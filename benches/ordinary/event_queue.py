"""event_queue.py: the counterpart of event_queue.st, with the heapq module."""
import heapq
import sys
from collections import deque


class Shop:
    def __init__(self):
        self.events = []
        self.now = 0
        self.made = 0
        self.seed = 11
        self.waiting = deque()
        self.free = 5
        self.served = 0
        self.waited = 0

    def random(self, limit):
        self.seed = self.seed * 16807 % 2147483647
        return self.seed % limit

    def after(self, delay, action):
        self.made += 1
        heapq.heappush(self.events, (self.now + delay, self.made, action))

    def arrive(self):
        self.waiting.append(self.now)
        self.serve()

    def serve(self):
        if self.free == 0 or not self.waiting:
            return
        self.free -= 1
        self.waited += self.now - self.waiting.popleft()
        self.after(20 + self.random(60), self.leave)

    def leave(self):
        self.free += 1
        self.served += 1
        self.serve()

    def run(self, customers):
        for _ in range(customers):
            self.after(self.random(customers * 11), self.arrive)
        while self.events:
            self.now, _, action = heapq.heappop(self.events)
            action()


shop = Shop()
shop.run(int(sys.argv[1]))
print(shop.served)
print(shop.now)
print(shop.waited)
