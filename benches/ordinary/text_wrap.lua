-- text_wrap.lua: the counterpart of text_wrap.st.
local lines = {}
local width = 60

local function fill(line, length)
  local spaces, gaps = width - length, #line - 1
  local pieces = {}
  for index, word in ipairs(line) do
    pieces[#pieces + 1] = word
    if index <= gaps then
      local share = (spaces + gaps - index) // (gaps - index + 1)
      pieces[#pieces + 1] = (" "):rep(share)
      spaces = spaces - share
    end
  end
  lines[#lines + 1] = table.concat(pieces)
end

local function wrap(text)
  local line, length = {}, 0
  for word in text:gmatch("%S+") do
    if length + #line + #word > width then
      fill(line, length)
      line, length = {}, 0
    end
    line[#line + 1] = word
    length = length + #word
  end
  lines[#lines + 1] = table.concat(line, " ")
end

local words = {
  "a", "harbour", "is", "only", "promise", "with", "walls", "said", "the", "pilot", "and", "ferryman", "laughed",
}
local seed = 17
for _ = 1, tonumber(arg[1]) do
  local paragraph = {}
  for index = 1, 50 do
    seed = (seed * 1309 + 13849) % 65536
    paragraph[index] = words[seed // 8 % 13 + 1] .. " "
  end
  wrap(table.concat(paragraph))
end
print(#table.concat(lines, "\n") + 1)
print(lines[1])
print(lines[#lines])
