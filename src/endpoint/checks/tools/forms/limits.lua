-- SPDX-License-Identifier: MIT
-- What services take of a tool, with the source of each limit. Only what a form refuses of the
-- JSON Schema that schemas.lua writes stands here: names of functions have at most 64 letters,
-- digits, "_" and "-" in all of them, and the arguments are an object without alternatives.
--
-- Sources:
--   (1) OpenAI's API description: `tools`, "A max of 128 functions are supported"; FunctionObject
--   (2) OpenAI's guide "Structured model outputs", section "Supported schemas"
--   (3) Anthropic's guide to tool use: `input_schema`; names of properties as its errors tell them
--   (4) Google's Vertex AI reference: FunctionDeclaration, and "Function calling reference"
--   (5) Google's Gemini API reference: Schema, whose fields are all that is read
--   (6) Model Context Protocol, specification 2025-06-18: server/tools, Tool and ToolAnnotations
local limits = {}

-- Chat Completions.
limits.openai = { most_tools = 128 } -- (1)

-- Responses, which is strict unless told otherwise. (2) for all but the number of tools:
--   all names are required, so that one may be left out by null; objects are closed, and no map
--   keywords  what stands in a schema beside type, enum, properties, items, anyOf and description
limits["openai-strict"] = {
  most_tools = 128, -- (1)
  are_all_required = true,
  keywords = {
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
  },
  most_levels = 10,
  most_properties = 5000,
  most_members = 1000, -- of enumerations
  most_bytes = 120000, -- of names and members of enumerations
}

-- Takes JSON Schema; property names of [A-Za-z0-9_.-]{1,64} (3), which all have.
limits.anthropic = {}

-- `parameters` is a Schema object (5):
--   null is `nullable`; members of `enum` are strings that are not empty; no `properties = {}`
--   names of properties are [A-Za-z_][A-Za-z0-9_]* (4), and of functions begin with a letter or "_"
limits.gemini = {
  most_tools = 128, -- (4)
  has_identifiers = true,
  has_texts_in_enum = true,
  has_nullable = true,
  keywords = {
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
  },
  most_levels = 10, -- no number is published; deeper ones are refused as too complex
}

-- Takes JSON Schema 2020-12. (6)
limits.mcp = {}

return limits
