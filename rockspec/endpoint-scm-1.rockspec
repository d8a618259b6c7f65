-- Where the project lives: to publish it, put its address here.
local repository = "https://endpoint.example/endpoint"

rockspec_format = "3.0"
package = "endpoint"
version = "scm-1"
source = {
  url = "git+" .. repository .. ".git",
}
description = {
  summary = "A REST route and parameters become request options for any HTTP client",
  detailed = [[
    Turns a route such as "GET /orgs/:org/repos" and a table of parameters into
    method, URL, headers and body: RFC 6570 URI templates, parameter routing,
    header and media type composition, with no I/O of its own.
  ]],
  homepage = repository,
  license = "MIT",
}
dependencies = {
  "lua >= 5.1, < 5.6",
}
test_dependencies = {
  "busted >= 2.0",
  "lua-cjson >= 2.1",
}
test = {
  type = "busted",
  -- program_spec is about files that lie beside the sources.
  flags = {
    "--helper=spec/lib/rock.lua",
    "--exclude-pattern=_wire_spec",
    "--exclude-pattern=program_spec",
  },
}
build = {
  type = "builtin",
  modules = {
    endpoint = {
      sources = {
        "src/accept.c",
        "src/address.c",
        "src/buffer.c",
        "src/call.c",
        "src/compile.c",
        "src/core/bytes.c",
        "src/core/guard.c",
        "src/core/media_type.c",
        "src/core/names.c",
        "src/core/number.c",
        "src/core/route.c",
        "src/core/template.c",
        "src/core/url.c",
        "src/defaults.c",
        "src/endpoint.c",
        "src/errors.c",
        "src/expand.c",
        "src/headers.c",
        "src/home.c",
        "src/merge.c",
        "src/pairs.c",
        "src/parse.c",
        "src/result.c",
        "src/value.c",
      },
    },
    ["endpoint.checks"] = "src/endpoint/checks.lua",
    ["endpoint.checks.errors"] = "src/endpoint/checks/errors.lua",
    ["endpoint.checks.tools"] = "src/endpoint/checks/tools.lua",
    ["endpoint.checks.value"] = "src/endpoint/checks/value.lua",
    ["endpoint.clients"] = "src/endpoint/clients.lua",
    ["endpoint.clients.body"] = "src/endpoint/clients/body.lua",
    ["endpoint.clients.errors"] = "src/endpoint/clients/errors.lua",
    ["endpoint.clients.file"] = "src/endpoint/clients/file.lua",
    ["endpoint.clients.libcurl"] = "src/endpoint/clients/libcurl.lua",
    ["endpoint.clients.links"] = "src/endpoint/clients/links.lua",
    ["endpoint.clients.message"] = "src/endpoint/clients/message.lua",
    ["endpoint.clients.multipart"] = "src/endpoint/clients/multipart.lua",
    ["endpoint.clients.nginx"] = "src/endpoint/clients/nginx.lua",
    ["endpoint.clients.secrets"] = "src/endpoint/clients/secrets.lua",
    ["endpoint.clients.stream"] = "src/endpoint/clients/stream.lua",
    ["endpoint.parameters"] = "src/endpoint/parameters.lua",
    ["endpoint.request"] = "src/endpoint/request.lua",
    ["endpoint.request.answer"] = "src/endpoint/request/answer.lua",
    ["endpoint.request.body"] = "src/endpoint/request/body.lua",
    ["endpoint.request.call"] = "src/endpoint/request/call.lua",
    ["endpoint.request.curl"] = "src/endpoint/request/curl.lua",
    ["endpoint.request.cutter"] = "src/endpoint/request/cutter.lua",
    ["endpoint.request.events"] = "src/endpoint/request/events.lua",
    ["endpoint.request.failures"] = "src/endpoint/request/failures.lua",
    ["endpoint.request.http1"] = "src/endpoint/request/http1.lua",
    ["endpoint.request.lines"] = "src/endpoint/request/lines.lua",
    ["endpoint.request.luasocket"] = "src/endpoint/request/luasocket.lua",
    ["endpoint.request.masks"] = "src/endpoint/request/masks.lua",
    ["endpoint.request.pages"] = "src/endpoint/request/pages.lua",
    ["endpoint.request.resty_http"] = "src/endpoint/request/resty_http.lua",
    ["endpoint.request.settings"] = "src/endpoint/request/settings.lua",
    ["endpoint.request.sinks"] = "src/endpoint/request/sinks.lua",
    ["endpoint.request.try"] = "src/endpoint/request/try.lua",
    ["endpoint.text"] = "src/endpoint/text.lua",
    ["endpoint.types"] = "src/endpoint/types.lua",
    ["endpoint.types.call"] = "src/endpoint/types/call.lua",
    ["endpoint.types.call.address"] = "src/endpoint/types/call/address.lua",
    ["endpoint.types.call.body"] = "src/endpoint/types/call/body.lua",
    ["endpoint.types.call.field"] = "src/endpoint/types/call/field.lua",
    ["endpoint.types.definitions"] = "src/endpoint/types/definitions.lua",
    ["endpoint.types.definitions.classes"] = "src/endpoint/types/definitions/classes.lua",
    ["endpoint.types.definitions.routes"] = "src/endpoint/types/definitions/routes.lua",
    ["endpoint.types.document"] = "src/endpoint/types/document.lua",
    ["endpoint.types.document.content"] = "src/endpoint/types/document/content.lua",
    ["endpoint.types.document.object"] = "src/endpoint/types/document/object.lua",
    ["endpoint.types.document.reader"] = "src/endpoint/types/document/reader.lua",
    ["endpoint.types.document.schema"] = "src/endpoint/types/document/schema.lua",
    ["endpoint.types.document.server"] = "src/endpoint/types/document/server.lua",
    ["endpoint.types.document.yaml"] = "src/endpoint/types/document/yaml.lua",
    ["endpoint.types.rules"] = "src/endpoint/types/rules.lua",
    ["endpoint.types.rules.limits"] = "src/endpoint/types/rules/limits.lua",
    ["endpoint.types.rules.nodes"] = "src/endpoint/types/rules/nodes.lua",
    ["endpoint.types.rules.options"] = "src/endpoint/types/rules/options.lua",
    ["endpoint.types.rules.printer"] = "src/endpoint/types/rules/printer.lua",
    ["endpoint.types.rules.shared"] = "src/endpoint/types/rules/shared.lua",
  },
  install = { bin = { "src/bin/endpoint-types" }, conf = { "LICENSE", "README.md" } },
  copy_directories = { "src/addon" },
}
