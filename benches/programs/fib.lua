-- fib.lua: the counterpart of fib.st. A number has no methods in Lua, so the
-- method lives in an object, and every recursion looks it up there.
local Fibonacci = {}
Fibonacci.__index = Fibonacci

function Fibonacci.new()
  return setmetatable({}, Fibonacci)
end

function Fibonacci:fib(n)
  if n < 2 then return n end
  return self:fib(n - 1) + self:fib(n - 2)
end

local index = tonumber(arg[1]) or 32
print(string.format("%d", Fibonacci.new():fib(index)))
