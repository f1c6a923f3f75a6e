-- generators.lua: the counterpart of generators.st, with coroutines.
local function numbers()
  return coroutine.wrap(function()
    local number = 2
    while true do
      coroutine.yield(number)
      number = number + 1
    end
  end)
end

local function without(source, prime)
  return coroutine.wrap(function()
    while true do
      local number = source()
      if number % prime ~= 0 then coroutine.yield(number) end
    end
  end)
end

local last, sum
for _ = 1, tonumber(arg[2]) do
  local source = numbers()
  last, sum = 0, 0
  for _ = 1, tonumber(arg[1]) do
    last = source()
    sum = sum + last
    source = without(source, last)
  end
end
print(last)
print(sum)
