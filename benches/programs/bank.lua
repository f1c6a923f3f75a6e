-- bank.lua: the counterpart of examples/bank.st, class for class.
-- Lua's errors unwind before anybody looks at them, so a request that may be resumed
-- goes to a stack of listeners instead; all else is error and pcall.
-- Usage: lua5.4 bank.lua [DAYS]

local function class(superclass)
  local new = setmetatable({ superclass = superclass }, superclass)
  new.__index = new
  return new
end

-- Exceptions -----------------------------------------------------------------

local function isKindOf(object, wanted)
  local current = type(object) == "table" and getmetatable(object) or nil
  while current do
    if current == wanted then return true end
    current = rawget(current, "superclass")
  end
  return false
end

local function ensure(body, cleanup)
  local ok, problem = pcall(body)
  cleanup()
  if not ok then error(problem, 0) end
end

local function ifCurtailed(body, cleanup)
  local ok, problem = pcall(body)
  if not ok then
    cleanup()
    error(problem, 0)
  end
end

-- Runs body again as long as the handler asks for it by answering "retry".
local function onDo(body, kinds, handler)
  while true do
    local ok, problem = pcall(body)
    if ok then return end
    local handled = false
    for _, kind in ipairs(kinds) do handled = handled or isKindOf(problem, kind) end
    if not handled then error(problem, 0) end
    if handler(problem) ~= "retry" then return end
  end
end

local BankError = class()
local InsufficientFunds = class(BankError)
local AccountLocked = class(BankError)
local UnknownAccount = class(BankError)

function BankError.signal(kind, account)
  error(setmetatable({ account = account }, kind), 0)
end

local OverdraftRequest = class()
local AuditNotice = class()
local listeners = {}

local function listen(kind, listener, body)
  listeners[#listeners + 1] = { kind = kind, listener = listener }
  ensure(body, function() listeners[#listeners] = nil end)
end

-- Answers what the innermost listener of that kind answers, or the default.
local function notify(kind, request, default)
  for index = #listeners, 1, -1 do
    if listeners[index].kind == kind then return listeners[index].listener(request) end
  end
  return default
end

-- Accounts -------------------------------------------------------------------

local Account = class()

function Account.new(number, balance)
  return setmetatable({ number = number, balance = balance, refusals = 0, locked = false }, Account)
end

function Account:unlock()
  self.locked = false
  self.refusals = 0
end

function Account:checkLock()
  if self.locked then BankError.signal(AccountLocked, self) end
end

function Account:deposit(amount)
  self:checkLock()
  self.balance = self.balance + amount
end

function Account:withdraw(amount)
  self:checkLock()
  if self.balance < amount then
    local request = setmetatable({ account = self, missing = amount - self.balance }, OverdraftRequest)
    if not notify(OverdraftRequest, request, false) then self:refuse() end
  end
  self.balance = self.balance - amount
end

function Account:refuse()
  self.refusals = self.refusals + 1
  if self.refusals == 3 then self.locked = true end
  BankError.signal(InsufficientFunds, self)
end

-- The bank -------------------------------------------------------------------

local Bank = class()

function Bank.new(size)
  local accounts = {}
  for number = 1, size do accounts[number] = Account.new(number, number % 7 * 50) end
  return setmetatable({ accounts = accounts, opened = 0, closed = 0, rollbacks = 0 }, Bank)
end

function Bank:accountAt(number)
  if not (number >= 1 and number <= #self.accounts) then BankError.signal(UnknownAccount, nil) end
  return self.accounts[number]
end

function Bank:transfer(amount, from, to)
  self.opened = self.opened + 1
  ensure(function()
    local source = self:accountAt(from)
    local target = self:accountAt(to)
    source:withdraw(amount)
    ifCurtailed(function() target:deposit(amount) end, function()
      self.rollbacks = self.rollbacks + 1
      source:deposit(amount)
    end)
  end, function() self.closed = self.closed + 1 end)
  if amount > 160 then
    notify(AuditNotice, setmetatable({ message = "large transfer" }, AuditNotice), nil)
  end
end

function Bank:unlockAll()
  for _, each in ipairs(self.accounts) do each:unlock() end
end

function Bank:total()
  local sum = 0
  for _, each in ipairs(self.accounts) do sum = sum + each.balance end
  return sum
end

function Bank:lowest()
  local least = 0
  for _, each in ipairs(self.accounts) do least = math.min(least, each.balance) end
  return least
end

function Bank:show()
  print("Opened: " .. self.opened)
  print("Closed: " .. self.closed)
  print("Undone: " .. self.rollbacks)
  print("Total: " .. self:total())
  print("Lowest balance: " .. self:lowest())
end

-- The teller -----------------------------------------------------------------

local Teller = class()

function Teller.new(size)
  return setmetatable({
    bank = Bank.new(size), size = size, seed = 4711,
    done = 0, refused = 0, halved = 0, corrected = 0, reopened = 0,
    passed = 0, granted = 0, denied = 0, audited = 0,
  }, Teller)
end

function Teller:nextUpTo(limit)
  self.seed = self.seed * 16807 % 2147483647
  return self.seed % limit + 1
end

function Teller:work(days)
  for day = 1, days do
    if day % 2 == 1 then
      listen(AuditNotice, function()
        self.audited = self.audited + 1
      end, function() self:day() end)
    else
      self:day()
    end
  end
end

function Teller:day()
  ensure(function()
    for _ = 1, 100 do self:transferSomething() end
  end, function() self.bank:unlockAll() end)
end

function Teller:transferSomething()
  local amount = self:nextUpTo(200)
  local source = self:nextUpTo(self.size)
  local target = self:nextUpTo(self.size + 2)
  onDo(function()
    listen(OverdraftRequest, function(request) return self:grants(request) end, function()
      self:transfer(amount, source, target)
    end)
  end, { BankError }, function() self.passed = self.passed + 1 end)
end

function Teller:grants(request)
  local granting = request.missing <= 20 and request.account.balance >= 0
  if granting then self.granted = self.granted + 1 else self.denied = self.denied + 1 end
  return granting
end

function Teller:transfer(amount, source, target)
  onDo(function()
    onDo(function()
      self.bank:transfer(amount, source, target)
      self.done = self.done + 1
    end, { UnknownAccount }, function()
      self.corrected = self.corrected + 1
      target = target - self.size
      return "retry"
    end)
  end, { InsufficientFunds, AccountLocked }, function(problem)
    return self:answer(problem, amount, source, target)
  end)
end

function Teller:answer(problem, amount, source, target)
  if isKindOf(problem, AccountLocked) then
    if problem.account.number % 2 == 0 then error(problem, 0) end
    problem.account:unlock()
    self.reopened = self.reopened + 1
    return "retry"
  end
  if amount > 60 then
    self.halved = self.halved + 1
    return self:transfer(amount // 2, source, target)
  end
  self.refused = self.refused + 1
end

function Teller:show()
  self.bank:show()
  print("Done: " .. self.done)
  print("Refused: " .. self.refused)
  print("Halved: " .. self.halved)
  print("Corrected: " .. self.corrected)
  print("Reopened: " .. self.reopened)
  print("Passed on: " .. self.passed)
  print("Overdrafts granted: " .. self.granted)
  print("Overdrafts denied: " .. self.denied)
  print("Audited: " .. self.audited)
end

local teller = Teller.new(50)
teller:work(tonumber(arg[1]) or 100)
teller:show()
