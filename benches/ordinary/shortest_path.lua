-- shortest_path.lua: the counterpart of shortest_path.st; a point's key is a string.
local directions = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } }

local Queue = {}
Queue.__index = Queue

function Queue.new() return setmetatable({ size = 0 }, Queue) end

function Queue:add(step)
  self.size = self.size + 1
  local index = self.size
  while index > 1 and self[index // 2].cost > step.cost do
    self[index] = self[index // 2]
    index = index // 2
  end
  self[index] = step
end

function Queue:removeFirst()
  local first, last = self[1], self[self.size]
  self[self.size] = nil
  self.size = self.size - 1
  if self.size > 0 then self:sink(last) end
  return first
end

function Queue:sink(step)
  local index = 1
  while index * 2 <= self.size do
    local child = index * 2
    if child < self.size and self[child + 1].cost < self[child].cost then child = child + 1 end
    if self[child].cost >= step.cost then break end
    self[index] = self[child]
    index = child
  end
  self[index] = step
end

local function key(x, y) return x .. "," .. y end

local function shortest(width)
  local known = { [key(0, 0)] = 0 }
  local queue = Queue.new()
  queue:add({ cost = 0, x = 0, y = 0 })
  while queue.size > 0 do
    local step = queue:removeFirst()
    if step.x == width - 1 and step.y == width - 1 then return step.cost end
    if step.cost <= known[key(step.x, step.y)] then
      for _, each in ipairs(directions) do
        local x, y = step.x + each[1], step.y + each[2]
        if x >= 0 and y >= 0 and x < width and y < width then
          local cost = step.cost + (x * 7 + y * 13) % 9 + 1
          local name = key(x, y)
          if not known[name] or cost < known[name] then
            known[name] = cost
            queue:add({ cost = cost, x = x, y = y })
          end
        end
      end
    end
  end
end

print(shortest(tonumber(arg[1])))
