-- memo_pairs.lua: the counterpart of memo_pairs.st, with a table keyed by strings.
local function letters(seed, count)
  local made = {}
  for index = 1, count do
    seed = (seed * 1309 + 13849) % 65536
    local letter = seed // 16 % 4 + 1
    made[index] = ("acgt"):sub(letter, letter)
  end
  return table.concat(made)
end

local CommonSubsequence = {}
CommonSubsequence.__index = CommonSubsequence

function CommonSubsequence.new(left, right)
  return setmetatable({ left = left, right = right, known = {}, size = 0 }, CommonSubsequence)
end

function CommonSubsequence:from(i, j)
  if i > #self.left or j > #self.right then return 0 end
  local key = i .. "," .. j
  local found = self.known[key]
  if found then return found end
  if self.left:byte(i) == self.right:byte(j) then
    found = self:from(i + 1, j + 1) + 1
  else
    found = math.max(self:from(i + 1, j), self:from(i, j + 1))
  end
  self.known[key] = found
  self.size = self.size + 1
  return found
end

local length = tonumber(arg[1])
local common = CommonSubsequence.new(letters(1, length), letters(2, length))
print(common:from(1, 1))
print(common.size)
