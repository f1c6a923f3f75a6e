-- half_keys.lua: the counterpart of half_keys.st.
local count = tonumber(arg[1])
local keyed = {}
local size = 0
for each = 1, count do
  keyed[each * 0.5] = each
  size = size + 1
end
local sum = 0
for each = 1, count do
  sum = sum + keyed[each * 0.5]
end
for each = 1, count do
  sum = sum + (keyed[each * 0.5 + 0.25] or 1)
end
print(size)
print(sum)
