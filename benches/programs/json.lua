-- json.lua: the counterpart of examples/json.st, class for class.
-- Usage: lua5.4 json.lua [DOCUMENT [ROUNDS]]

local function class(superclass)
  local new = setmetatable({}, superclass)
  new.__index = new
  return new
end

-- Errors ---------------------------------------------------------------------

local JsonError = class()

function JsonError.signal(description, position)
  error(setmetatable({ message = "expected " .. description, position = position }, JsonError), 0)
end

-- Values ---------------------------------------------------------------------

local JsonNull = class()
function JsonNull.new() return setmetatable({}, JsonNull) end
function JsonNull:accept(visitor) return visitor:null(self) end

local JsonBoolean = class()
function JsonBoolean.new(value) return setmetatable({ value = value }, JsonBoolean) end
function JsonBoolean:accept(visitor) return visitor:boolean(self) end

local JsonNumber = class()
function JsonNumber.new(value, text) return setmetatable({ value = value, text = text }, JsonNumber) end
function JsonNumber:accept(visitor) return visitor:number(self) end

local JsonString = class()
function JsonString.new(value) return setmetatable({ value = value }, JsonString) end
function JsonString:accept(visitor) return visitor:string(self) end

local JsonArray = class()
function JsonArray.new() return setmetatable({ elements = {} }, JsonArray) end
function JsonArray:add(value) self.elements[#self.elements + 1] = value end
function JsonArray:accept(visitor) return visitor:array(self) end

local JsonObject = class()
function JsonObject.new() return setmetatable({ keys = {}, values = {} }, JsonObject) end
function JsonObject:at(key) return self.values[key] end

function JsonObject:put(key, value)
  if self.values[key] == nil then self.keys[#self.keys + 1] = key end
  self.values[key] = value
end

function JsonObject:each(visit)
  for _, key in ipairs(self.keys) do visit(key, self.values[key]) end
end

function JsonObject:accept(visitor) return visitor:object(self) end

-- Reader ---------------------------------------------------------------------

local JsonReader = class()

function JsonReader.new(source)
  local self = setmetatable({ source = source, finish = #source, position = 0 }, JsonReader)
  self:advance()
  return self
end

function JsonReader.read(source) return JsonReader.new(source):readDocument() end

function JsonReader:advance()
  self.position = self.position + 1
  if self.position > self.finish then
    self.current = nil
  else
    self.current = self.source:sub(self.position, self.position)
  end
end

function JsonReader:fail(description) JsonError.signal(description, self.position) end

function JsonReader:isSpace()
  local current = self.current
  return current == " " or current == "\n" or current == "\r" or current == "\t"
end

function JsonReader:skipSpaces()
  while self:isSpace() do self:advance() end
end

function JsonReader:isDigit()
  return self.current ~= nil and self.current >= "0" and self.current <= "9"
end

function JsonReader:skip(character)
  if self.current ~= character then return false end
  self:advance()
  return true
end

function JsonReader:require(character, description)
  if not self:skip(character) then self:fail(description) end
end

function JsonReader:readDocument()
  self:skipSpaces()
  local value = self:readValue()
  self:skipSpaces()
  if self.current ~= nil then self:fail("the end of the document") end
  return value
end

function JsonReader:readValue()
  local current = self.current
  if current == "{" then return self:readObject() end
  if current == "[" then return self:readArray() end
  if current == '"' then return JsonString.new(self:readString()) end
  if current == "-" or self:isDigit() then return self:readNumber() end
  if current == "t" then return self:readWord("true", JsonBoolean.new(true)) end
  if current == "f" then return self:readWord("false", JsonBoolean.new(false)) end
  if current == "n" then return self:readWord("null", JsonNull.new()) end
  return self:fail("a value")
end

function JsonReader:readWord(word, value)
  for character in word:gmatch(".") do
    if not self:skip(character) then self:fail("the word " .. word) end
  end
  return value
end

function JsonReader:readObject()
  local object = JsonObject.new()
  self:advance()
  self:skipSpaces()
  if self:skip("}") then return object end
  repeat
    self:skipSpaces()
    if self.current ~= '"' then self:fail("a member name") end
    local key = self:readString()
    self:skipSpaces()
    self:require(":", "a colon")
    self:skipSpaces()
    object:put(key, self:readValue())
    self:skipSpaces()
  until not self:skip(",")
  self:require("}", "a comma or a closing brace")
  return object
end

function JsonReader:readArray()
  local array = JsonArray.new()
  self:advance()
  self:skipSpaces()
  if self:skip("]") then return array end
  repeat
    self:skipSpaces()
    array:add(self:readValue())
    self:skipSpaces()
  until not self:skip(",")
  self:require("]", "a comma or a closing bracket")
  return array
end

function JsonReader:readString()
  local pieces = {}
  self:advance()
  while self.current ~= '"' do
    if self.current == nil then self:fail("a closing quotation mark") end
    if self.current == "\\" then
      pieces[#pieces + 1] = self:readEscape()
    else
      pieces[#pieces + 1] = self.current
    end
    self:advance()
  end
  self:advance()
  return table.concat(pieces)
end

function JsonReader:readEscape()
  self:advance()
  local current = self.current
  if current == "n" then return "\n" end
  if current == "t" then return "\t" end
  if current == "r" then return "\r" end
  if current == "u" then return utf8.char(self:readCode()) end
  if current == '"' or current == "\\" or current == "/" then return current end
  return self:fail("an escape character")
end

function JsonReader:readCode()
  local code = 0
  for _ = 1, 4 do
    self:advance()
    code = code * 16 + self:hexDigit()
  end
  return code
end

function JsonReader:hexDigit()
  local digit = self.current and ("0123456789abcdef"):find(self.current, 1, true)
  if not digit then return self:fail("a hexadecimal digit") end
  return digit - 1
end

function JsonReader:readNumber()
  local start = self.position
  local sign = self:skip("-") and -1 or 1
  local mantissa = self:readDigits(0)
  local scale = 0
  if self:skip(".") then
    local point = self.position
    mantissa = self:readDigits(mantissa)
    scale = self.position - point
  end
  if self.current == "e" or self.current == "E" then
    self:advance()
    local down = self:skip("-")
    if not down then self:skip("+") end
    local exponent = self:readDigits(0)
    scale = down and scale + exponent or scale - exponent
  end
  return JsonNumber.new(sign * self:scale(mantissa, scale), self.source:sub(start, self.position - 1))
end

function JsonReader:readDigits(number)
  if not self:isDigit() then self:fail("a digit") end
  while self:isDigit() do
    number = number * 10 + (self.current:byte() - 48)
    self:advance()
  end
  return number
end

function JsonReader:scale(number, places)
  if places == 0 then return number end
  if places > 0 then return number / 10.0 ^ places end
  return number * 10.0 ^ -places
end

-- Writer ---------------------------------------------------------------------

local JsonWriter = class()

function JsonWriter.write(value)
  local writer = setmetatable({ pieces = {} }, JsonWriter)
  value:accept(writer)
  return table.concat(writer.pieces)
end

function JsonWriter:put(text) self.pieces[#self.pieces + 1] = text end
function JsonWriter:null() self:put("null") end
function JsonWriter:boolean(boolean) self:put(boolean.value and "true" or "false") end
function JsonWriter:number(number) self:put(number.text) end
function JsonWriter:string(string) self:characters(string.value) end

function JsonWriter:array(array)
  local first = true
  self:put("[")
  for _, each in ipairs(array.elements) do
    if first then first = false else self:put(",") end
    each:accept(self)
  end
  self:put("]")
end

function JsonWriter:object(object)
  local first = true
  self:put("{")
  object:each(function(key, value)
    if first then first = false else self:put(",") end
    self:characters(key)
    self:put(":")
    value:accept(self)
  end)
  self:put("}")
end

function JsonWriter:characters(text)
  self:put('"')
  for _, code in utf8.codes(text) do self:character(code) end
  self:put('"')
end

function JsonWriter:character(code)
  if code == 34 or code == 92 then self:put("\\") end
  if code >= 32 and code < 127 then return self:put(string.char(code)) end
  self:put("\\")
  if code == 10 then return self:put("n") end
  if code == 9 then return self:put("t") end
  if code == 13 then return self:put("r") end
  self:put("u")
  for shift = 12, 0, -4 do
    local digit = ((code >> shift) & 15) + 1
    self:put(("0123456789abcdef"):sub(digit, digit))
  end
end

-- Statistics -----------------------------------------------------------------

local JsonStatistics = class()

function JsonStatistics.of(value)
  local self = setmetatable({
    nulls = 0, booleans = 0, numbers = 0, strings = 0, arrays = 0, objects = 0,
    depth = 0, deepest = 0,
  }, JsonStatistics)
  value:accept(self)
  return self
end

function JsonStatistics:null() self.nulls = self.nulls + 1 end
function JsonStatistics:boolean() self.booleans = self.booleans + 1 end
function JsonStatistics:number() self.numbers = self.numbers + 1 end
function JsonStatistics:string() self.strings = self.strings + 1 end

function JsonStatistics:array(array)
  self.arrays = self.arrays + 1
  self:enter()
  for _, each in ipairs(array.elements) do each:accept(self) end
  self:leave()
end

function JsonStatistics:object(object)
  self.objects = self.objects + 1
  self:enter()
  object:each(function(_, value) value:accept(self) end)
  self:leave()
end

function JsonStatistics:enter()
  self.depth = self.depth + 1
  if self.depth > self.deepest then self.deepest = self.depth end
end

function JsonStatistics:leave() self.depth = self.depth - 1 end

function JsonStatistics:show()
  print(("Values: %d objects, %d arrays, %d strings, %d numbers, %d booleans, %d nulls"):format(
    self.objects, self.arrays, self.strings, self.numbers, self.booleans, self.nulls))
  print("Depth: " .. self.deepest)
end

-- The program ----------------------------------------------------------------

local JsonExample = class()

JsonExample.smallDocument = [[{
  "catalogue": "Stationery", "edition": 3, "valid": true, "successor": null,
  "items": [
    {"id": 1, "name": "Pencil, \"soft\"", "price": 1.25, "stock": 120,
     "tags": ["drawing", "writing"], "size": {"length": 175, "width": 7}},
    {"id": 2, "name": "Inkwell", "price": 14.90, "stock": 8,
     "tags": ["writing", "desk"], "size": {"length": 60, "width": 60}},
    {"id": 3, "name": "Caf\u00e9 notebook", "price": 6.5e0, "stock": 33,
     "tags": ["writing", "travel"], "size": {"length": 210, "width": 148}},
    {"id": 4, "name": "Blotter\n(large)", "price": 0.075E+2, "stock": 0,
     "tags": [], "size": {"length": 300, "width": 420}}
  ],
  "closing": @@
}]]
-- Nested brackets would end the long string, so the last line is put in here.
JsonExample.smallDocument =
  JsonExample.smallDocument:gsub("@@", '[[], {}, -12, 5e-1, [[["deep"]]]]')

JsonExample.rejected = {
  '', '[1, 2', '{"a" 1}', '[1,]', '{"a": tru}', '"open', '"\\x"', '-', '[] x', '{1: 2}', '"\\u12g4"',
}

function JsonExample.new(source, rounds)
  return setmetatable({ source = source, rounds = rounds }, JsonExample)
end

function JsonExample:run()
  local value, text
  print(("Document: %d characters, %d rounds"):format(#self.source, self.rounds))
  for _ = 1, self.rounds do
    value = JsonReader.read(self.source)
    text = JsonWriter.write(value)
  end
  JsonStatistics.of(value):show()
  self:showStock(value)
  print(("Printed: %d characters, same after a second reading: %s"):format(
    #text, JsonWriter.write(JsonReader.read(text)) == text))
  for _, each in ipairs(self.rejected) do self:showRejected(each) end
end

function JsonExample:showStock(value)
  local worth, pieces = 0, 0
  for _, each in ipairs(value:at("items").elements) do
    local stock = each:at("stock").value
    pieces = pieces + stock
    worth = worth + stock * each:at("price").value
  end
  local cents = math.floor(worth * 100 + 0.5)
  print(("Stock: %d pieces worth %d.%d%d"):format(
    pieces, cents // 100, cents % 100 // 10, cents % 10))
end

function JsonExample:showRejected(text)
  local accepted, problem = pcall(JsonReader.read, text)
  if accepted then
    print("Accepted: " .. text)
  elseif getmetatable(problem) == JsonError then
    print(("Rejected: %s -- %s at %d"):format(text, problem.message, problem.position))
  else
    error(problem, 0)
  end
end

local source = JsonExample.smallDocument
if arg[1] then
  local file = assert(io.open(arg[1], "r"))
  source = file:read("a")
  file:close()
end
JsonExample.new(source, tonumber(arg[2]) or 20):run()
