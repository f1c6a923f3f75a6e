-- collatz.lua: the counterpart of collatz.st.
local lengths, size = { 1 }, 1

local function lengthFrom(number)
  local known = lengths[number]
  if known then return known end
  local following
  if number % 2 == 0 then following = number // 2 else following = 3 * number + 1 end
  local length = lengthFrom(following) + 1
  lengths[number] = length
  size = size + 1
  return length
end

local best, longest = 1, 1
for each = 2, tonumber(arg[1]) do
  local length = lengthFrom(each)
  if length > longest then
    longest, best = length, each
  end
end
print(best .. " " .. longest)
print(size)
