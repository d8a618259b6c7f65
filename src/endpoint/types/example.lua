-- SPDX-License-Identifier: MIT
-- The OpenAPI document that `endpoint-types --example` writes, as JSON. The pages about OpenAPI use
-- it, so that their programs run wherever endpoint-types is installed.
return [[
{
  "openapi": "3.1.0",
  "info": { "title": "A bookshop", "version": "1.0.0" },
  "servers": [{ "url": "https://shop.example/v1" }],
  "paths": {
    "/books": {
      "get": {
        "operationId": "books/list",
        "tags": ["books"],
        "summary": "Lists the books of a genre",
        "parameters": [
          {
            "name": "genre",
            "in": "query",
            "description": "Books of this genre",
            "schema": { "enum": ["novel", "poetry", "science"] }
          },
          {
            "name": "page",
            "in": "query",
            "description": "The page, from 1 on",
            "schema": { "type": "integer", "minimum": 1 }
          }
        ],
        "responses": {
          "200": {
            "description": "A page of books",
            "content": {
              "application/json": {
                "schema": { "type": "array", "items": { "$ref": "#/components/schemas/Book" } }
              }
            }
          }
        }
      },
      "post": {
        "operationId": "books/create",
        "tags": ["books"],
        "summary": "Adds a book",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/Book" } }
          }
        },
        "responses": {
          "201": {
            "description": "The new book",
            "content": {
              "application/json": { "schema": { "$ref": "#/components/schemas/Book" } }
            }
          }
        }
      }
    },
    "/books/{isbn}": {
      "parameters": [
        {
          "name": "isbn",
          "in": "path",
          "required": true,
          "description": "Its ISBN, without hyphens",
          "schema": { "type": "string", "pattern": "^[0-9]{13}$" }
        }
      ],
      "get": {
        "operationId": "books/get",
        "tags": ["books"],
        "summary": "Shows a book",
        "responses": {
          "200": {
            "description": "The book",
            "content": {
              "application/json": { "schema": { "$ref": "#/components/schemas/Book" } }
            }
          }
        }
      },
      "delete": {
        "operationId": "books/delete",
        "tags": ["books"],
        "summary": "Removes a book",
        "responses": { "204": { "description": "It is removed" } }
      }
    }
  },
  "components": {
    "schemas": {
      "Book": {
        "type": "object",
        "required": ["id", "title"],
        "properties": {
          "id": { "type": "integer", "readOnly": true },
          "title": { "type": "string", "minLength": 1 },
          "year": { "type": "integer" },
          "authors": { "type": "array", "items": { "type": "string" } }
        }
      }
    }
  }
}]]
