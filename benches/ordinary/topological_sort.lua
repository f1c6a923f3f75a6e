-- topological_sort.lua: the counterpart of topological_sort.st.
local function sorted(needs)
  local followers, missing, ready, order = {}, {}, {}, {}
  for name, names in pairs(needs) do
    local count = 0
    for each in pairs(names) do
      count = count + 1
      followers[each] = followers[each] or {}
      table.insert(followers[each], name)
    end
    missing[name] = count
    if count == 0 then ready[#ready + 1] = name end
  end
  local head = 1
  while head <= #ready do
    local name = ready[head]
    head = head + 1
    order[#order + 1] = name
    for _, each in ipairs(followers[name] or {}) do
      missing[each] = missing[each] - 1
      if missing[each] == 0 then ready[#ready + 1] = each end
    end
  end
  return order
end

local count = tonumber(arg[1])
local needs = {}
for each = 1, count do
  local names = {}
  if each > 1 then
    for index = 1, 3 do names["task-" .. each * 7919 * index % (each - 1) + 1] = true end
  end
  needs["task-" .. each] = names
end
local order = sorted(needs)
local places = {}
for index, each in ipairs(order) do places[each] = index end
local late = 0
for each = 1, count // 2 do
  if places["task-" .. each] < places["task-" .. count + 1 - each] then late = late + 1 end
end
print(#order)
print(late > count // 4)
