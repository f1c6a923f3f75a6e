-- scheduler.lua: the counterpart of examples/scheduler.st, class for class.
-- Usage: lua5.4 scheduler.lua [STEPS]

local function class(superclass)
  local new = setmetatable({}, superclass)
  new.__index = new
  return new
end

-- Packets --------------------------------------------------------------------

local Packet = class()
Packet.size = 4

function Packet.new(destination, kind)
  return setmetatable({
    destination = destination, kind = kind, datum = 0, letters = { 0, 0, 0, 0 },
  }, Packet)
end

function Packet:isWork() return self.kind == "work" end

local PacketQueue = class()

function PacketQueue.new() return setmetatable({}, PacketQueue) end
function PacketQueue:isEmpty() return self.first == nil end

function PacketQueue:add(packet)
  packet.next = nil
  if self.first == nil then self.first = packet else self.last.next = packet end
  self.last = packet
end

function PacketQueue:removeFirst()
  local packet = self.first
  self.first = packet.next
  packet.next = nil
  return packet
end

-- Tasks ----------------------------------------------------------------------

local Task = class()

function Task.new(taskClass, kernel, number, priority, following)
  return setmetatable({
    kernel = kernel, number = number, priority = priority, following = following,
    inbox = PacketQueue.new(), waiting = false, held = false,
  }, taskClass)
end

function Task:hold() self.held = true end
function Task:release() self.held = false end
function Task:wait() self.waiting = true end
function Task:deliver(packet) self.inbox:add(packet) end

function Task:isReady()
  if self.held then return false end
  return not self.waiting or not self.inbox:isEmpty()
end

function Task:run()
  local packet
  if self.waiting then
    self.waiting = false
    packet = self.inbox:removeFirst()
  end
  self:step(packet)
end

local IdleTask = class(Task)

function IdleTask:steps(count)
  self.remaining = count
  self.register = 1
end

function IdleTask:step()
  local kernel = self.kernel
  self.remaining = self.remaining - 1
  if self.remaining == 0 then return kernel:holdRunning() end
  if self.register & 1 == 0 then
    self.register = self.register >> 1
    kernel:release(kernel.firstDevice)
  else
    self.register = (self.register >> 1) ~ 0xD008
    kernel:release(kernel.secondDevice)
  end
end

local WorkerTask = class(Task)

function WorkerTask:start()
  self.letter = 0
  self.target = self.kernel.firstHandler
end

function WorkerTask:step(packet)
  local kernel = self.kernel
  if packet == nil then return kernel:waitRunning() end
  if self.target == kernel.firstHandler then
    self.target = kernel.secondHandler
  else
    self.target = kernel.firstHandler
  end
  packet.destination = self.target
  packet.datum = 1
  for index = 1, Packet.size do
    self.letter = self.letter % 26 + 1
    packet.letters[index] = self.letter
  end
  kernel:send(packet)
end

local HandlerTask = class(Task)

function HandlerTask:start()
  self.work = PacketQueue.new()
  self.devices = PacketQueue.new()
end

function HandlerTask:step(arrived)
  local kernel, work, devices = self.kernel, self.work, self.devices
  if arrived ~= nil then
    if arrived:isWork() then work:add(arrived) else devices:add(arrived) end
  end
  if work:isEmpty() then return kernel:waitRunning() end
  local packet = work.first
  if packet.datum > Packet.size then
    packet.destination = kernel.worker
    return kernel:send(work:removeFirst())
  end
  if devices:isEmpty() then return kernel:waitRunning() end
  self:pass(packet, devices:removeFirst())
end

function HandlerTask:pass(work, device)
  device.datum = work.letters[work.datum]
  work.datum = work.datum + 1
  self.kernel:send(device)
end

local DeviceTask = class(Task)

function DeviceTask:setHandler(number)
  self.handler = number
  self.written = 0
end

function DeviceTask:step(arrived)
  local kernel = self.kernel
  if arrived ~= nil then
    self.pending = arrived
    self.written = self.written + arrived.datum
    return kernel:holdRunning()
  end
  if self.pending == nil then return kernel:waitRunning() end
  local packet = self.pending
  self.pending = nil
  packet.destination = self.handler
  kernel:send(packet)
end

-- The kernel -----------------------------------------------------------------

local Kernel = class()
Kernel.idle, Kernel.worker = 1, 2
Kernel.firstHandler, Kernel.secondHandler = 3, 4
Kernel.firstDevice, Kernel.secondDevice = 5, 6

function Kernel.new(steps)
  local self = setmetatable({ tasks = {}, sent = 0, holds = 0, switches = 0 }, Kernel)
  self:add(IdleTask, self.idle, 0):steps(steps)
  for _, each in ipairs({
    { WorkerTask, self.worker, 1000 },
    { HandlerTask, self.firstHandler, 2000 },
    { HandlerTask, self.secondHandler, 3000 },
  }) do
    local task = self:add(table.unpack(each))
    task:start()
    task:wait()
  end
  for _, each in ipairs({
    { self.firstDevice, 4000, self.firstHandler },
    { self.secondDevice, 5000, self.secondHandler },
  }) do
    local task = self:add(DeviceTask, each[1], each[2])
    task:setHandler(each[3])
    task:wait()
  end
  self:preparePackets()
  return self
end

function Kernel:add(taskClass, number, priority)
  self.head = Task.new(taskClass, self, number, priority, self.head)
  self.tasks[number] = self.head
  return self.head
end

function Kernel:preparePackets()
  for _ = 1, 2 do
    self.tasks[self.worker]:deliver(Packet.new(self.worker, "work"))
  end
  for _ = 1, 3 do
    self.tasks[self.firstHandler]:deliver(Packet.new(self.firstDevice, "device"))
    self.tasks[self.secondHandler]:deliver(Packet.new(self.secondDevice, "device"))
  end
end

function Kernel:run()
  local task = self.head
  while task ~= nil do
    if task:isReady() then task = self:dispatch(task) else task = task.following end
  end
end

function Kernel:dispatch(task)
  self.switches = self.switches + 1
  self.running = task
  self.successor = task
  task:run()
  return self.successor
end

function Kernel:send(packet)
  self.sent = self.sent + 1
  local receiver = self.tasks[packet.destination]
  packet.destination = self.running.number
  receiver:deliver(packet)
  self:prefer(receiver)
end

function Kernel:waitRunning() self.running:wait() end

function Kernel:holdRunning()
  self.holds = self.holds + 1
  self.running:hold()
  self.successor = self.running.following
end

function Kernel:release(number)
  local task = self.tasks[number]
  task:release()
  self:prefer(task)
end

function Kernel:prefer(task)
  if task.priority > self.running.priority then self.successor = task end
end

function Kernel:show()
  print("Switches: " .. self.switches)
  print("Packets sent: " .. self.sent)
  print("Holds: " .. self.holds)
  print("Written by the first device: " .. self.tasks[self.firstDevice].written)
  print("Written by the second device: " .. self.tasks[self.secondDevice].written)
end

local kernel = Kernel.new(tonumber(arg[1]) or 10000)
kernel:run()
kernel:show()
