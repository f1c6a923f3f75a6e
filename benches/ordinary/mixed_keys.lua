-- mixed_keys.lua: the counterpart of mixed_keys.st.
local count = tonumber(arg[1])
local keyed = {}
local size = 0
for each = 1, count do
  keyed[each] = each
  keyed[tostring(each)] = each * 2
  size = size + 2
end
local sum = 0
for each = 1, count do
  sum = sum + keyed[each] + keyed[tostring(each)]
end
print(size)
print(sum)
