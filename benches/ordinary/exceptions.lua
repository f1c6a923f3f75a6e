-- exceptions.lua: the counterpart of exceptions.st, with error and pcall.
local WrongRecord = {}
WrongRecord.__index = WrongRecord

local function check(condition, line, text)
  if not condition then error(setmetatable({ line = line, message = text }, WrongRecord)) end
end

local function parse(text, line)
  local fields = {}
  for each in text:gmatch("[^;]+") do fields[#fields + 1] = each end
  check(#fields == 3, line, "fields are missing")
  check(fields[2]:find("^%d+$"), line, "an amount is no number")
  check(tonumber(fields[2]) < 900, line, "an amount is too large")
  return tonumber(fields[2])
end

local lines = {}
for each = 1, tonumber(arg[1]) do
  if each % 7 == 0 then
    lines[each] = "customer;short"
  elseif each % 11 == 0 then
    lines[each] = "customer;12x;late"
  else
    lines[each] = "customer;" .. each * 37 % 1000 .. ";paid"
  end
end

local read, closed, failures = 0, 0, {}
for number, each in ipairs(lines) do
  local succeeded, answer = pcall(parse, each, number)
  closed = closed + 1
  if succeeded then
    read = read + answer
  elseif getmetatable(answer) == WrongRecord then
    failures[#failures + 1] = { answer.message, answer.line }
  else
    error(answer, 0)
  end
end
local counts, messages = {}, {}
for _, each in ipairs(failures) do
  if not counts[each[1]] then messages[#messages + 1] = each[1] end
  counts[each[1]] = (counts[each[1]] or 0) + 1
end
table.sort(messages)
print(read)
print(closed)
for _, each in ipairs(messages) do print(each .. ": " .. counts[each]) end
