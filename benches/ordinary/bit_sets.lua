-- bit_sets.lua: the counterpart of bit_sets.st.
local BitSet = {}
BitSet.__index = BitSet

function BitSet.new(size)
  local words = {}
  for index = 1, (size + 31) // 32 do words[index] = 0 end
  return setmetatable({ words = words }, BitSet)
end

function BitSet:add(number)
  local index = number // 32 + 1
  self.words[index] = self.words[index] | (1 << number % 32)
end

function BitSet:includes(number)
  return self.words[number // 32 + 1] & (1 << number % 32) ~= 0
end

function BitSet:union(other)
  local words = {}
  for index, word in ipairs(self.words) do words[index] = word | other.words[index] end
  return setmetatable({ words = words }, BitSet)
end

function BitSet:intersection(other)
  local words = {}
  for index, word in ipairs(self.words) do words[index] = word & other.words[index] end
  return setmetatable({ words = words }, BitSet)
end

local function countOf(word)
  local count = 0
  while word ~= 0 do
    word = word & (word - 1)
    count = count + 1
  end
  return count
end

function BitSet:size()
  local sum = 0
  for _, word in ipairs(self.words) do sum = sum + countOf(word) end
  return sum
end

local size, sum = tonumber(arg[1]), 0
for _ = 1, tonumber(arg[2]) do
  local threes = BitSet.new(size)
  for each = 0, size - 1, 3 do threes:add(each) end
  local sevens = BitSet.new(size)
  for each = 0, size - 1, 7 do sevens:add(each) end
  sum = sum + threes:union(sevens):size() + threes:intersection(sevens):size()
  for each = 1, size - 1, 2 do
    if threes:includes(each) then sum = sum + 1 end
  end
end
print(sum)
