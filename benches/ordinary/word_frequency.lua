-- word_frequency.lua: the counterpart of word_frequency.st.
local words = {}
for word in ("the harbour is a promise with walls said Pilot and Ferryman laughed "
  .. "but bell had rung on old tower that nobody rang counted ships twice"):gmatch("%a+") do
  words[#words + 1] = word
end
local seed = 42

local function next(count)
  seed = (seed * 1309 + 13849) % 65536
  return seed // 8 % count
end

local function makeLines(count)
  local pieces = {}
  for _ = 1, count do
    for _ = 1, 8 do
      pieces[#pieces + 1] = words[next(#words) + 1]
      if next(5) == 0 then pieces[#pieces + 1] = tostring(next(300)) end
      pieces[#pieces + 1] = " "
    end
    pieces[#pieces + 1] = ".\n"
  end
  return table.concat(pieces)
end

local function frequencies(text)
  local counts, ranking = {}, {}
  for line in text:gmatch("[^\n]+") do
    for each in line:gmatch("[^ .]+") do
      local word = each:lower()
      if not counts[word] then
        counts[word] = 0
        ranking[#ranking + 1] = word
      end
      counts[word] = counts[word] + 1
    end
  end
  table.sort(ranking, function(a, b)
    return counts[a] > counts[b] or (counts[a] == counts[b] and a < b)
  end)
  return ranking, counts
end

local ranking, counts = frequencies(makeLines(tonumber(arg[1])))
print(#ranking)
for index = 1, math.min(10, #ranking) do print(ranking[index] .. " " .. counts[ranking[index]]) end
