-- log_lines.lua: the counterpart of log_lines.st, with a pattern.
local lines = {}
local statuses = { 200, 200, 200, 404, 500 }
for each = 1, tonumber(arg[1]) do
  lines[each] = ('10.0.%d.%d - - [12/Mar/2024:10:%02d] "GET /page/%d HTTP/1.1" %d %d\n'):format(
    each % 4, each * 7 % 50, each % 60, each % 100, statuses[each % 5 + 1], each * 31 % 5000)
end
local text = table.concat(lines)
local pattern = '^([%d.]+) %- %- %[([^%]]+)%] "(%u+) ([^ ]+) [^"]*" (%d+) (%d+)$'
local perStatus, perHost, names, hosts, bytes = {}, {}, {}, 0, 0
for line in text:gmatch("[^\n]+") do
  local host, _, method, _, status, size = line:match(pattern)
  if method == "GET" or method == "POST" then
    if not perStatus[status] then names[#names + 1] = status end
    perStatus[status] = (perStatus[status] or 0) + 1
    if not perHost[host] then hosts = hosts + 1 end
    perHost[host] = (perHost[host] or 0) + 1
    bytes = bytes + math.tointeger(size)
  end
end
table.sort(names)
for _, each in ipairs(names) do print(each .. " " .. perStatus[each]) end
print(hosts)
print(bytes)
