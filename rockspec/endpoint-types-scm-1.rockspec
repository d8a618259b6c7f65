-- Written by `make rockspecs`.
rockspec_format = "3.0"
package = "endpoint-types"
version = "scm-1"
source = {
  url = "git+https://endpoint.example/endpoint.git",
}
description = {
  summary = "From an OpenAPI document to a Lua module, its definitions and its rules",
  detailed = [[
    The program endpoint-types and its modules, for developers. From an OpenAPI document
    it writes a module that uses the rock endpoint, definitions that tell an editor the
    routes and parameters, and the rules that endpoint.checks reads at run time.
  ]],
  homepage = "https://endpoint.example/endpoint",
  license = "MIT",
}
dependencies = {
  "lua >= 5.1, < 5.6",
  "endpoint == scm",
  "lua-cjson >= 2.1",
}
build = {
  type = "builtin",
  modules = {
    ["endpoint.types"] = "src/endpoint/types.lua",
    ["endpoint.types.document"] = "src/endpoint/types/document.lua",
    ["endpoint.types.document.budget"] = "src/endpoint/types/document/budget.lua",
    ["endpoint.types.document.dynamic_scope"] = "src/endpoint/types/document/dynamic_scope.lua",
    ["endpoint.types.document.heirs"] = "src/endpoint/types/document/heirs.lua",
    ["endpoint.types.document.holders"] = "src/endpoint/types/document/holders.lua",
    ["endpoint.types.document.lost_references"] = "src/endpoint/types/document/lost_references.lua",
    ["endpoint.types.document.lua_types"] = "src/endpoint/types/document/lua_types.lua",
    ["endpoint.types.document.media_types"] = "src/endpoint/types/document/media_types.lua",
    ["endpoint.types.document.object_schema"] = "src/endpoint/types/document/object_schema.lua",
    ["endpoint.types.document.operations"] = "src/endpoint/types/document/operations.lua",
    ["endpoint.types.document.parameters"] = "src/endpoint/types/document/parameters.lua",
    ["endpoint.types.document.property_schemas"] = "src/endpoint/types/document/property_schemas.lua",
    ["endpoint.types.document.reader"] = "src/endpoint/types/document/reader.lua",
    ["endpoint.types.document.references"] = "src/endpoint/types/document/references.lua",
    ["endpoint.types.document.request_body"] = "src/endpoint/types/document/request_body.lua",
    ["endpoint.types.document.responses"] = "src/endpoint/types/document/responses.lua",
    ["endpoint.types.document.schema_resources"] = "src/endpoint/types/document/schema_resources.lua",
    ["endpoint.types.document.security"] = "src/endpoint/types/document/security.lua",
    ["endpoint.types.document.selection"] = "src/endpoint/types/document/selection.lua",
    ["endpoint.types.document.server"] = "src/endpoint/types/document/server.lua",
    ["endpoint.types.document.tables"] = "src/endpoint/types/document/tables.lua",
    ["endpoint.types.document.uri"] = "src/endpoint/types/document/uri.lua",
    ["endpoint.types.document.values"] = "src/endpoint/types/document/values.lua",
    ["endpoint.types.document.yaml"] = "src/endpoint/types/document/yaml.lua",
    ["endpoint.types.editor"] = "src/endpoint/types/editor.lua",
    ["endpoint.types.editor.classes"] = "src/endpoint/types/editor/classes.lua",
    ["endpoint.types.editor.files"] = "src/endpoint/types/editor/files.lua",
    ["endpoint.types.editor.option_classes"] = "src/endpoint/types/editor/option_classes.lua",
    ["endpoint.types.editor.response_types"] = "src/endpoint/types/editor/response_types.lua",
    ["endpoint.types.editor.routes"] = "src/endpoint/types/editor/routes.lua",
    ["endpoint.types.example"] = "src/endpoint/types/example.lua",
    ["endpoint.types.rules"] = "src/endpoint/types/rules.lua",
    ["endpoint.types.rules.incoming"] = "src/endpoint/types/rules/incoming.lua",
    ["endpoint.types.rules.options"] = "src/endpoint/types/rules/options.lua",
    ["endpoint.types.rules.printer"] = "src/endpoint/types/rules/printer.lua",
    ["endpoint.types.rules.shared"] = "src/endpoint/types/rules/shared.lua",
    ["endpoint.types.schema.all_of"] = "src/endpoint/types/schema/all_of.lua",
    ["endpoint.types.schema.children"] = "src/endpoint/types/schema/children.lua",
    ["endpoint.types.schema.descriptions"] = "src/endpoint/types/schema/descriptions.lua",
    ["endpoint.types.schema.directions"] = "src/endpoint/types/schema/directions.lua",
    ["endpoint.types.schema.discriminator"] = "src/endpoint/types/schema/discriminator.lua",
    ["endpoint.types.schema.discriminator_choices"] = "src/endpoint/types/schema/discriminator_choices.lua",
    ["endpoint.types.schema.inheritance"] = "src/endpoint/types/schema/inheritance.lua",
    ["endpoint.types.schema.limits"] = "src/endpoint/types/schema/limits.lua",
    ["endpoint.types.schema.lists"] = "src/endpoint/types/schema/lists.lua",
    ["endpoint.types.schema.logic"] = "src/endpoint/types/schema/logic.lua",
    ["endpoint.types.schema.nodes"] = "src/endpoint/types/schema/nodes.lua",
    ["endpoint.types.schema.objects"] = "src/endpoint/types/schema/objects.lua",
    ["endpoint.types.schema.types"] = "src/endpoint/types/schema/types.lua",
    ["endpoint.types.signature"] = "src/endpoint/types/signature.lua",
    ["endpoint.types.signature.body_encoding"] = "src/endpoint/types/signature/body_encoding.lua",
    ["endpoint.types.signature.body_fields"] = "src/endpoint/types/signature/body_fields.lua",
    ["endpoint.types.signature.deep_object"] = "src/endpoint/types/signature/deep_object.lua",
    ["endpoint.types.signature.headers"] = "src/endpoint/types/signature/headers.lua",
    ["endpoint.types.signature.left_out"] = "src/endpoint/types/signature/left_out.lua",
    ["endpoint.types.signature.option_field"] = "src/endpoint/types/signature/option_field.lua",
    ["endpoint.types.signature.path"] = "src/endpoint/types/signature/path.lua",
    ["endpoint.types.signature.query"] = "src/endpoint/types/signature/query.lua",
    ["endpoint.types.signature.route"] = "src/endpoint/types/signature/route.lua",
    ["endpoint.types.source"] = "src/endpoint/types/source.lua",
  },
  install = { bin = { "src/bin/endpoint-types" }, conf = { "LICENSE" } },
}
