-- knapsack.lua: the counterpart of knapsack.st.
local function rowWith(thing, previous, capacity)
  local row = {}
  for room = 0, capacity do
    local best = previous[room + 1]
    if thing.weight <= room then
      local with = previous[room - thing.weight + 1] + thing.value
      if with > best then best = with end
    end
    row[room + 1] = best
  end
  return row
end

local function solve(things, capacity)
  local previous = {}
  for room = 1, capacity + 1 do previous[room] = 0 end
  local rows = { previous }
  for _, each in ipairs(things) do
    previous = rowWith(each, previous, capacity)
    rows[#rows + 1] = previous
  end
  return rows
end

local count, capacity = tonumber(arg[1]), tonumber(arg[2])
local things = {}
for each = 1, count do things[each] = { weight = each * 37 % 41 + 3, value = each * 53 % 97 + 1 } end
local rows = solve(things, capacity)
print(rows[#rows][capacity + 1])
local sum, room = 0, capacity
for index = count, 1, -1 do
  if rows[index + 1][room + 1] ~= rows[index][room + 1] then
    sum = sum + index
    room = room - things[index].weight
  end
end
print(sum)
