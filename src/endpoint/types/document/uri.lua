-- SPDX-License-Identifier: MIT
-- URIs by which schemas name each other, of any scheme, without a fragment.
local uri = {}

-- RFC 3986, appendix B. A scheme and an authority may be missing. query: with its "?", or "".
local function split(reference)
  local scheme, rest = reference:match "^(%a[%w+.-]*):(.*)$"
  rest = rest or reference
  local authority, below = rest:match "^//([^/?]*)(.*)$"
  local path, query = (below or rest):match "^([^?]*)(.*)$"
  return { scheme = scheme, authority = authority, path = path, query = query }
end

-- RFC 3986, section 5.2.4. A relative path stays relative. The first segment of an absolute one is
-- "", which no ".." removes.
local function without_dot_segments(path)
  local kept, last = {}, nil
  for segment in (path .. "/"):gmatch "([^/]*)/" do
    last = segment
    if segment == ".." and (kept[2] or kept[1] ~= "") then
      kept[#kept] = nil
    elseif segment ~= "." and segment ~= ".." then
      kept[#kept + 1] = segment
    end
  end
  if last == "." or last == ".." then
    kept[#kept + 1] = ""
  end
  return table.concat(kept, "/")
end

-- The path of a relative reference below that of its base (RFC 3986, section 5.2.3).
local function merged(base, path)
  if base.authority and base.path == "" then
    return "/" .. path
  end
  return (base.path:match "^.*/" or "") .. path
end

-- The URI that a reference means (RFC 3986, section 5.2.2).
function uri.resolved(reference, base_uri)
  local target, base = split(reference), split(base_uri)
  if not target.scheme and not target.authority then
    target.authority = base.authority
    if target.path == "" then
      target.path = base.path
      target.query = target.query ~= "" and target.query or base.query
    elseif target.path:sub(1, 1) ~= "/" then
      target.path = merged(base, target.path)
    end
  end
  local scheme = target.scheme or base.scheme
  return (scheme and scheme .. ":" or "")
    .. (target.authority and "//" .. target.authority or "")
    .. without_dot_segments(target.path)
    .. target.query
end

return uri
