-- stack_machine.lua: the counterpart of stack_machine.st.
local StackMachine = {}
StackMachine.__index = StackMachine

function StackMachine.new()
  return setmetatable({ stack = {}, variables = { 0, 0, 0, 0, 0, 0, 0, 0 }, counter = 1, steps = 0 }, StackMachine)
end

function StackMachine:push(number) self.stack[#self.stack + 1] = number end

function StackMachine:pop()
  local stack = self.stack
  local top = stack[#stack]
  stack[#stack] = nil
  return top
end

function StackMachine:run(program)
  self.counter = 1
  while self.counter <= #program do
    local instruction = program[self.counter]
    self.counter = self.counter + 1
    self.steps = self.steps + 1
    self:execute(instruction)
  end
  return self:pop()
end

function StackMachine:execute(instruction)
  local operation = instruction.operation
  if operation == "push" then
    self:push(instruction.operand)
  elseif operation == "load" then
    self:push(self.variables[instruction.operand])
  elseif operation == "store" then
    self.variables[instruction.operand] = self:pop()
  elseif operation == "add" then
    local right = self:pop()
    self:push(self:pop() + right)
  elseif operation == "subtract" then
    local right = self:pop()
    self:push(self:pop() - right)
  elseif operation == "multiply" then
    local right = self:pop()
    self:push(self:pop() * right)
  elseif operation == "modulo" then
    local right = self:pop()
    self:push(self:pop() % right)
  elseif operation == "jump" then
    self.counter = instruction.operand
  elseif operation == "jumpIfZero" then
    if self:pop() == 0 then self.counter = instruction.operand end
  else
    error("unknown operation " .. operation)
  end
end

local program = {}
for _, each in ipairs({
  { "push", tonumber(arg[1]) }, { "store", 1 }, { "push", 0 }, { "store", 2 },
  { "load", 1 }, { "jumpIfZero", 20 },
  { "load", 2 }, { "load", 1 }, { "load", 1 }, { "multiply" }, { "push", 1000 }, { "modulo" }, { "add" }, { "store", 2 },
  { "load", 1 }, { "push", 1 }, { "subtract" }, { "store", 1 }, { "jump", 5 },
  { "load", 2 },
}) do
  program[#program + 1] = { operation = each[1], operand = each[2] }
end
local machine = StackMachine.new()
print(machine:run(program))
print(machine.steps)
