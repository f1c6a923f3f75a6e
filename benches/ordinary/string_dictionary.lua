-- string_dictionary.lua: the counterpart of string_dictionary.st.
local count = tonumber(arg[1])
local keyed = {}
local size = 0
for each = 1, count do
  keyed["customer-" .. each] = each
  size = size + 1
end
local sum = 0
for each = count, 1, -1 do
  sum = sum + keyed["customer-" .. each]
end
for each = 1, count do
  sum = sum + (keyed["supplier-" .. each] or 1)
end
print(size)
print(sum)
