---@meta _
-- Written by endpoint-types. Not to be changed by hand.

---@class books2.Options
---@field baseUrl? string|endpoint.Null
---@field headers? table<string, endpoint.HeaderValue|endpoint.Null|nil>|endpoint.Null
---@field mediaType? endpoint.MediaType|endpoint.Null
---@field request? any

---@class books2.Members : endpoint.Endpoint
---@field defaults books2.Defaults

---@alias books2.Defaults
---| fun(options?: endpoint.Options): books2.Api
---| fun(self: books2.Members, options?: endpoint.Options): books2.Api

---@alias books2.Api
---| books2.Members
---| fun(options: endpoint.Options): endpoint.Request
---| books2.Routes1

---`GET /books`: Lists books
---@class books2.GET_books : books2.Options
---@field ids? integer[]
---@field tags? string[]
---@field words? string # a list as text: table.concat(list, " ")

---`POST /books`
---@class books2.create : books2.Options
---@field title string
---@field sequel? table

---`GET /books/{isbn}`
---@class books2.GET_books_isbn_ : books2.Options
---@field isbn string # As it is printed

---@class books2.POST_books_isbn_.headers
---@field ["content-type"]? "multipart/form-data"|string # say it here or in the defaults
---@field [string] endpoint.HeaderValue|endpoint.Null|nil

---`POST /books/{isbn}`
---@class books2.POST_books_isbn_ : books2.Options
---@field isbn string # As it is printed
---@field data? string|function # multipart/form-data
---@field headers? books2.POST_books_isbn_.headers

---@class books2.PUT_books_isbn_.headers
---@field ["content-type"]? "application/x-www-form-urlencoded"|string # say it here or in the defaults
---@field [string] endpoint.HeaderValue|endpoint.Null|nil

---`PUT /books/{isbn}`
---@class books2.PUT_books_isbn_ : books2.Options
---@field isbn string # As it is printed
---@field title string
---@field force? boolean
---@field headers? books2.PUT_books_isbn_.headers

---@alias books2.Routes1
---| fun(route: "GET /books{?ids,tags*}", options?: books2.GET_books): endpoint.Request
---| fun(route: "POST /books", options: books2.create): endpoint.Request
---| fun(route: "GET /books/{isbn}", options: books2.GET_books_isbn_): endpoint.Request
---| fun(route: "POST /books/{isbn}", options: books2.POST_books_isbn_): endpoint.Request
---| fun(route: "PUT /books/{isbn}{?force}", options: books2.PUT_books_isbn_): endpoint.Request
