-- binary_tree.lua: the counterpart of binary_tree.st.
local SearchTree = {}
SearchTree.__index = SearchTree

function SearchTree.new() return setmetatable({ size = 0 }, SearchTree) end

function SearchTree:add(key)
  local node = self.root
  if not node then
    self.root = { key = key }
    self.size = 1
    return true
  end
  while node.key ~= key do
    local side = key < node.key and "left" or "right"
    if not node[side] then
      node[side] = { key = key }
      self.size = self.size + 1
      return true
    end
    node = node[side]
  end
  return false
end

function SearchTree:includes(key)
  local node = self.root
  while node do
    if node.key == key then return true end
    if key < node.key then node = node.left else node = node.right end
  end
  return false
end

function SearchTree:removeBelow(key, node)
  if not node then return nil end
  if key < node.key then
    node.left = self:removeBelow(key, node.left)
    return node
  elseif key > node.key then
    node.right = self:removeBelow(key, node.right)
    return node
  end
  if not node.left or not node.right then
    self.size = self.size - 1
    return node.left or node.right
  end
  local least = node.right
  while least.left do least = least.left end
  node.key = least.key
  node.right = self:removeBelow(least.key, node.right)
  return node
end

function SearchTree:remove(key) self.root = self:removeBelow(key, self.root) end

local function walk(node, action)
  if node.left then walk(node.left, action) end
  action(node.key)
  if node.right then walk(node.right, action) end
end

local count, seed = tonumber(arg[1]), 1
local tree = SearchTree.new()
for _ = 1, count do
  seed = seed * 16807 % 2147483647
  tree:add(seed % (count * 4))
end
print(tree.size)
local found = 0
for each = 0, count - 1 do
  if tree:includes(each) then found = found + 1 end
end
print(found)
for each = 0, count - 1, 2 do tree:remove(each) end
print(tree.size)
local last, isSorted = -1, true
walk(tree.root, function(key)
  if last >= key then isSorted = false end
  last = key
end)
print(isSorted)
