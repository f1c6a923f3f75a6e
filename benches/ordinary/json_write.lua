-- json_write.lua: the counterpart of json_write.st, with a writer of JSON. A table with a first element is an array.
local null = {}

local function item(number)
  return {
    id = number,
    name = "Item number " .. number,
    note = 'a "quoted" word, and a long sentence without anything in it',
    price = number % 100 + 0.25,
    active = number % 2 == 0,
    parent = null,
    tags = { "red", "green", "blue" },
    size = { width = number % 17, height = number % 13 },
  }
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function escape(letter)
  return escapes[letter] or ("\\u%04x"):format(letter:byte())
end

local write

local function writeArray(value, pieces)
  pieces[#pieces + 1] = "["
  for index, each in ipairs(value) do
    if index > 1 then pieces[#pieces + 1] = "," end
    write(each, pieces)
  end
  pieces[#pieces + 1] = "]"
end

local function writeString(value, pieces)
  pieces[#pieces + 1] = '"' .. value:gsub('[%c"\\]', escape) .. '"'
end

local function writeObject(value, pieces)
  local separator = "{"
  for key, each in pairs(value) do
    pieces[#pieces + 1] = separator
    writeString(key, pieces)
    pieces[#pieces + 1] = ":"
    write(each, pieces)
    separator = ","
  end
  pieces[#pieces + 1] = "}"
end

function write(value, pieces)
  local kind = type(value)
  if value == null then
    pieces[#pieces + 1] = "null"
  elseif kind == "table" then
    if value[1] ~= nil then writeArray(value, pieces) else writeObject(value, pieces) end
  elseif kind == "string" then
    writeString(value, pieces)
  else
    pieces[#pieces + 1] = tostring(value)
  end
end

local catalogue = {}
for number = 1, tonumber(arg[1]) do catalogue[number] = item(number) end
print(#catalogue)
for _ = 1, tonumber(arg[2]) do
  local pieces = {}
  write(catalogue, pieces)
  print(#table.concat(pieces))
end
