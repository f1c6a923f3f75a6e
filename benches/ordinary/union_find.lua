-- union_find.lua: the counterpart of union_find.st.
local UnionFind = {}
UnionFind.__index = UnionFind

function UnionFind.new(count)
  local parents, sizes = {}, {}
  for each = 1, count do
    parents[each] = each
    sizes[each] = 1
  end
  return setmetatable({ parents = parents, sizes = sizes, groups = count }, UnionFind)
end

function UnionFind:root(node)
  local parents, root = self.parents, node
  while parents[root] ~= root do root = parents[root] end
  while node ~= root do
    node, parents[node] = parents[node], root
  end
  return root
end

function UnionFind:join(one, other)
  local a, b = self:root(one), self:root(other)
  if a == b then return false end
  if self.sizes[a] < self.sizes[b] then a, b = b, a end
  self.parents[b] = a
  self.sizes[a] = self.sizes[a] + self.sizes[b]
  self.groups = self.groups - 1
  return true
end

local count, seed = tonumber(arg[1]), 5
local sets = UnionFind.new(count)
for _ = 1, count do
  seed = seed * 16807 % 2147483647
  local one = seed % count + 1
  seed = seed * 16807 % 2147483647
  sets:join(one, seed % count + 1)
end
local largest = 0
for _, size in ipairs(sets.sizes) do largest = math.max(largest, size) end
print(sets.groups)
print(largest)
