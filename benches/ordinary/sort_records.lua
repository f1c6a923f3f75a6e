-- sort_records.lua: the counterpart of sort_records.st.
local cities = { "Lisbon", "Porto", "Braga", "Faro", "Evora", "Coimbra" }

local function precedes(a, b)
  if a.city ~= b.city then return a.city < b.city end
  if a.age ~= b.age then return a.age > b.age end
  return a.name < b.name
end

local seed = 7
local people = {}
for each = 1, tonumber(arg[1]) do
  seed = seed * 16807 % 2147483647
  people[each] = {
    name = "person-" .. seed % 100000, city = cities[seed // 7 % 6 + 1], age = seed // 11 % 80,
  }
end
table.sort(people, precedes)
local sum = 0
for index, each in ipairs(people) do sum = (sum + index * each.age) % 1000007 end
print(people[1].name .. " " .. people[1].city)
print(people[#people].name .. " " .. people[#people].city)
print(sum)
