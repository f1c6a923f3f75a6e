-- nbody.lua: the counterpart of nbody.st.
local sqrt = math.sqrt
local SOLAR = 39.47841760435743

local function body(x, y, z, vx, vy, vz, mass)
  return {
    x = x, y = y, z = z, vx = vx * 365.24, vy = vy * 365.24, vz = vz * 365.24, mass = mass * SOLAR,
  }
end

local bodies = {
  body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
  body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694,
    0.00769901118419740425, -0.0000690460016972063023, 0.000954791938424326609),
  body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411395,
    0.00499852801234917238, 0.0000230417297573763929, 0.000285885980666130812),
  body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618,
    0.00237847173959480950, -0.0000296589568540237556, 0.0000436624404335156298),
  body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322,
    0.00162824170038242295, -0.0000951592254519715870, 0.0000515138902046611451),
}

local function rest()
  local px, py, pz = 0.0, 0.0, 0.0
  for _, each in ipairs(bodies) do
    px = px + each.vx * each.mass
    py = py + each.vy * each.mass
    pz = pz + each.vz * each.mass
  end
  local sun = bodies[1]
  sun.vx = sun.vx - px / SOLAR
  sun.vy = sun.vy - py / SOLAR
  sun.vz = sun.vz - pz / SOLAR
end

local function step(time)
  for i = 1, #bodies do
    local one = bodies[i]
    for j = i + 1, #bodies do
      local other = bodies[j]
      local dx, dy, dz = one.x - other.x, one.y - other.y, one.z - other.z
      local square = dx * dx + dy * dy + dz * dz
      local factor = time / (square * sqrt(square))
      one.vx = one.vx - dx * other.mass * factor
      one.vy = one.vy - dy * other.mass * factor
      one.vz = one.vz - dz * other.mass * factor
      other.vx = other.vx + dx * one.mass * factor
      other.vy = other.vy + dy * one.mass * factor
      other.vz = other.vz + dz * one.mass * factor
    end
  end
  for _, each in ipairs(bodies) do
    each.x = each.x + each.vx * time
    each.y = each.y + each.vy * time
    each.z = each.z + each.vz * time
  end
end

local function energy()
  local sum = 0.0
  for i = 1, #bodies do
    local one = bodies[i]
    sum = sum + 0.5 * one.mass * (one.vx * one.vx + one.vy * one.vy + one.vz * one.vz)
    for j = i + 1, #bodies do
      local other = bodies[j]
      local dx, dy, dz = one.x - other.x, one.y - other.y, one.z - other.z
      sum = sum - one.mass * other.mass / sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return sum
end

rest()
print(math.ceil(energy() * 1000000000))
for _ = 1, tonumber(arg[1]) do step(0.01) end
print(math.ceil(energy() * 1000000000))
