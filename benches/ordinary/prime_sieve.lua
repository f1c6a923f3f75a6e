-- prime_sieve.lua: the counterpart of prime_sieve.st.
local limit = tonumber(arg[1])
local isPrime = {}
for each = 1, limit do isPrime[each] = true end
isPrime[1] = false
for each = 2, math.floor(math.sqrt(limit)) do
  if isPrime[each] then
    for multiple = each * each, limit, each do isPrime[multiple] = false end
  end
end
local count, last = 0, nil
for each = 1, limit do
  if isPrime[each] then
    count = count + 1
    last = each
  end
end
print(count)
print(last)
