-- live_heap.lua: the counterpart of live_heap.st.
local Node = {}
Node.__index = Node

function Node.new(a, b, c, next)
  return setmetatable({ a = a, b = b, c = c, next = next }, Node)
end

local objects, rounds, places = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3])
local kept, last = {}, nil
for each = 1, objects do
  last = Node.new(each, each * 2, nil, last)
  kept[each % places + 1] = last
end
for round = 1, rounds do
  local node
  for each = 1, 1000000 do
    node = Node.new(each, round, node, nil)
    if each % 16 == 0 then
      node = nil
      kept[(each * 7919 + round) % places + 1] = Node.new(each, round, nil, nil)
    end
  end
end
local sum = 0
for each = 1, places do sum = sum + kept[each].a end
print(sum)
