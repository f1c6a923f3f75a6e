-- matrices.lua: the counterpart of matrices.st.
local function matrix(size, value)
  local rows = {}
  for row = 1, size do
    rows[row] = {}
    for column = 1, size do rows[row][column] = value(row, column) end
  end
  return rows
end

local function multiply(left, right)
  local size, product = #left, {}
  for row = 1, size do
    local from, to = left[row], {}
    for column = 1, size do
      local sum = 0.0
      for index = 1, size do sum = sum + from[index] * right[index][column] end
      to[column] = sum
    end
    product[row] = to
  end
  return product
end

local size = tonumber(arg[1])
local left = matrix(size, function(row, column) return (row * column % 7 - 3) * 1.0 end)
local right = matrix(size, function(row, column) return (row + column) % 5 / 2.0 end)
local product = multiply(left, right)
local trace = 0
for index = 1, size do trace = trace + product[index][index] end
print(math.tointeger(trace * 2))
print(math.tointeger(product[1][size] * 2))
