-- SPDX-License-Identifier: MIT
-- Multiples of numbers as they are written: 0.0075 is one of 0.0001, though the floats are not.
local decimal = {}

-- Remainders below it, with one more digit, are exact.
local MOST = 2 ^ 53 / 10

-- The shortest digits that give this number, and the power of ten that they are multiplied with.
local function digits_of(number)
  if math.type and math.type(number) == "integer" then
    return (("%d"):format(number):gsub("^-", "")), 0
  end
  local written
  for precision = 15, 17 do
    written = ("%." .. precision - 1 .. "e"):format(number)
    if tonumber(written) == number then
      break
    end
  end
  local first, rest, exponent = written:match "(%d)%D?(%d*)e([+-]%d+)"
  rest = rest:gsub("0+$", "")
  return first .. rest, tonumber(exponent) - #rest
end

local function is_integer(number)
  return number % 1 == 0 and number > -2 ^ 53 and number < 2 ^ 53
end

-- Is the one a multiple of the other, which is above 0? Some 700 digits at most are divided. The
-- floats themselves say it of integers only: `%` of others differs between the Luas.
function decimal.is_multiple(given, factor)
  if given == factor or given == 0 then
    return true
  elseif is_integer(given) and is_integer(factor) then
    return math.fmod(given, factor) == 0
  end
  local digits, power = digits_of(given)
  local divisor, divisor_power = digits_of(factor)
  local zeros = power - divisor_power
  divisor = tonumber(divisor) * 10 ^ math.max(-zeros, 0)
  if divisor > MOST then
    return false
  end
  local remainder = 0
  for digit in (digits .. ("0"):rep(zeros)):gmatch "%d" do
    remainder = (remainder * 10 + tonumber(digit)) % divisor
  end
  return remainder == 0
end

return decimal
