-- inverted_index.lua: the counterpart of inverted_index.st.
local documents, size = {}, 0

local function add(number, text)
  for each in text:gmatch("%S+") do
    local list = documents[each]
    if not list then
      list = {}
      documents[each] = list
      size = size + 1
    end
    if list[#list] ~= number then list[#list + 1] = number end
  end
end

local function both(left, right)
  local found, i, j = {}, 1, 1
  while i <= #left and j <= #right do
    local a, b = left[i], right[j]
    if a == b then found[#found + 1] = a end
    if a <= b then i = i + 1 end
    if b <= a then j = j + 1 end
  end
  return found
end

local function withAll(words)
  local found = documents[words[1]] or {}
  for index = 2, #words do found = both(found, documents[words[index]] or {}) end
  return found
end

local seed = 19
for number = 1, tonumber(arg[1]) do
  local pieces = {}
  for index = 1, 20 do
    seed = seed * 16807 % 2147483647
    pieces[index] = "word" .. (seed % 400) * (seed // 512 % 400) // 400 .. " "
  end
  add(number, table.concat(pieces))
end
print(size)
local sum = 0
for first = 0, 60 do
  for second = 0, 20 do
    sum = sum + #withAll({ "word" .. first, "word" .. second, "word1" })
  end
end
print(sum)
