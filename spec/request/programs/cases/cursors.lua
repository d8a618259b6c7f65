-- A list in pages whose cursor is in the body of the request, as GraphQL has it.
local case, sending = ...
local request = require "endpoint.request"
local equal = require "support".equal

local function page(body)
  local why = request.graphql_error(body)
  if why then
    error(why, 0)
  end
  local info = body.data.list.pageInfo
  return body.data.list.nodes, info.hasNextPage and { variables = { after = info.endCursor } }
end

-- The nodes of all pages of a query, with a space between two.
local function nodes(query)
  local seen = {}
  local data = { query = query, variables = { first = 1 } }
  for node in sending.send.each("POST /graphql", { data = data }, { page = page }) do
    seen[#seen + 1] = node
  end
  return table.concat(seen, " ")
end

case("a cursor in the body leads to all pages of GraphQL", function()
  equal("n1 n2 n3", nodes "{ list }")
end)

case("an error of GraphQL, which comes with 200, is found", function()
  equal("no field lists", sending.message_of(nodes, "{ lists }"))
end)
