-- anagrams.lua: the counterpart of anagrams.st.
local seed, groups, sizes = 13, {}, {}
for _ = 1, tonumber(arg[1]) do
  local letters = {}
  for index = 1, 5 do
    seed = seed * 16807 % 2147483647
    local place = seed // 32 % 7 + 1
    letters[index] = ("aeinrst"):sub(place, place)
  end
  local word = table.concat(letters)
  table.sort(letters)
  local key = table.concat(letters)
  if not groups[key] then
    groups[key] = {}
    sizes[key] = 0
  end
  if not groups[key][word] then
    groups[key][word] = true
    sizes[key] = sizes[key] + 1
  end
end
local count, largest, best = 0, 0, nil
for key, size in pairs(sizes) do
  count = count + 1
  if size > largest or (size == largest and key < best) then
    largest, best = size, key
  end
end
print(count)
print(largest)
print(best)
