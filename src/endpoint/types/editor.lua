-- SPDX-License-Identifier: MIT
-- The signatures of an API's calls as definitions for lua-language-server: a class for the options
-- of each call, and types for the endpoint and its sender. What is written is in a `writer`; the
-- signatures are never changed.
local editor = {}

local classes = require "endpoint.types.editor.classes"
local files = require "endpoint.types.editor.files"
local option_classes = require "endpoint.types.editor.option_classes"
local response_types = require "endpoint.types.editor.response_types"
local routes = require "endpoint.types.editor.routes"

-- Adds the classes of a call and its routes. with_responses: the types of its responses, too.
local function add_call(writer, signature, with_responses)
  local class, response, element = classes.of_signature(writer, signature), nil, nil
  local has_plain = signature.plain ~= nil and not writer.is_route[signature.plain]
  local options, plain = option_classes.add(writer, signature, class, has_plain)
  local are_needed = option_classes.are_needed(signature)
  if with_responses then
    response, element = response_types.add(writer, signature, class .. ".response")
  end
  classes.finish(writer)
  routes.add(writer.doc, writer.routes, signature.route, options, are_needed, response, element)
  if plain then
    routes.add(writer.doc, writer.routes, signature.plain, plain, are_needed, response, element)
  end
end

-- The definitions as a list of texts, one for each file. options: `responses`, true for
-- types of them and of a sender; `open`, true if names that the document does not have are not
-- marked.
function editor.texts(doc, signatures, name, options)
  local writer = classes.new(doc, name, options.open)
  writer.routes, writer.is_route = routes.new(), {}
  for _, signature in ipairs(signatures) do
    writer.is_route[signature.route] = true
  end
  for _, signature in ipairs(signatures) do
    add_call(writer, signature, options.responses)
  end
  local head, lists = routes.blocks(writer.routes, name, options.open)
  return files.texts { head, writer.blocks, (table.unpack or unpack)(lists) }
end

return editor
