-- switches.lua: the counterpart of switches.st, with a coroutine.
local depth, switches = tonumber(arg[1]), tonumber(arg[2])
local turns = 0

local function down(count, action)
  if count == 0 then return action() end
  local below = down(count - 1, action)
  return below + 1
end

local diver = coroutine.create(function()
  down(depth, function()
    for _ = 1, switches do
      turns = turns + 1
      coroutine.yield()
    end
    return 0
  end)
end)
for _ = 1, switches do coroutine.resume(diver) end
print(turns)
