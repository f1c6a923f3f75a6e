-- character_streams.lua: the counterpart of character_streams.st.
local function rotate(byte)
  if byte < 97 or byte > 122 then return byte end
  return (byte - 97 + 13) % 26 + 97
end

local function encode(text)
  local output = {}
  for index = 1, #text do
    output[index] = string.char(rotate(text:byte(index)))
  end
  return table.concat(output)
end

local line = "What is counted once is a rumour; what is counted twice is so. "
local text = (line .. "\n"):rep(tonumber(arg[1]))
local coded = encode(text)
print(coded:sub(1, #line))
print(encode(coded) == text)
print(select(2, coded:gsub("n", "")))
