-- loop.lua: the counterpart of loop.st.
local Total = {}
Total.__index = Total

function Total.new()
  return setmetatable({ sum = 0 }, Total)
end

function Total:add(number)
  self.sum = self.sum + number
end

local total = Total.new()
for each = 1, tonumber(arg[1]) or 20000000 do
  total:add(each)
end
print(string.format("%d", total.sum))
