-- The steps by which CONTRIBUTING.md adds an option, for a table called `flags`:
-- new_option_wire_spec.lua takes them in a copy of the sources. Each has its file, a text that the
-- file holds once, and what takes its place.
return {
  {
    file = "src/core/route.h",
    old = [[X(EP_MEDIA_TYPE, "mediaType") \]],
    new = [[X(EP_MEDIA_TYPE, "mediaType") \
  X(EP_FLAGS, "flags") \]],
  },
  {
    file = "src/call.h",
    old = "EP_OPTION_COUNT == 7",
    new = "EP_OPTION_COUNT == 8",
  },
  {
    file = "src/call.c",
    old = "    read_default_data(L, c);\n",
    new = [[
    read_default_data(L, c);
  if (ep_call_has_default(c, EP_FLAGS))
    keep_default(c, ep_option_names[EP_FLAGS]);
]],
  },
  {
    file = "src/defaults.c",
    old = "is_bound || option == EP_DATA",
    new = "is_bound || option == EP_DATA || option == EP_FLAGS",
  },
  {
    file = "src/defaults.c",
    old = "    if (option == EP_DATA)\n",
    new = "    if (option == EP_DATA || option == EP_FLAGS)\n",
  },
  {
    file = "src/merge.c",
    old = "!ep_call_has_default(c, EP_DATA))\n",
    new = "!ep_call_has_default(c, EP_DATA) &&\n      !ep_call_has_default(c, EP_FLAGS))\n",
  },
  {
    file = "src/merge.c",
    old = "  copy_default_option(L, c, &copier, EP_DATA);\n",
    new = [[
  copy_default_option(L, c, &copier, EP_DATA);
  copy_default_option(L, c, &copier, EP_FLAGS);
]],
  },
  {
    file = "src/parse.c",
    old = "  if (may_have_body) {\n    ep_copy_defaults(L, c);\n",
    new = "  ep_copy_defaults(L, c);\n  if (may_have_body) {\n",
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
    old = "  REQUEST,\n  SCRATCH,",
    new = "  REQUEST,\n  FLAGS,\n  SCRATCH,",
  },
  {
    file = "src/result.c",
    old = 'EP_SLICE_OF("request")}',
    new = 'EP_SLICE_OF("request"), EP_SLICE_OF("flags")}',
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
