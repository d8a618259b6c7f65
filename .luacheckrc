std = "max"
max_line_length = 125
files["spec"] = { std = "max+busted" }
files["rockspec"] = { std = "max+rockspec" }
