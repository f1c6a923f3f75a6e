-- string_building.lua: the counterpart of string_building.st.
local words = { "alpha", "beta", "gamma", "delta" }

local function line(number)
  return ("%8d  %s  %d.%02d"):format(number, words[number % 4 + 1], number * 37 % 1000, number % 100)
end

local lines = {}
for each = 1, tonumber(arg[1]) do lines[each] = line(each) .. "\n" end
local report = table.concat(lines)
local pieces, last = {}, nil
for each in report:gmatch("([^\n]*)\n") do
  last = each:upper():reverse() .. " | " .. each:match("^%s*(.-)%s*$")
  pieces[#pieces + 1] = last
  pieces[#pieces + 1] = "\n"
end
print(#report)
print(#table.concat(pieces))
print(last)
