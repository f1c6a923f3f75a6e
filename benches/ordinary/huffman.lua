-- huffman.lua: the counterpart of huffman.st, with a binary heap written out.
local function precedes(a, b)
  if a.weight == b.weight then return a.order < b.order end
  return a.weight < b.weight
end

local Heap = {}
Heap.__index = Heap

function Heap.new() return setmetatable({ size = 0 }, Heap) end

function Heap:add(element)
  self.size = self.size + 1
  local index = self.size
  while index > 1 and precedes(element, self[index // 2]) do
    self[index] = self[index // 2]
    index = index // 2
  end
  self[index] = element
end

function Heap:removeFirst()
  local first, last = self[1], self[self.size]
  self[self.size] = nil
  self.size = self.size - 1
  if self.size == 0 then return first end
  local index = 1
  while index * 2 <= self.size do
    local child = index * 2
    if child < self.size and precedes(self[child + 1], self[child]) then child = child + 1 end
    if not precedes(self[child], last) then break end
    self[index] = self[child]
    index = child
  end
  self[index] = last
  return first
end

local function treeFor(text)
  local counts, letters = {}, {}
  for letter in text:gmatch(".") do
    if not counts[letter] then
      counts[letter] = 0
      letters[#letters + 1] = letter
    end
    counts[letter] = counts[letter] + 1
  end
  table.sort(letters)
  local nodes, made = Heap.new(), 0
  for _, each in ipairs(letters) do
    made = made + 1
    nodes:add({ letter = each, weight = counts[each], order = made })
  end
  while nodes.size > 1 do
    made = made + 1
    local left, right = nodes:removeFirst(), nodes:removeFirst()
    nodes:add({ left = left, right = right, weight = left.weight + right.weight, order = made })
  end
  return nodes:removeFirst()
end

local function addCodes(node, codes, prefix)
  if node.letter then
    codes[node.letter] = prefix
  else
    addCodes(node.left, codes, prefix .. "0")
    addCodes(node.right, codes, prefix .. "1")
  end
end

local function encode(text, tree)
  local codes, pieces = {}, {}
  addCodes(tree, codes, "")
  for letter in text:gmatch(".") do pieces[#pieces + 1] = codes[letter] end
  return table.concat(pieces)
end

local function decode(bits, tree)
  local pieces, node = {}, tree
  for index = 1, #bits do
    node = bits:byte(index) == 48 and node.left or node.right
    if node.letter then
      pieces[#pieces + 1] = node.letter
      node = tree
    end
  end
  return table.concat(pieces)
end

local seed, pieces = 23, {}
for index = 1, tonumber(arg[1]) do
  seed = seed * 16807 % 2147483647
  pieces[index] = string.char(97 + (seed % 26) * (seed // 32 % 26) // 26)
end
local text = table.concat(pieces)
local tree = treeFor(text)
local bits = encode(text, tree)
print(#bits)
print(bits:sub(1, 40))
print(decode(bits, tree) == text)
