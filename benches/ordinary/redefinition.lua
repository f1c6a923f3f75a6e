-- redefinition.lua: the counterpart of redefinition.st; what is redefined is a function of the library.
local function fibonacci(number)
  if number < 2 then return 1 end
  return fibonacci(number - 1) + fibonacci(number - 2)
end

local function primesBelow(limit)
  local sieve, count = {}, 0
  for each = 1, limit do sieve[each] = true end
  for each = 2, limit do
    if sieve[each] then
      count = count + 1
      for multiple = each + each, limit, each do sieve[multiple] = false end
    end
  end
  return count
end

local function bubble(size)
  local array = {}
  for each = 1, size do array[each] = each * 7919 % size end
  for last = size, 2, -1 do
    for index = 1, last - 1 do
      if array[index] > array[index + 1] then
        array[index], array[index + 1] = array[index + 1], array[index]
      end
    end
  end
  return array[size // 2]
end

if arg[1] == "with" then
  math.abs = function(number) return number < 0 and -number or number end
end
local size = tonumber(arg[2])
print(fibonacci(size))
print(primesBelow(size * 20000))
print(bubble(size * 20))
