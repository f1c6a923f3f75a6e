-- lru_cache.lua: the counterpart of lru_cache.st.
local Cache = {}
Cache.__index = Cache

function Cache.new(capacity)
  local ring = {}
  ring.previous, ring.next = ring, ring
  return setmetatable({ capacity = capacity, size = 0, links = {}, ring = ring }, Cache)
end

local function unlink(link)
  link.previous.next = link.next
  link.next.previous = link.previous
end

function Cache:newLink()
  if self.size < self.capacity then
    self.size = self.size + 1
    return {}
  end
  local oldest = self.ring.previous
  unlink(oldest)
  self.links[oldest.key] = nil
  return oldest
end

function Cache:get(key, make)
  local link = self.links[key]
  if link then
    unlink(link)
  else
    link = self:newLink()
    link.key, link.value = key, make(key)
    self.links[key] = link
  end
  local ring = self.ring
  link.previous, link.next = ring, ring.next
  link.next.previous = link
  ring.next = link
  return link.value
end

local cache = Cache.new(tonumber(arg[1]))
local seed, misses, sum = 1, 0, 0

local function make(key)
  misses = misses + 1
  return #key
end

for _ = 1, tonumber(arg[2]) do
  seed = seed * 16807 % 2147483647
  local key = tostring(seed % 3 == 0 and seed % 10000 or seed % 500)
  sum = sum + cache:get(key, make)
end
print(misses)
print(sum)
