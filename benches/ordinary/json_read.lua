-- json_read.lua: the counterpart of json_read.st, with a reader of JSON that uses Lua's patterns.
local function item(number)
  return ('{"id": %d, "name": "Item number %d", "note": "a \\"quoted\\" word,\\na second line", '
    .. '"price": %d.25, "active": %s, "parent": null, "tags": ["red", "green", "blue"], '
    .. '"size": {"width": %d, "height": %d}}'):format(
    number, number, number % 100, number % 2 == 0, number % 17, number % 13)
end

local escapes = {
  ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}
local null = {}
local readValue

local function fail(position, what)
  error(("%s expected at %d"):format(what, position), 0)
end

local function skip(text, position)
  return text:find("[^ \n\r\t]", position) or #text + 1
end

local function unescape(letter, rest)
  if letter == "u" then return utf8.char(tonumber(rest, 16)) end
  return (escapes[letter] or fail(0, "an escape")) .. rest
end

local function readString(text, position)
  local stop = position
  while true do
    stop = text:find('["\\]', stop) or fail(position, "the end of a string")
    if text:byte(stop) == 34 then break end
    stop = stop + 2
  end
  local string = text:sub(position, stop - 1)
  if string:find("\\", 1, true) then
    string = string:gsub("\\(.)(%x?%x?%x?%x?)", unescape)
  end
  return string, stop + 1
end

local function readNumber(text, position)
  local digits, stop = text:match("^(-?%d+%.?%d*[eE]?[+-]?%d*)()", position)
  local number = digits and tonumber(digits) or fail(position, "a number")
  return number, stop
end

local function readArray(text, position)
  local array = {}
  position = skip(text, position)
  if text:byte(position) == 93 then return array, position + 1 end
  while true do
    local value
    value, position = readValue(text, position)
    array[#array + 1] = value
    position = skip(text, position)
    local byte = text:byte(position)
    if byte == 93 then return array, position + 1 end
    if byte ~= 44 then fail(position, "a comma") end
    position = skip(text, position + 1)
  end
end

local function readObject(text, position)
  local object = {}
  position = skip(text, position)
  if text:byte(position) == 125 then return object, position + 1 end
  while true do
    local key, value
    if text:byte(position) ~= 34 then fail(position, "a string") end
    key, position = readString(text, position + 1)
    position = skip(text, position)
    if text:byte(position) ~= 58 then fail(position, "a colon") end
    value, position = readValue(text, skip(text, position + 1))
    object[key] = value
    position = skip(text, position)
    local byte = text:byte(position)
    if byte == 125 then return object, position + 1 end
    if byte ~= 44 then fail(position, "a comma") end
    position = skip(text, position + 1)
  end
end

local words = { t = { "true", true }, f = { "false", false }, n = { "null", null } }

function readValue(text, position)
  local byte = text:byte(position)
  if byte == 34 then return readString(text, position + 1) end
  if byte == 123 then return readObject(text, position + 1) end
  if byte == 91 then return readArray(text, position + 1) end
  local word = words[text:sub(position, position)]
  if word then
    local stop = position + #word[1]
    if text:sub(position, stop - 1) ~= word[1] then fail(position, word[1]) end
    return word[2], stop
  end
  return readNumber(text, position)
end

local function sumOf(items)
  local sum = 0
  for _, each in ipairs(items) do
    sum = sum + each.id + math.floor(each.price * 4) + #each.note + #each.tags + each.size.width
    if each.active then sum = sum + 1 end
  end
  return sum
end

local pieces = {}
for number = 1, tonumber(arg[1]) do pieces[number] = item(number) end
local text = "[" .. table.concat(pieces, ",") .. "]"
print(#text)
for _ = 1, tonumber(arg[2]) do
  print(sumOf((readValue(text, 1))))
end
