-- SPDX-License-Identifier: MIT
-- The program curl, run by Neovim's libuv: the editor goes on while a coroutine waits for its
-- response. Outside of coroutines vim.wait lets the editor's events go on.
local Fields = require "endpoint.request.clients.http1.fields"
local callbacks = require "endpoint.request.failures.callbacks"
local clients = require "endpoint.clients"
local failures = require "endpoint.request.failures"
local text = require "endpoint.text"

-- --- what a call waits for --------------------------------------------------------

-- Events of libuv, and the coroutine that waits for them.
local Mailbox = {}
Mailbox.__index = Mailbox

local function new_mailbox(vim)
  return setmetatable({ vim = vim, uv = vim.uv or vim.loop, events = {}, co = nil }, Mailbox)
end

-- Lets the waiting coroutine go on, where functions of the editor may be called.
function Mailbox:wake()
  local co = self.co
  self.co = nil
  if co then
    self.vim.schedule(function()
      local ok, problem = coroutine.resume(co)
      if not ok then
        error(problem, 0)
      end
    end)
  end
end

function Mailbox:push(...)
  self.events[#self.events + 1] = { ... }
  self:wake()
end

-- The longest wait at a time, in milliseconds.
local LONGEST = 1e9

-- Leaves the coroutine until something happens, or for so many milliseconds.
function Mailbox:leave(milliseconds)
  local timer = self.uv.new_timer()
  self.co = coroutine.running()
  timer:start(milliseconds, 0, function()
    self:wake()
  end)
  coroutine.yield()
  self.co = nil
  timer:stop()
  timer:close()
end

local function is_in_coroutine()
  local co, is_main = coroutine.running()
  return co ~= nil and not is_main
end

-- The next event, { kind, value }; nil if none comes within the seconds.
function Mailbox:next(seconds)
  local milliseconds = math.max(1, math.ceil(math.min(seconds * 1000, LONGEST)))
  if not self.events[1] and is_in_coroutine() then
    self:leave(milliseconds)
  elseif not self.events[1] then
    self.vim.wait(milliseconds, function()
      return self.events[1] ~= nil
    end, 5)
  end
  return table.remove(self.events, 1)
end

-- --- the program ------------------------------------------------------------------

-- A line of curl's configuration.
local function line(name, value)
  return value and ('%s = "%s"\n'):format(name, (value:gsub('[\\"]', "\\%0"))) or ""
end

-- curl's words and its standard input, which no list of processes shows.
local function command(try)
  local settings, limits = try.settings, try.limits
  local options = { encode = settings.encode, nested = settings.nested }
  local words, input = clients.argv(try.request, options)
  limits:begin "connect_timeout"
  local before = {
    line("connect-timeout", text.pointed(("%.3f"):format(math.min(limits:seconds(), 1e6)))),
    line("cacert", settings.cafile),
    line("cert", settings.certificate),
    line("key", settings.certificate and (settings.key or settings.certificate)),
    line("unix-socket", settings.socket_path),
    try.proxy and line("proxy", try.proxy.url) or line("noproxy", "*"),
    "silent\nshow-error\ninclude\nno-buffer\nsuppress-connect-headers\n",
    try.asks_gzip and line("header", "accept-encoding: gzip") or "",
  }
  limits:begin()
  table.remove(words, 1)
  return words, table.concat(before) .. input
end

-- Starts curl. Its output and its end come to the mailbox. Returns what stops it.
local function start(mailbox, words, input)
  local uv = mailbox.uv
  local stdin, stdout, stderr = uv.new_pipe(false), uv.new_pipe(false), uv.new_pipe(false)
  local pipes, open, code = { stdin, stdout, stderr }, 3, nil
  local function close(pipe)
    if not pipe:is_closing() then
      pipe:close()
    end
  end
  local function over()
    open = open - 1
    if open == 0 then
      mailbox:push("end", code)
    end
  end
  local handle, problem
  handle, problem = uv.spawn("curl", { args = words, stdio = pipes }, function(status)
    code = status
    handle:close()
    over()
  end)
  if not handle then
    for _, pipe in ipairs(pipes) do
      close(pipe)
    end
    return nil, tostring(problem)
  end
  for kind, pipe in pairs { output = stdout, error = stderr } do
    pipe:read_start(function(_, piece)
      if piece then
        mailbox:push(kind, piece)
      else
        close(pipe)
        over()
      end
    end)
  end
  stdin:write(input, function()
    close(stdin)
  end)
  return function()
    if handle and not handle:is_closing() then
      handle:kill "sigterm"
    end
    for _, pipe in ipairs(pipes) do
      close(pipe)
    end
  end
end

-- --- a response -------------------------------------------------------------------

-- Bytes that a head may have.
local MOST = 65536

-- The status, the headers and the rest of a text; nil if its head is not whole.
local function read_head(try, buffer)
  local last, first = buffer:match "\r\n()\r\n()"
  if not last then
    return #buffer > MOST and try:refuse("too long", "the head of the response is too long") or nil
  end
  local status, fields = buffer:match "^HTTP/[%d.]+ (%d%d%d)", Fields.new()
  if not status then
    return try:refuse("protocol", "the response is not HTTP")
  end
  for field in buffer:sub(1, last - 3):gmatch "\n([^\r\n]*)" do
    if not fields:take(field) then
      return try:refuse("protocol", "the response is not HTTP")
    end
  end
  return tonumber(status), fields:joined(), buffer:sub(first)
end

-- What has come of a response.
local Transfer = {}
Transfer.__index = Transfer

-- Takes a piece of curl's output: heads, then the body.
function Transfer:take(piece)
  local try = self.try
  if self.has_begun then
    return try:write(piece)
  end
  self.buffer = self.buffer .. piece
  while not self.has_begun and not try.refusal do
    local status, headers, rest = read_head(try, self.buffer)
    if not status then
      return
    end
    self.buffer = rest
    if status >= 200 then
      self.has_begun = true
      try.limits:response_begins()
      try:begin(status, headers)
    end
  end
  if self.buffer ~= "" and not try.refusal then
    try:write(self.buffer)
  end
end

-- curl's exit statuses that have a word in failures.lua; others are of a connection that was lost.
local REASONS = {
  [1] = "protocol",
  [5] = "proxy",
  [6] = "resolve",
  [7] = "connect",
  [8] = "protocol",
  [28] = "timeout",
  [35] = "tls",
  [53] = "tls",
  [54] = "tls",
  [58] = "tls",
  [59] = "tls",
  [60] = "tls",
  [66] = "tls",
  [77] = "tls",
  [83] = "tls",
  [91] = "tls",
  [97] = "proxy",
}
local IS_FINAL = { [1] = true, [8] = true, [58] = true, [60] = true, [77] = true }

-- What a try returns after curl has ended.
function Transfer:ended(code)
  if self.try.refusal then
    return nil, "the try says why"
  elseif code == 28 then
    return nil, self.try.limits:message "connect_timeout", nil, "timeout"
  elseif code ~= 0 then
    local problem = self.errors:match "curl: %(%d+%) ([^\r\n]*)" or "curl ended with " .. code
    if code == 18 or code == 56 and self.has_begun then
      problem = "the response is cut off: " .. problem
    end
    return nil, problem, IS_FINAL[code], REASONS[code] or "cut off"
  elseif not self.has_begun then
    return nil, "the response is not HTTP", true, "protocol"
  end
  return true
end

-- Waits for curl's output until it ends. Returns what Client:send returns.
function Transfer:finish(mailbox)
  local limits = self.try.limits
  while not self.try.refusal do
    if self.has_begun then
      limits:begin "idle_timeout"
    end
    local seconds = limits:seconds()
    local event = seconds > 0 and mailbox:next(seconds)
    if event and event[1] == "end" then
      return self:ended(event[2])
    elseif event and event[1] == "error" then
      self.errors = (self.errors .. event[2]):sub(1, 1000)
    elseif event then
      self:take(event[2])
    elseif limits:seconds() <= 0 then
      return nil, limits:message(), nil, "timeout"
    end
  end
  return nil, "the try says why"
end

-- --- the client -------------------------------------------------------------------

local Client = {}
Client.__index = Client

function Client:send(try)
  local words, input = command(try)
  local mailbox = new_mailbox(self.vim)
  local stop, problem = start(mailbox, words, input)
  if not stop then
    return nil, "curl cannot be started: " .. problem, true, "client"
  end
  local transfer = setmetatable({ try = try, buffer = "", errors = "" }, Transfer)
  local ok, result, message, is_final, reason = pcall(transfer.finish, transfer, mailbox)
  stop()
  if not ok then
    error(result, 0)
  end
  return result, message, is_final, reason
end

return function()
  local vim = rawget(_G, "vim") or failures.misuse "client: neovim runs inside Neovim alone"
  local client = setmetatable({ vim = vim }, Client)
  function client.sleep(seconds)
    local mailbox = new_mailbox(vim)
    local ends = client.now() + seconds
    while client.now() < ends do
      callbacks.call(mailbox.next, mailbox, ends - client.now())
    end
  end
  function client.now()
    return (vim.uv or vim.loop).hrtime() / 1e9
  end
  return client
end
