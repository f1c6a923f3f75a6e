-- event_queue.lua: the counterpart of event_queue.st, with a binary heap written out.
local Heap = {}
Heap.__index = Heap

function Heap.new(precedes) return setmetatable({ size = 0, precedes = precedes }, Heap) end

function Heap:add(element)
  local precedes = self.precedes
  self.size = self.size + 1
  local index = self.size
  while index > 1 and precedes(element, self[index // 2]) do
    self[index] = self[index // 2]
    index = index // 2
  end
  self[index] = element
end

function Heap:removeFirst()
  local precedes, size = self.precedes, self.size
  local first, last = self[1], self[size]
  self[size] = nil
  size = size - 1
  self.size = size
  if size == 0 then return first end
  local index = 1
  while index * 2 <= size do
    local child = index * 2
    if child < size and precedes(self[child + 1], self[child]) then child = child + 1 end
    if not precedes(self[child], last) then break end
    self[index] = self[child]
    index = child
  end
  self[index] = last
  return first
end

local events = Heap.new(function(a, b)
  if a.time == b.time then return a.number < b.number end
  return a.time < b.time
end)
local now, made, seed, free, served, waited = 0, 0, 11, 5, 0, 0
local waiting, head, tail = {}, 1, 0

local function random(limit)
  seed = seed * 16807 % 2147483647
  return seed % limit
end

local function after(delay, action)
  made = made + 1
  events:add({ time = now + delay, number = made, action = action })
end

local function serve()
  if free == 0 or head > tail then return end
  free = free - 1
  waited = waited + now - waiting[head]
  waiting[head] = nil
  head = head + 1
  after(20 + random(60), function()
    free = free + 1
    served = served + 1
    serve()
  end)
end

local function arrive()
  tail = tail + 1
  waiting[tail] = now
  serve()
end

local customers = tonumber(arg[1])
for _ = 1, customers do after(random(customers * 11), arrive) end
while events.size > 0 do
  local event = events:removeFirst()
  now = event.time
  event.action()
end
print(served)
print(now)
print(waited)
