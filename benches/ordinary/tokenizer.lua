-- tokenizer.lua: the counterpart of tokenizer.st, with patterns for tokens.
local function tokenize(text)
  local tokens, position = {}, 1
  while true do
    position = text:find("%S", position)
    if not position then break end
    local digits, stop = text:match("^(%d+)()", position)
    if digits then
      tokens[#tokens + 1] = { kind = "number", value = tonumber(digits) }
    else
      local name
      name, stop = text:match("^(%a+)()", position)
      if name then
        tokens[#tokens + 1] = { kind = "name", value = name }
      else
        stop = position + 1
        tokens[#tokens + 1] = { kind = "operator", value = text:sub(position, position) }
      end
    end
    position = stop
  end
  tokens[#tokens + 1] = { kind = "end" }
  return tokens
end

local Evaluator = {}
Evaluator.__index = Evaluator

function Evaluator.new(tokens, names)
  return setmetatable({ tokens = tokens, names = names, position = 1 }, Evaluator)
end

function Evaluator:accept(operator)
  local token = self.tokens[self.position]
  if token.kind ~= "operator" or token.value ~= operator then return false end
  self.position = self.position + 1
  return true
end

function Evaluator:sum()
  local sum = self:product()
  while true do
    if self:accept("+") then
      sum = sum + self:product()
    elseif self:accept("-") then
      sum = sum - self:product()
    else
      return sum
    end
  end
end

function Evaluator:product()
  local product = self:primary()
  while self:accept("*") do product = product * self:primary() % 1000003 end
  return product
end

function Evaluator:primary()
  local token = self.tokens[self.position]
  self.position = self.position + 1
  if token.kind == "number" then return token.value end
  if token.kind == "name" then return self.names[token.value] end
  local answer = self:sum()
  if not self:accept(")") then error("a parenthesis is missing") end
  return answer
end

local names, sum = { width = 12, height = 31, x = 5 }, 0
for each = 1, tonumber(arg[1]) do
  local text = "(width + " .. each .. ") * (height - 4 * (x + 7)) - 3 * width * x + (((2)))"
  sum = sum + Evaluator.new(tokenize(text), names):sum()
end
print(sum)
