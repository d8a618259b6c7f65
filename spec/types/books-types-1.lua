---@meta _
-- Written by endpoint-types. Not to be changed by hand.

---What stands behind it in a message: the document has no such name.
---@alias books.no_such_parameter "no such parameter"

---@class books.AnyOptions

---@class books.OpenOptions : books.AnyOptions
---@field baseUrl? string|endpoint.Null
---@field headers? table<string, endpoint.HeaderValue|endpoint.Null|nil>|endpoint.Null
---@field mediaType? endpoint.MediaType|endpoint.Null
---@field request? any

---@class books.Options : books.AnyOptions
---@field baseUrl? string|endpoint.Null
---@field headers? table<string, endpoint.HeaderValue|endpoint.Null|nil>|endpoint.Null
---@field mediaType? endpoint.MediaType|endpoint.Null
---@field request? any
---@field [string] books.no_such_parameter

---@class books.Members : endpoint.Endpoint
---@field defaults books.Defaults

---@alias books.Defaults
---| fun(options?: endpoint.Options): books.Api
---| fun(self: books.Members, options?: endpoint.Options): books.Api

---A request without a route of the document: its `url` is among the options.
---@class books.OptionsWithUrl : endpoint.Options

---@generic RouteAlone: books.RoutesWithoutOptions
---@generic Route: books.Routes
---@generic Options: books.AnyOptions|nil
---@alias books.Api
---| books.Members
---| fun(options: books.OptionsWithUrl): endpoint.Request
---| fun(route: RouteAlone): endpoint.Request
---| fun(route: Route, options: Options): endpoint.Request

---@class books.Sender
---@field ask books.Send
---@field each books.Each
---@field download endpoint.request.Save

---@generic send_route_options: books.RoutesWithoutOptions
---@generic Route: books.Routes
---@generic Options: books.AnyOptions|nil
---@alias books.Send
---| books.Sender
---| fun(options: books.OptionsWithUrl): any, endpoint.request.Response
---| fun(route: send_route_options): any, endpoint.request.Response
---| fun(route: Route, options: Options): any, endpoint.request.Response
---| books.Answers

---@generic send_route_options: books.RoutesWithoutOptions
---@generic Route: books.Routes
---@generic Options: books.AnyOptions|nil
---@alias books.Each
---| books.Members
---| fun(options: books.OptionsWithUrl, pages?: endpoint.request.Pages): fun(): any
---| fun(route: send_route_options): fun(): any
---| fun(route: Route, options: Options, pages?: endpoint.request.Pages): fun(): any

---@class books.Closed
---@field [string] books.no_such_parameter

---@class books.books_list.params : books.Closed
---@field url string

---@class books.books_list.headers
---@field ["x-trace"]? string # required
---@field cookie? string|string[] # session=...
---@field [string] endpoint.HeaderValue|endpoint.Null|nil

---`GET /books`: Lists books
---@class books.books_list : books.Options
---@field params books.books_list.params # their names cannot be variables
---@field page? integer # The page, from 1 on
---@field tag? string[] # All of them ---@class evil
---@field words? string # a list as a string: table.concat(list, " ")
---@field headers? books.books_list.headers
---@field sort? "title"|"year"|"\034]] --"|endpoint.Null # deprecated

---@class books.books_create.body
---@field ["any thing"] string|number|boolean|table
---@field title string
---@field chapters? books.body.Book[]
---@field ["private"]? boolean

---@class books.books_create.data : books.books_create.body, books.Closed

---@class books.books_create.with_data : books.AnyOptions
---@field data books.books_create.data|string|function # the whole body

---@class books.books_create.plain : books.books_create.body, books.Options
---@field data? books.books_create.data|string|function # the whole body
---@field ["dry-run"]? "needs the route POST /books{?dry-run}"

---`POST /books`: Adds a book. The description is longer than a line of a definition, so it ends at the last space before its hundred and ...
---@class books.books_create : books.books_create.plain
---@field ["dry-run"]? boolean

---@alias books.books_create.response books.response.Book

---@class books.body.Book : books.Closed
---@field ["any thing"] string|number|boolean|table
---@field chapters? books.body.Book[]
---@field ["private"]? boolean
---@field title? string

---@class books.response.Book
---@field ["any thing"] string|number|boolean|table
---@field id integer
---@field chapters? books.response.Book[]
---@field ["private"]? boolean
---@field title? string

---`GET /books/:token` (deprecated)
---@class books.GET_books_token : books.Options

---@class books.POST_login.headers
---@field ["content-type"]? "application/x-www-form-urlencoded"|string # give it here or in the defaults
---@field [string] endpoint.HeaderValue|endpoint.Null|nil

---@class books.POST_login.body
---@field user string
---@field meta? table # nested = "brackets" sends it

---@class books.POST_login.data : books.POST_login.body, books.Closed

---@class books.POST_login.with_data : books.AnyOptions
---@field data books.POST_login.data|string|function # the whole body

---`POST /login`
---@class books.POST_login : books.POST_login.body, books.Options
---@field headers? books.POST_login.headers
---@field data? books.POST_login.data|string|function # the whole body

---The options of each route.
---@overload fun(route: "GET /books{?tag*,params*}", options: books.books_list)
---@overload fun(route: "POST /books{?dry-run}", options: books.books_create|books.books_create.with_data)
---@overload fun(route: "POST /books", options: books.books_create.plain|books.books_create.with_data)
---@overload fun(route: "GET /books/%3Atoken", options?: books.GET_books_token)
---@overload fun(route: "POST /login", options: books.POST_login|books.POST_login.with_data)
---@class books.Members

---@enum (key) books.Routes
local Routes = { -- luacheck: ignore
  ["GET /books{?tag*,params*}"] = 1,
  ["POST /books{?dry-run}"] = 1,
  ["POST /books"] = 1,
  ["GET /books/%3Atoken"] = 1,
  ["POST /login"] = 1,
}

---@enum (key) books.RoutesWithoutOptions
local RoutesWithoutOptions = { -- luacheck: ignore
  ["GET /books/%3Atoken"] = 1,
}

---Routes to send.
---@overload fun(route: "GET /books{?tag*,params*}")
---@overload fun(route: "POST /books{?dry-run}")
---@overload fun(route: "POST /books")
---@overload fun(route: "GET /books/%3Atoken")
---@overload fun(route: "POST /login")
---@class books.Sender

---@alias books.Answers
---| fun(route: "GET /books{?tag*,params*}", options: books.books_list): any, endpoint.request.Response
---| fun(route: "POST /books{?dry-run}", options: books.books_create|books.books_create.with_data): books.books_create.response, endpoint.request.Response
---| fun(route: "POST /books", options: books.books_create.plain|books.books_create.with_data): books.books_create.response, endpoint.request.Response
---| fun(route: "GET /books/%3Atoken", options?: books.GET_books_token): any, endpoint.request.Response
---| fun(route: "POST /login", options: books.POST_login|books.POST_login.with_data): any, endpoint.request.Response
