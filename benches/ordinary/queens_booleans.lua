-- queens_booleans.lua: the counterpart of queens_booleans.st.
local Queens = {}
Queens.__index = Queens

function Queens.new(size)
  return setmetatable({ size = size, columns = {}, rising = {}, falling = {}, solutions = 0 }, Queens)
end

function Queens:isFree(row, column)
  return not self.columns[column] and not self.rising[row + column]
    and not self.falling[row - column + self.size]
end

function Queens:set(row, column, value)
  self.columns[column] = value
  self.rising[row + column] = value
  self.falling[row - column + self.size] = value
end

function Queens:place(row)
  if row > self.size then
    self.solutions = self.solutions + 1
    return
  end
  for column = 1, self.size do
    if self:isFree(row, column) then
      self:set(row, column, true)
      self:place(row + 1)
      self:set(row, column, false)
    end
  end
end

local queens = Queens.new(tonumber(arg[1]))
queens:place(1)
print(queens.solutions)
