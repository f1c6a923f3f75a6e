-- flood_fill.lua: the counterpart of flood_fill.st; a point's key is a string.
local directions = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } }

local function isFree(x, y, width)
  if x < 0 or x >= width or y < 0 or y >= width then return false end
  return x % 7 ~= 6 or y % 10 == 3
end

local function fill(width)
  local seen = { ["0,0"] = true }
  local count = 1
  local queue = { { 0, 0 } }
  local head = 1
  while head <= #queue do
    local point = queue[head]
    head = head + 1
    for _, each in ipairs(directions) do
      local x, y = point[1] + each[1], point[2] + each[2]
      local key = x .. "," .. y
      if isFree(x, y, width) and not seen[key] then
        seen[key] = true
        count = count + 1
        queue[#queue + 1] = { x, y }
      end
    end
  end
  return count
end

print(fill(tonumber(arg[1])))
