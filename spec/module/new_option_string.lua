-- The steps by which CONTRIBUTING.md adds an option, for a string called `realm`:
-- new_option_wire_spec.lua takes them in a copy of the sources. Each has its file, a text that the
-- file holds once, and what takes its place.
return {
  {
    file = "src/core/route.h",
    old = [[X(EP_BASE_URL, "baseUrl") \]],
    new = [[X(EP_BASE_URL, "baseUrl") \
  X(EP_REALM, "realm") \]],
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
  if (ep_call_has_default(c, EP_REALM))
    keep_default(c, ep_option_names[EP_REALM]);
]],
  },
  {
    file = "src/defaults.c",
    old = "is_bound || option == EP_DATA",
    new = "is_bound || option == EP_DATA || option == EP_REALM",
  },
  {
    file = "src/parse.c",
    old = "  if (ep_call_has(c, EP_REQUEST))\n",
    new = [[
  if (ep_call_has(c, EP_REALM))
    set_option(L, &r, EP_REALM);
  if (ep_call_has(c, EP_REQUEST))
]],
  },
  {
    file = "src/result.c",
    old = "  REQUEST,\n  SCRATCH,",
    new = "  REQUEST,\n  REALM,\n  SCRATCH,",
  },
  {
    file = "src/result.c",
    old = 'EP_SLICE_OF("request")}',
    new = 'EP_SLICE_OF("request"), EP_SLICE_OF("realm")}',
  },
  {
    file = "src/result.c",
    old = "i <= REQUEST",
    new = "i <= REALM",
  },
  {
    file = "src/addon/library/endpoint.lua",
    old = "---@field mediaType? endpoint.MediaType|endpoint.Null # rewrites",
    new = "---@field realm? string|endpoint.Null # a realm\n"
      .. "---@field mediaType? endpoint.MediaType|endpoint.Null # rewrites",
  },
  {
    file = "src/addon/library/endpoint.lua",
    old = "---@class endpoint.Request\n",
    new = "---@class endpoint.Request\n---@field realm? string # a realm\n",
  },
  {
    file = "src/addon/library/endpoint.lua",
    old = "---@class endpoint.Merged\n",
    new = "---@class endpoint.Merged\n---@field realm? string # a realm\n",
  },
  {
    file = "docs/reference.md",
    old = "\n| `headers` | table |",
    new = "\n| `realm` | string | a realm |\n| `headers` | table |",
  },
  {
    file = "spec/oracle/judge_url.lua",
    old = '  baseUrl = "string",\n',
    new = '  baseUrl = "string",\n  realm = "string",\n',
  },
  {
    file = "CHANGELOG.md",
    old = "### Added\n",
    new = "### Added\n\n- The option `realm`.\n",
  },
}
