-- trie.lua: the counterpart of trie.st.
local Trie = {}
Trie.__index = Trie

local function newNode() return { children = {}, isWord = false, count = 0 } end

function Trie.new() return setmetatable({ root = newNode() }, Trie) end

function Trie:nodeAt(prefix)
  local node = self.root
  for index = 1, #prefix do
    node = node.children[prefix:byte(index)]
    if not node then return nil end
  end
  return node
end

function Trie:includes(word)
  local node = self:nodeAt(word)
  return node ~= nil and node.isWord
end

function Trie:add(word)
  if self:includes(word) then return end
  local node = self.root
  node.count = node.count + 1
  for index = 1, #word do
    local letter = word:byte(index)
    local child = node.children[letter]
    if not child then
      child = newNode()
      node.children[letter] = child
    end
    node = child
    node.count = node.count + 1
  end
  node.isWord = true
end

function Trie:countBeginningWith(prefix)
  local node = self:nodeAt(prefix)
  return node and node.count or 0
end

local syllables = { "ka", "lo", "mi", "ren", "su", "to", "vel", "ya" }
local seed = 3

local function syllable()
  seed = seed * 16807 % 2147483647
  return syllables[seed // 64 % 8 + 1]
end

local function word() return syllable() .. syllable() .. syllable() .. syllable() end

local trie, found = Trie.new(), 0
for _ = 1, tonumber(arg[1]) do trie:add(word()) end
for _ = 1, tonumber(arg[1]) do
  if trie:includes(word()) then found = found + 1 end
end
print(found)
for _, each in ipairs({ "", "ka", "lom", "rensu", "x" }) do print(trie:countBeginningWith(each)) end
