-- csv_table.lua: the counterpart of csv_table.st.
local regions = { "north", "south, by the sea", 'east "end"', "west" }

local function field(text)
  if text:find('[,"]') then return '"' .. text:gsub('"', '""') .. '"' end
  return text
end

local function readRow(text, position)
  local fields = {}
  while true do
    if text:byte(position) == 34 then
      local pieces = {}
      position = position + 1
      while true do
        local stop = text:find('"', position, true)
        pieces[#pieces + 1] = text:sub(position, stop - 1)
        position = stop + 1
        if text:byte(position) ~= 34 then break end
        pieces[#pieces + 1] = '"'
        position = position + 1
      end
      fields[#fields + 1] = table.concat(pieces)
    else
      local plain, stop = text:match("([^,\n]*)()", position)
      fields[#fields + 1] = plain
      position = stop
    end
    if text:byte(position) ~= 44 then break end
    position = position + 1
  end
  return fields, position + 1
end

local lines = {}
for each = 1, tonumber(arg[1]) do
  local row = { tostring(each), regions[each % 4 + 1], tostring(each * 37 % 1000), "a plain remark" }
  for index = 1, #row do row[index] = field(row[index]) end
  lines[each] = table.concat(row, ",") .. "\n"
end
local text = table.concat(lines)
local sums, names, position = {}, {}, 1
while position <= #text do
  local row
  row, position = readRow(text, position)
  if not sums[row[2]] then
    sums[row[2]] = 0
    names[#names + 1] = row[2]
  end
  sums[row[2]] = sums[row[2]] + math.tointeger(row[3])
end
table.sort(names)
print(#text)
for _, each in ipairs(names) do print(each .. ": " .. sums[each]) end
