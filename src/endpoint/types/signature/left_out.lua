-- SPDX-License-Identifier: MIT
-- An operation that cannot be called is left out. Whoever finds out why raises the reason, and
-- signature.new catches it.
local left_out = {}

-- Raises a table with the reason. A string would be an error of the program.
function left_out.raise(reason, ...)
  error({ reason = reason:format(...) }, 0)
end

-- The reason in what was raised. Any other error is raised again.
function left_out.reason(raised)
  if type(raised) ~= "table" then
    error(raised, 0)
  end
  return raised.reason
end

return left_out
