-- SPDX-License-Identifier: MIT
-- The keywords that nodes of the rules have, by what they hold. endpoint.types writes nodes by
-- these lists, and endpoint.checks reads them by the same.
local keywords = {}

local VERSION = "1.0.0"

-- endpoint.types, which is a rock of its own, works with this version alone.
keywords.VERSION = VERSION

-- Keywords whose value holds no node, in the order in which they are written.
keywords.WITHOUT_NODES = {
  "type",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
  "required",
  "is_closed",
  "$dynamicRef",
}

-- Applicators: keywords that hold one node, a list of nodes, or nodes by name.
keywords.WITH_NODE = {
  "items",
  "contains",
  "unevaluatedItems",
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "not",
  "if",
  "then",
  "else",
}
keywords.WITH_LIST = { "prefixItems", "anyOf", "oneOf", "allOf" }
keywords.WITH_MAP = { "properties", "patternProperties", "dependentSchemas" }

return keywords
