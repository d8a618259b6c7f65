std = "max"
max_line_length = 100
exclude_files = { "spec/types/*-types-*.lua", "spec/types/books*.lua" } -- what endpoint-types writes
files["spec"] = { std = "max+busted" }
files["examples/contract_spec.lua"] = { std = "max+busted" }
files["examples/love"] = { std = "max+love" }
files["examples/neovim"] = { globals = { "vim" } }
files["spec/docs/neovim"] = { globals = { "vim" } }
-- What must stand in one line: the signature of a function, a mistake and its mark, a path and its
-- module.
files["src/addon"] = { max_line_length = 125 }
files["spec/types/check.lua"] = { max_line_length = 125 }
files["rockspec"] = { std = "max+rockspec", max_line_length = 125 }
