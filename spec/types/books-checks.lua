-- Books os.exit(1) --]]: the rules of its calls
-- Written by endpoint-types. Not to be changed by hand.
---@diagnostic disable
-- luacheck: ignore
local N = require "endpoint".null
local S, O = {}, {}
;(function()
S[1]=[=[{type="object",required={"any thing","id"},properties={["any thing"]={},chapters={type="array",items={ref=1}},id={type="integer"},private={type="boolean"},title={type="string"}},additionalProperties=false}]=]
S[2]=[=[{type="array",items={type="object",required={"any thing"},properties={["any thing"]={},chapters={ref=2},private={type="boolean"},title={type="string"}},additionalProperties=false}}]=]
S[3]=[=[{type="array",items={type="string"}}]=]
end)()
;(function()
O[1]={"GET /books{?tag*,params*}","books/list","Lists books",[=[{at={properties={page={description="The page, from 1 on",type="integer"},sort={enum={"title","year","\034]] --",N}},tag={description="All of them ---@class evil",type="array",items={type="string"}},words={description="a list as a string: table.concat(list, \034 \034)",type="string"}}},params={type="object",required={"url"},properties={url={type="string"}},additionalProperties=false},values={type="object",properties={words={ref=3}}},headers={type="object",properties={["x-trace"]={type="string"}}},responses={properties={["200"]={},["400"]={}}},own={properties={["cookie session"]={type="string"},["query words"]={ref=3}}},params_name="params",needs_params=true,styles={{"words"," "}},asked_headers={{"x-trace",true,""},{"cookie",false,"session=..."}},parameters={{"query","words","spaceDelimited",false},{"cookie","session","form",true}}}]=]}
O[2]={"POST /books{?dry-run}","books/create","Adds a book. The description is longer than a line of a definition, so it ends at the last space before its hundred and ...",[=[{at={properties={["dry-run"]={type="boolean"}}},body={type="object",required={"any thing","title"},properties={["any thing"]={},chapters={ref=2},private={type="boolean"},title={type="string"}},additionalProperties=false},responses={properties={["201"]={ref=1}}},needs_body=true,is_beside=true,kind="json",label="application/json; charset=utf-8"}]=]}
O[3]={"GET /books/%3Atoken",nil,nil,[=[{at={properties={}},responses={properties={}}}]=]}
O[4]={"POST /login",nil,nil,[=[{at={properties={}},body={type="object",required={"user"},properties={meta={type="object"},user={type="string"}},additionalProperties=false},responses={properties={}},is_beside=true,kind="form",label="application/x-www-form-urlencoded",body_styles={{"meta","deep"}},asked_headers={{"content-type",false,"give it here or in the defaults"}},media_type="application/x-www-form-urlencoded"}]=]}
end)()
local made = { format = 4, name = "books-checks", is_open = false, schemas = S, operations = O }
made.base = "https://eu.books.example/v2"
made.has_responses = true
return require "endpoint.checks".new(made) --[[@as endpoint.checks.Module]]
