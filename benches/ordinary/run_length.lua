-- run_length.lua: the counterpart of run_length.st.
local function encode(text)
  local pieces, index = {}, 1
  while index <= #text do
    local letter = text:byte(index)
    local count = 1
    while text:byte(index + count) == letter do count = count + 1 end
    pieces[#pieces + 1] = count .. string.char(letter)
    index = index + count
  end
  return table.concat(pieces)
end

local function decode(text)
  local pieces = {}
  for count, letter in text:gmatch("(%d+)(%D)") do
    pieces[#pieces + 1] = letter:rep(tonumber(count))
  end
  return table.concat(pieces)
end

local limit, seed, length, pieces = tonumber(arg[1]), 9, 0, {}
while length < limit do
  seed = seed * 16807 % 2147483647
  local run = string.char(97 + seed // 16 % 26):rep(seed % 12 + 1)
  pieces[#pieces + 1] = run
  length = length + #run
end
local text = table.concat(pieces)
local coded = encode(text)
print(coded:sub(1, 30))
print(#coded < #text)
print(decode(coded) == text)
