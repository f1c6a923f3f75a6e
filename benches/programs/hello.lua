-- hello.lua: the counterpart of examples/hello.st, for the time a start takes.
local Greeter = {}
Greeter.__index = Greeter

function Greeter.new()
  return setmetatable({}, Greeter)
end

function Greeter:greet(name)
  print("Hello, " .. name .. "!")
end

local greeter = Greeter.new()
local names = arg
if #names == 0 then names = { "world" } end
for _, name in ipairs(names) do greeter:greet(name) end
