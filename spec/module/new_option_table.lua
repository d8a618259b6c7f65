-- The steps by which CONTRIBUTING.md adds an option, for a table called `flags`:
-- new_option_wire_spec.lua takes them in a copy of the sources. Each has its file, a text that the
-- file holds once, and what takes its place.
return {
  {
    file = "src/core/route.h",
    old = "  EP_MEDIA_TYPE,\n",
    new = "  EP_MEDIA_TYPE,\n  EP_FLAGS,\n",
  },
  {
    file = "src/core/route.c",
    old = '"mediaType", "data",',
    new = '"mediaType", "flags", "data",',
  },
  {
    file = "src/core/route.c",
    old = "  case 4:\n    return EP_DATA;\n",
    new = "  case 4:\n    return EP_DATA;\n  case 5:\n    return EP_FLAGS;\n",
  },
  {
    file = "src/home.c",
    old = "  case EP_DATA:\n",
    new = "  case EP_DATA:\n  case EP_FLAGS:\n",
  },
  {
    file = "src/parse.c",
    old = "  if (ep_call_has(c, EP_REQUEST))\n",
    new = [[
  if (ep_call_has(c, EP_FLAGS))
    set_option(L, &r, EP_FLAGS);
  if (ep_call_has(c, EP_REQUEST))
]],
  },
  {
    file = "src/result.c",
    old = "BODY, REQUEST, SCRATCH",
    new = "BODY, REQUEST, FLAGS, SCRATCH",
  },
  {
    file = "src/result.c",
    old = '{"request", 7}}',
    new = '{"request", 7}, {"flags", 5}}',
  },
  {
    file = "src/result.c",
    old = "i <= REQUEST",
    new = "i <= FLAGS",
  },
  {
    file = "src/addon/library/endpoint.lua",
    old = "---@field mediaType? endpoint.MediaType|endpoint.Null # rewrites",
    new = "---@field flags? string[]|endpoint.Null # flags\n"
      .. "---@field mediaType? endpoint.MediaType|endpoint.Null # rewrites",
  },
  {
    file = "src/addon/library/endpoint.lua",
    old = "---@class endpoint.Request\n",
    new = "---@class endpoint.Request\n---@field flags? string[] # flags\n",
  },
  {
    file = "src/addon/library/endpoint.lua",
    old = "---@class endpoint.Merged\n",
    new = "---@class endpoint.Merged\n---@field flags? string[] # flags\n",
  },
  {
    file = "docs/reference.md",
    old = "\n| `headers` | table |",
    new = "\n| `flags` | table | flags |\n| `headers` | table |",
  },
  {
    file = "spec/oracle/judge_url.lua",
    old = '  mediaType = "table",\n',
    new = '  mediaType = "table",\n  flags = "table",\n',
  },
  {
    file = "CHANGELOG.md",
    old = "### Added\n",
    new = "### Added\n\n- The option `flags`.\n",
  },
}
