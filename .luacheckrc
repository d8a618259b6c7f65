std = "max"
max_line_length = 125
exclude_files = { "spec/types/*-types-*.lua" } -- what endpoint-types writes
files["spec"] = { std = "max+busted" }
files["examples/contract_spec.lua"] = { std = "max+busted" }
files["examples/love"] = { std = "max+love" }
files["examples/neovim"] = { globals = { "vim" } }
files["rockspec"] = { std = "max+rockspec" }
