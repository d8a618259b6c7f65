#!/bin/sh
# Usage: spec/memory/symbols.sh NAME MODULE OBJECT...
# Shows of a built module and of its objects that nothing in them can change
# (no writable static data), that it exports nothing but its two entry points, that
# these check the version of Lua, where it can be, and that it needs nothing but what is listed below.
name=$1 module=$2
shift 2

# Of libc only what works on the memory it is given: no malloc, no file, no
# environment. The names with _chk are what _FORTIFY_SOURCE makes of the same
# functions.
libc='memchr memcmp memcpy memmove memset snprintf strchr strcmp strlen strtod strtof strtol
  __memcpy_chk __memmove_chk __memset_chk __snprintf_chk __stack_chk_fail'

# Of Lua nothing that consults a caller's metatables: no lua_gettable, lua_settable,
# lua_equal, lua_compare, lua_len, lua_tocfunction, luaL_tolstring. lua_getfield
# and lua_setfield are for tables of the module's own. Some are macros on one
# version and functions on another.
lua='lua_checkstack lua_concat lua_copy lua_createtable lua_error lua_getfenv lua_getfield
  lua_getinfo lua_getiuservalue lua_getmetatable lua_getstack lua_gettop lua_getuservalue lua_insert lua_isinteger
  lua_newuserdata lua_newuserdatauv lua_next lua_objlen lua_pcall lua_pcallk lua_pushboolean
  lua_pushcclosure lua_pushfstring lua_pushinteger lua_pushlightuserdata lua_pushlstring
  lua_pushnil lua_pushnumber lua_pushstring lua_pushvalue lua_rawequal lua_rawget lua_rawgeti lua_rawlen
  lua_rawset lua_rawseti lua_remove lua_replace lua_rotate lua_setfenv lua_setfield
  lua_setiuservalue lua_setmetatable lua_settop lua_setuservalue lua_toboolean lua_tointeger
  lua_tointegerx lua_tolstring lua_tonumber lua_tonumberx lua_touserdata lua_type lua_typename
  luaL_checkstack luaL_checkversion_ luaL_error luaL_where'

# Weak references of the toolchain's start-up code.
toolchain='__cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable'

bad() {
  echo "$name: BAD: $1"
  exit 1
}

# Names and sections of the symbols. Constants that hold addresses lie in
# .data.rel.ro, which is read-only once the loader has filled them in: nm's one
# letter for them is that of writable data, so the section decides.
symbols=0
for object; do
  table=$(nm -f sysv "$object" | tr -d ' ') || bad "$object: nm failed"
  found=$(echo "$table" | awk -F'|' '$7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ &&
    $7 !~ /^\.data\.rel\.ro/ { print $1 " in " $7 }')
  [ -z "$found" ] || bad "$object: writable static data: $found"
  found=$(size -A "$object" | awk '$1 ~ /^(\.data|\.bss|\.tdata|\.tbss)/ &&
    $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { print $2 " bytes in " $1 }')
  [ -z "$found" ] || bad "$object: writable static data: $found"
  symbols=$((symbols + $(echo "$table" | grep -c '|.*|')))
done
[ "$symbols" -gt 0 ] || bad 'no symbols in the objects'
[ $# -ge 2 ] || bad 'no objects'

# Without luaL_checkversion in both a Lua 5.5 that loads a module of 5.4 is a segmentation fault.
case $name in
  lua5.1* | luajit*) expected=0 ;;
  *) expected=2 ;;
esac
[ "$(nm -u "$@" | grep -c ' luaL_checkversion_$')" = $expected ] || bad 'an entry point that does not check the version'

exports=$(nm -D --defined-only "$module" | awk '{ print $NF }' | sort | paste -s -d ' ' -)
[ "$exports" = 'luaopen_endpoint luaopen_endpoint_result' ] || bad "exports: $exports"

imports=$(nm -D --undefined-only "$module" | awk '{ sub(/@.*/, "", $NF); print $NF }')
# shellcheck disable=SC2086
allowed=$(printf ' %s ' $libc $lua $toolchain)
count=0
for import in $imports; do
  case $allowed in
    *" $import "*) count=$((count + 1)) ;;
    *) bad "imports $import, which is not on the list" ;;
  esac
done
[ "$count" -gt 0 ] || bad 'no imports: is this the module?'
echo "$name: $# objects, $symbols symbols: no writable static data, 2 exports, $count imports, all on the list"
