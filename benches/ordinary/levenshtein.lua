-- levenshtein.lua: the counterpart of levenshtein.st.
local function distance(left, right)
  local previous, current = {}, {}
  for j = 0, #right do previous[j + 1] = j end
  for i = 1, #left do
    current[1] = i
    for j = 1, #right do
      local cost = left:byte(i) == right:byte(j) and 0 or 1
      current[j + 1] = math.min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
    end
    previous, current = current, previous
  end
  return previous[#right + 1]
end

local function letters(count, seed)
  local made = {}
  for index = 1, count do
    seed = (seed * 1309 + 13849) % 65536
    made[index] = string.char(97 + seed // 16 % 8)
  end
  return table.concat(made)
end

local length = tonumber(arg[1])
print(distance(letters(length, 1), letters(length, 2)))
