-- life_points.lua: the counterpart of life_points.st; a cell's key is a string, and its coordinates are kept beside it.
local function key(x, y) return x .. "," .. y end

local function step(living)
  local counts, cells = {}, {}
  for _, cell in pairs(living) do
    for right = -1, 1 do
      for down = -1, 1 do
        if right ~= 0 or down ~= 0 then
          local x, y = cell[1] + right, cell[2] + down
          local name = key(x, y)
          if counts[name] then
            counts[name] = counts[name] + 1
          else
            counts[name] = 1
            cells[name] = { x, y }
          end
        end
      end
    end
  end
  local next = {}
  for name, count in pairs(counts) do
    if count == 3 or (count == 2 and living[name]) then next[name] = cells[name] end
  end
  return next
end

local living = {}
for _, cell in ipairs({ { 1, 0 }, { 2, 0 }, { 0, 1 }, { 1, 1 }, { 1, 2 } }) do
  living[key(cell[1], cell[2])] = cell
end
for each = 1, 20 do
  for down = -1, 1 do living[key(each * 6 + 100, down)] = { each * 6 + 100, down } end
end
for _ = 1, tonumber(arg[1]) do living = step(living) end
local population, sum = 0, 0
for _, cell in pairs(living) do
  population = population + 1
  sum = sum + math.abs(cell[1]) * 3 + math.abs(cell[2])
end
print(population)
print(sum)
