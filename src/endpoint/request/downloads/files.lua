-- SPDX-License-Identifier: MIT
-- Files, whose problems are messages: nil and what the system says, with the path.
local files = {}

local display = require "endpoint.request.failures.display"

-- A message of the system without the path that may be before it.
local function bare(path, problem)
  local start = path .. ": "
  return problem:sub(1, #start) == start and problem:sub(#start + 1) or problem
end

-- A message of the system, with the path.
local function problem_with(path, problem)
  return display.shown(path .. ": " .. bare(path, tostring(problem)))
end

-- What io.open, file:write and others return, with such a message.
local function result(path, value, problem)
  if not value then
    return nil, problem_with(path, problem)
  end
  return value
end

function files.open(path, mode)
  return result(path, io.open(path, mode))
end

function files.write(file, path, piece)
  local value, problem = result(path, file:write(piece))
  return value and true, problem
end

-- What a file was told to write may reach the disk when it is closed, and be refused then.
function files.close(file, path)
  local value, problem = result(path, file:close())
  return value and true, problem
end

-- Writes a whole file.
function files.save(path, content)
  local file, problem = files.open(path, "wb")
  if not file then
    return nil, problem
  end
  local ok
  ok, problem = files.write(file, path, content)
  local is_closed, why = files.close(file, path)
  return ok and is_closed, problem or why
end

-- What read(file) returns; nil if the file cannot be opened.
local function read_with(path, read)
  local file = io.open(path, "rb")
  local value = file and read(file)
  if file then
    file:close()
  end
  return value
end

-- The text of a small file; nil if it cannot be read.
function files.text(path)
  return read_with(path, function(file)
    return file:read(4096) or ""
  end)
end

function files.size(path)
  return read_with(path, function(file)
    return file:seek "end"
  end)
end

-- A directory can be opened as a file, but not to be written.
local function is_file(path)
  local file = io.open(path, "r+b")
  return file and file:close()
end

-- Some systems do not put a file in the place of another.
function files.rename(from, to)
  local ok, problem = os.rename(from, to)
  if not ok and files.size(from) and is_file(to) then
    os.remove(to)
    ok, problem = os.rename(from, to)
  end
  return result(to, ok, ok or bare(from, tostring(problem)))
end

return files
