-- Asks the gateway of tokens.conf for the tokens of many tenants at once, and prints how many
-- answers were right, which others came, and how many clients left before theirs.
-- Arguments: URL, seconds, tenants, life of a token, jobs at once, a command to run meanwhile.
local endpoint, request = require "endpoint", require "endpoint.request"
local socket = require "socket"

local url, seconds, tenants, life, at_once = arg[1], arg[2], tonumber(arg[3]), arg[4], arg[5]
local ends = socket.gettime() + tonumber(seconds)
local pool = request.pool { at_once = tonumber(at_once) }
local send = request.new(endpoint.defaults { baseUrl = url }, {
  wait = pool.wait,
  sleep = pool.sleep,
  timeout = 30,
})

local right, wrong, aborted = 0, {}, 0

-- A client that asks and leaves.
local function leave(tenant)
  local sock = assert(socket.connect(url:match "//(.-):(%d+)"))
  local form = "GET /gateway?tenant=%s&life=%s HTTP/1.1\r\nhost: x\r\n\r\n"
  sock:send(form:format(tenant, life))
  pool.sleep(math.random() * 0.2)
  sock:close()
  aborted = aborted + 1
end

local function ask(tenant)
  local ok, body = pcall(send, "GET /gateway", { tenant = tenant, life = life })
  if ok and body == "right" then
    right = right + 1
  else
    local said = tostring(body)
    wrong[said] = (wrong[said] or 0) + 1
  end
end

local function work(number)
  while socket.gettime() < ends do
    local tenant = "t" .. math.random(tenants)
    if number % 10 == 0 then
      leave(tenant)
    else
      ask(tenant)
    end
  end
end

local jobs = {}
for number = 1, tonumber(at_once) do
  jobs[number] = number
end
if arg[6] then
  os.execute(arg[6] .. " &")
end
local _, problems = pool.run(jobs, work)
print("right=" .. right)
print("aborted=" .. aborted)
for said, count in pairs(wrong) do
  print(("wrong=%d %s"):format(count, said))
end
for _, problem in pairs(problems) do
  print("problem=" .. tostring(problem))
end
