-- Lack of memory is no answer: no part of a call takes it for a wrong text.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local request = require "endpoint.request"

local NO_MEMORY = "not enough memory"

local function out_of_memory()
  error(NO_MEMORY, 0)
end

local JSON = { ["content-type"] = "application/json" }

local ROWS = {
  ["reads a body"] = { settings = { decode = out_of_memory }, status = 200, text = "{}" },
  ["reads the body of a failure"] = {
    settings = { decode = out_of_memory },
    status = 400,
    text = '{"message":"no"}',
  },
  ["reads a line"] = {
    settings = { decode = out_of_memory, sink = request.lines(function() end) },
    status = 200,
    text = "{}\n",
  },
  ["looks for credentials in the body of the request"] = {
    settings = { decode = out_of_memory },
    options = { data = '{"token":"sesame-open"}' },
    message = "refused: sesame-open",
  },
  ["writes a body"] = {
    settings = {
      encode = out_of_memory,
    },
    options = { data = {} },
    is_sent_by_clients = true,
  },
}

local has_socket = pcall(require, "socket")

describe("a call raises lack of memory as it is where it", function()
  for title, row in pairs(ROWS) do
    it(title, function()
      if row.is_sent_by_clients and not has_socket then
        pending "LuaSocket is not here"
      end
      row.settings.tries = 1
      if not row.is_sent_by_clients then
        row.settings.client = function()
          if row.message then
            return nil, row.message
          end
          return row.status, JSON, row.text
        end
      end
      local api = endpoint.defaults { baseUrl = "http://127.0.0.1:1" }
      local send = request.new(api, row.settings)
      local ok, problem = pcall(send, "POST /x", row.options)
      assert.is_false(ok)
      assert.equal(NO_MEMORY, problem)
    end)
  end
end)
