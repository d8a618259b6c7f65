-- With which versions of libcurl a handle is used again. The binding is a scripted one.
local endpoint = require "endpoint"
local request = require "endpoint.request"

local HEADERFUNCTION, WRITEFUNCTION, READFUNCTION, FORBID_REUSE = 20079, 20011, 20012, 75

-- A binding of that version, with the handles it has given. can_close: do its handles have `close`?
local function new_binding(version, can_close)
  local binding = { handles = {} }
  function binding.version()
    return version
  end
  function binding.easy()
    local easy = { options = {}, used = 0, closed = 0, close = nil }
    function easy.setopt(_, option, value)
      easy.options[option] = value
    end
    function easy.perform()
      easy.used = easy.used + 1
      for _, line in ipairs { "HTTP/1.1 200 OK\r\n", "content-length: 1\r\n", "\r\n" } do
        easy.options[HEADERFUNCTION](line)
      end
      easy.options[WRITEFUNCTION] "a"
      while (easy.options[READFUNCTION] or function() end)(9) do -- the body
      end
      return easy
    end
    for _, name in ipairs { "httpheader", "postfields", "path_as_is", "customrequest" } do
      easy["setopt_" .. name] = function() end
    end
    if can_close then
      function easy.close()
        easy.closed = easy.closed + 1
      end
    end
    binding.handles[#binding.handles + 1] = easy
    return easy
  end
  return binding
end

-- Calls f with a sender over a binding.
local function with_sender(binding, f)
  local kept = package.loaded.cURL
  package.loaded.cURL = binding
  local ok, problem = pcall(function()
    f(request.new(endpoint.defaults { baseUrl = "http://h" }, { client = "curl" }))
  end)
  package.loaded.cURL = kept
  assert(ok, problem)
end

-- The handles that three requests of one sender have used.
local function handles_of(version, can_close)
  local binding = new_binding(version, can_close)
  with_sender(binding, function(send)
    for _ = 1, 3 do
      assert.equal("a", (send "GET /x"))
    end
  end)
  return binding.handles
end

describe("a handle of libcurl", function()
  for _, version in ipairs {
    "libcurl/7.19.0 GnuTLS/2",
    "libcurl/7.83.1",
    "libcurl/8.1.0 OpenSSL/3.0",
    "libcurl/8.10.1",
    "libcurl/9.0.0-DEV",
    "libcurl/10.0.0",
  } do
    for how, can_close in pairs { ["can be closed"] = true, ["cannot be closed"] = false } do
      it(("is used again if it %s, and keeps its connection: %s"):format(how, version), function()
        local handles = handles_of(version, can_close)
        assert.same({ 1, 3, 0 }, { #handles, handles[1].used, handles[1].closed })
        assert.is_nil(handles[1].options[FORBID_REUSE])
      end)
    end
  end

  it("that is idle holds no function of its last call", function()
    local functions = setmetatable({}, { __mode = "k" })
    with_sender(new_binding "libcurl/8.1.0", function(send)
      local pieces = { "b" }
      local function body()
        return table.remove(pieces)
      end
      local function sink()
        return #pieces
      end
      functions[body], functions[sink] = true, true
      send("PUT /x", { data = body, request = { sink = sink } })
      body, sink = nil, nil -- luacheck: ignore 311
      collectgarbage()
      collectgarbage()
      assert.is_nil(next(functions))
    end)
  end)

  for _, version in ipairs {
    "libcurl/7.84.0",
    "libcurl/7.88.1 GnuTLS/3.7.9 zlib/1.2.13",
    "libcurl/7.100.0",
    "libcurl/8.0.1",
    "another library 8.5.0",
    "",
  } do
    for _, row in ipairs {
      { how = "and closed if it can be", can_close = true, closed = 1 },
      { how = "if it cannot be closed", can_close = false, closed = 0 },
    } do
      it(("is used once, %s: %s"):format(row.how, version), function()
        local handles = handles_of(version, row.can_close)
        assert.equal(3, #handles)
        for number, easy in ipairs(handles) do
          assert.same(
            { 1, row.closed, 1 },
            { easy.used, easy.closed, easy.options[FORBID_REUSE] },
            "handle " .. number
          )
        end
      end)
    end
  end
end)
