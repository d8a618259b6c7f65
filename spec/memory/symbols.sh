#!/bin/sh
# Usage: spec/memory/symbols.sh NAME MODULE OBJECT...
# Checks a built module and its objects:
#   - They have no writable static data, so that states in several threads share nothing.
#   - It exports its two entry points and nothing else.
#   - The entry points check the version of Lua, where Lua has a function for this.
#   - It imports only what is listed below.
name=$1 module=$2
shift 2

# Each list has one pattern a line, for grep -E.

# Of libc only what works on the memory that it is given: no malloc, no file, no environment. The
# names with _chk are what _FORTIFY_SOURCE makes of the same functions.
libc='mem(chr|cmp|cpy|move|set)
str(chr|cmp|len|tod|tof|tol)
snprintf
__(mem(cpy|move|set)|snprintf|stack)_chk(_fail)?'

# Of Lua nothing that consults a caller's metatables: no lua_gettable, lua_settable, lua_equal,
# lua_compare, lua_len, lua_tocfunction, luaL_tolstring. lua_getfield and lua_setfield are for
# tables of the module's own. Some names are macros in one version and functions in another.
lua='lua_(push|raw)[a-z]*
lua_(checkstack|concat|copy|createtable|error|insert|isinteger|newuserdata(uv)?|next|objlen)
lua_(pcallk?|remove|replace|rotate|settop|type|typename)
lua_to(boolean|integerx?|lstring|numberx?|userdata)
lua_get(info|stack|top)
lua_[gs]et(fenv|field|i?uservalue|metatable)
luaL_(checkstack|checkversion_|error|where)'

# Weak references of the toolchain's start-up code.
toolchain='__cxa_finalize|__gmon_start__|_ITM_(de)?registerTMCloneTable'

bad() {
  echo "$name: BAD: $1"
  exit 1
}

# Constants that hold addresses are in .data.rel.ro. It is read-only after the loader has filled it.
[ $# -ge 2 ] || bad 'no objects'
for object; do
  sizes=$(size -A "$object") || bad "$object: size failed"
  found=$(echo "$sizes" | awk '
    $1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 {
      print $2 " bytes in " $1
    }')
  [ -z "$found" ] || bad "$object: writable static data: $found"
done

# Lua 5.5 that loads a module of 5.4 without luaL_checkversion ends in a segmentation fault.
case $name in
  lua5.1* | luajit*) expected=0 ;;
  *) expected=2 ;;
esac
[ "$(nm -u "$@" | grep -c ' luaL_checkversion_$')" = $expected ] ||
  bad 'an entry point that does not check the version'

exports=$(nm -D --defined-only "$module" | awk '{ print $NF }' | sort | paste -s -d ' ' -)
[ "$exports" = 'luaopen_endpoint luaopen_endpoint_result' ] || bad "exports: $exports"

imports=$(nm -D --undefined-only "$module" | awk '{ sub(/@.*/, "", $NF); print $NF }')
[ -n "$imports" ] || bad 'no imports: is this the module?'
allowed=$(printf '%s\n' "$libc" "$lua" "$toolchain" | paste -s -d '|' -)
found=$(echo "$imports" | grep -vxE "$allowed")
[ -z "$found" ] || bad "imports $found, which is not on the list"
imported=$(echo "$imports" | wc -l)
echo "$name: $# objects: no writable static data, 2 exports, $imported imports, all on the list"
