-- SPDX-License-Identifier: MIT
-- Which operations a method and a path mean: a tree of segments. A literal is tried before a
-- segment with text and variables, that before a variable, and that before {+name}, which takes all
-- the rest. Each node of the tree is at one depth, so a path meets it at most once.
local router = {}

local decoded = require "endpoint.text".decoded
local lower = require "endpoint.text".lower
local result = require "endpoint.result"
local templates = require "endpoint.checks.incoming.templates"

local find, sub = string.find, string.sub
local path_segments = result.path_segments

-- --- the tree ---------------------------------------------------------------------

local function new_node()
  return { literals = {}, mixed = {}, rests = {}, variable = nil, ends = nil }
end

local function is_before(one, other)
  if one.size ~= other.size then
    return one.size > other.size
  end
  return one.key < other.key
end

-- The node after a segment of text and variables, or after {+name}. Those with more text come
-- first.
local function node_in(list, segment)
  for _, one in ipairs(list) do
    if one.key == segment.key then
      return one.node
    end
  end
  local one = {
    key = segment.key,
    size = segment.size,
    pieces = segment.pieces,
    others = segment.others,
    node = new_node(),
  }
  list[#list + 1] = one
  table.sort(list, is_before)
  return one.node
end

local function node_after(node, segment)
  if segment.is_rest then
    return node_in(node.rests, segment)
  elseif segment.literal then
    node.literals[segment.literal] = node.literals[segment.literal] or new_node()
    return node.literals[segment.literal]
  elseif segment.is_variable then
    node.variable = node.variable or new_node()
    return node.variable
  end
  return node_in(node.mixed, segment)
end

-- Adds an operation at the end of its path. Several may have one method there.
local function add(tree, operation, base)
  local template = templates.of_route(operation[1], base)
  local node = tree.root
  for _, segment in ipairs(template.segments) do
    node = node_after(node, segment)
  end
  local found = { operation = operation, names = template.names, example = template.example }
  node.ends = node.ends or {}
  node.ends[template.method] = node.ends[template.method] or {}
  local list = node.ends[template.method]
  list[#list + 1], tree.all[#tree.all + 1] = found, found
  tree.shared[#tree.shared + 1] = #list == 2 and list or nil
  tree.methods[template.method] = template.method
  tree.methods[lower(template.method)] = template.method
  tree.has_root = tree.has_root or template.is_root
end

-- The tree of a rulebook's operations. `all` lists them, and `shared` has a list of those of each
-- method and path that has several. base: the path of the API's server, or nil for that of the
-- document's.
function router.new(rulebook, base)
  local tree = { root = new_node(), methods = { head = "HEAD", HEAD = "HEAD" }, has_root = false }
  tree.all, tree.shared = {}, {}
  tree.base = templates.path_of_server(base or rulebook.base or "")
  for _, operation in ipairs(rulebook.operations) do
    add(tree, operation, tree.base)
  end
  return tree
end

-- --- a path -----------------------------------------------------------------------

local function forget(captured, count)
  for position = #captured, count + 1, -1 do
    captured[position] = nil
  end
end

-- Where the text of a variable ends: before the first place of what follows it, or at the end of
-- all variables, `last`. Nothing if that is not there.
local function end_of(raw, position, last, variable)
  if not variable.stop then
    return last
  end
  local from = find(raw, variable.stop, position + 1, true)
  return from and from - 1 <= last and from - 1
end

-- Does a text fit these pieces? Adds the texts of the variables.
local function fits(pieces, raw, captured)
  local first, last, count = pieces[1], pieces[#pieces], #captured
  local position, stop = #first + 1, #raw - #last
  if sub(raw, 1, #first) ~= first or stop < #first or sub(raw, stop + 1) ~= last then
    return false
  end
  for index = 2, #pieces - 1, 2 do
    local variable = pieces[index]
    local upto = end_of(raw, position, stop, variable)
    local text = upto and sub(raw, position, upto)
    local is_there = text and (text ~= "" or variable.operator == "." or variable.operator == ";")
    if not is_there or variable.operator ~= "+" and find(text, "/", 1, true) then
      forget(captured, count)
      return false
    end
    captured[#captured + 1] = text
    position = upto + 1 + #pieces[index + 1]
  end
  return true
end

local function of_method(ends, method)
  return ends[method] or method == "HEAD" and ends.GET
end

-- The operations of a method at the end of a path; nil if there are none, and then the methods that
-- there are, are noted, HEAD with GET (RFC 9110, section 9.3.2).
local function at_end(node, search)
  local ends = node.ends
  if not ends then
    return nil
  end
  local found = of_method(ends, search.method)
  if found then
    return found
  end
  search.others = search.others or {}
  for method in next, ends do
    search.others[method] = true
  end
  search.others.HEAD = search.others.HEAD or search.others.GET
end

local walk -- which the functions below call

local function in_list(list, raw, search, depth)
  local captured, count = search.captured, #search.captured
  for position = 1, #list do
    local one = list[position]
    if fits(one.pieces, raw, captured) or one.others and fits(one.others, raw, captured) then
      local found = walk(one.node, search, depth)
      if found then
        return found
      end
    end
    forget(captured, count)
  end
end

local function in_variable(node, raw, search, depth)
  local captured = search.captured
  local count = #captured + 1
  captured[count] = raw
  local found = walk(node.variable, search, depth)
  if not found then
    forget(captured, count - 1)
  end
  return found
end

-- The text of the path from a segment on.
local function rest_of(search, depth)
  return table.concat(search.raws, "/", depth)
end

function walk(node, search, depth)
  local raw = search.raws[depth]
  if raw == nil then
    return at_end(node, search)
  end
  local child = node.literals[search.texts[depth]]
  local found = child and walk(child, search, depth + 1)
  if not found and node.mixed[1] then
    found = in_list(node.mixed, raw, search, depth + 1)
  end
  if not found and node.variable and raw ~= "" then
    found = in_variable(node, raw, search, depth + 1)
  end
  if not found and node.rests[1] then
    found = in_list(node.rests, rest_of(search, depth), search, #search.raws + 1)
  end
  return found
end

-- Segments decoded.
local function decoded_all(path, raws)
  if not find(path, "%", 1, true) then
    return raws
  end
  local texts = {}
  for position = 1, #raws do
    texts[position] = decoded(raws[position])
  end
  return texts
end

-- The ends of a path whose segments are literals, or else variables where there is nothing between
-- the two; nil for any other. Adds the texts of the variables.
local function direct_ends(node, raws, captured)
  local count = 0
  for depth = 1, #raws do
    local raw = raws[depth]
    local child = node.literals[raw]
    if not child then
      child = not node.mixed[1] and raw ~= "" and node.variable
      if not child then
        return nil
      end
      count = count + 1
      captured[count] = raw
    end
    node = child
  end
  return node.ends
end

-- The operations at the end of any path, and the texts of the variables; or nil and the methods
-- that there are, nil without any.
local function found_by_walk(tree, method, path, raws)
  local search = {
    method = method,
    raws = raws,
    texts = decoded_all(path, raws),
    captured = {},
    others = false,
  }
  local found = walk(tree.root, search, 1)
  if found then
    return found, search.captured
  end
  local others = {}
  for name in next, search.others or {} do
    others[#others + 1] = name
  end
  return nil, others[1] and result.sorted(others) or nil
end

-- The operations that a method and a path mean: a list of `operation`, `names` and `example`; and
-- the raw texts of the variables. Or nil, and the methods that the path has, sorted; nil without
-- any. method: in any case; raws and is_plain: as endpoint.result.path_segments returns them.
function router.find(tree, method, path, raws, is_plain)
  if not is_plain then
    path = templates.spelled(path)
    raws = path_segments(path, true)
  end
  if not raws then
    return nil, nil
  elseif path == tree.base and tree.has_root then
    raws[#raws + 1] = ""
  end
  method = tree.methods[method] or tree.methods[lower(method)] or method
  local captured = {}
  local ends = is_plain and direct_ends(tree.root, raws, captured)
  local found = ends and of_method(ends, method)
  if found then
    return found, captured
  end
  return found_by_walk(tree, method, path, raws)
end

return router
