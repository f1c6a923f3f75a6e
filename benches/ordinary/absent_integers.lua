-- absent_integers.lua: the counterpart of absent_integers.st.
local count = tonumber(arg[1])
local numbers = {}
local size = 0
for each = 1, count do
  numbers[each] = true
  size = size + 1
end
local absent = 0
for each = 1, count do
  if not numbers[each + count] then absent = absent + 1 end
  if not numbers[-each] then absent = absent + 1 end
end
print(size)
print(absent)
