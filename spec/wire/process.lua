-- Runs a program without a shell, as programs such as editors do it: fork and exec,
-- with pipes to its input and from its output. For LuaJIT on Linux.
local ffi = require "ffi"
local C = ffi.C

ffi.cdef [[
  int pipe(int fds[2]);
  int fork(void);
  int dup2(int from, int to);
  int close(int fd);
  int execvp(const char *file, char *const argv[]);
  void _exit(int status);
  long write(int fd, const void *bytes, size_t size);
  long read(int fd, void *bytes, size_t size);
  int waitpid(int pid, int *status, int options);
  int usleep(unsigned microseconds);
]]

local process = {}

local function new_pipe()
  local fds = ffi.new "int[2]"
  assert(C.pipe(fds) == 0)
  return fds[0], fds[1]
end

local function exec(words, input, output, unused)
  local argv = ffi.new("char *[?]", #words + 1)
  for i, word in ipairs(words) do argv[i - 1] = ffi.cast("char *", word) end
  C.dup2(input, 0)
  C.dup2(output, 1)
  for _, fd in ipairs(unused) do C.close(fd) end
  C.execvp(words[1], argv)
  C._exit(127)
end

local function write_all(fd, text)
  local at = ffi.cast("const char *", text)
  local left = #text
  while left > 0 do
    local count = tonumber(C.write(fd, at, left))
    assert(count > 0, "the program reads no more")
    at, left = at + count, left - count
  end
end

local function read_all(fd)
  local buffer, parts = ffi.new "char[65536]", {}
  while true do
    local count = tonumber(C.read(fd, buffer, 65536))
    if count <= 0 then return table.concat(parts) end
    parts[#parts + 1] = ffi.string(buffer, count)
  end
end

-- The command line that all users can read, once the child process runs the program.
local function command_line(pid, program)
  for _ = 1, 500 do
    local file = assert(io.open("/proc/" .. pid .. "/cmdline", "rb"))
    local text = file:read "*a"
    file:close()
    if text:sub(1, #program + 1) == program .. "\0" then return text end
    C.usleep(10000)
  end
  error "the program does not start"
end

-- Runs a program with this input. Returns what it wrote, and its command line while it
-- waited for the end of its input.
function process.run(words, input)
  local child_input, to_child = new_pipe()
  local from_child, child_output = new_pipe()
  local pid = C.fork()
  if pid == 0 then exec(words, child_input, child_output, { child_input, to_child, from_child, child_output }) end
  C.close(child_input)
  C.close(child_output)
  write_all(to_child, input)
  local shown = command_line(pid, words[1])
  C.close(to_child)
  local output = read_all(from_child)
  C.close(from_child)
  C.waitpid(pid, nil, 0)
  return output, shown
end

return process
