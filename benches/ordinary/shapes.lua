-- shapes.lua: the counterpart of shapes.st.
local function class(superclass)
  local new = setmetatable({}, superclass)
  new.__index = new
  return new
end

local Shape = class()
function Shape:isLargerThan(other) return self:area() > other:area() end
function Shape:corners() return 0 end

local Circle = class(Shape)
function Circle.new(radius) return setmetatable({ radius = radius }, Circle) end
function Circle:area() return self.radius * self.radius * 3.0 end
function Circle:scaledBy(factor) return Circle.new(self.radius * factor) end

local Box = class(Shape)
function Box.new(kind, width, height) return setmetatable({ width = width, height = height }, kind) end
function Box:area() return self.width * self.height end
function Box:scaledBy(factor)
  return Box.new(getmetatable(self), self.width * factor, self.height * factor)
end
function Box:corners() return 4 end

local Triangle = class(Box)
function Triangle:area() return Box.area(self) / 2.0 end
function Triangle:corners() return 3 end

local Frame = class(Box)
function Frame:area() return Box.area(self) - (self.width - 1.0) * (self.height - 1.0) end
function Frame:corners() return Box.corners(self) * 2 end

local kinds = { Box, Triangle, Frame }
local shapes = {}
for each = 1, tonumber(arg[1]) do
  local width, height = each % 9 + 1.0, each % 5 + 2.0
  if each % 4 == 0 then
    shapes[each] = Circle.new(width)
  else
    shapes[each] = Box.new(kinds[each % 4], width, height)
  end
end
local corners, area, largest = 0, 0.0, nil
for _ = 1, tonumber(arg[2]) do
  largest = shapes[1]
  for _, each in ipairs(shapes) do
    local scaled = each:scaledBy(2.0)
    if scaled:isLargerThan(largest) then largest = scaled end
    corners = corners + each:corners()
  end
  local sum = 0.0
  for _, each in ipairs(shapes) do sum = sum + each:area() end
  area = area + sum
end
print(corners)
print(math.floor(largest:area() * 2))
print(math.floor(area * 2))
