# SPDX-License-Identifier: MIT
# The target endpoint::lua: headers and library of the Lua that LUA_INCLUDE_DIR and LUA_LIBRARY
# name, or else of the one that CMake finds. find_package(Lua) is asked only then, for it replaces a
# folder whose version it does not know, as CMake 3.25 does with Lua 5.5. ENDPOINT_BUILT_FOR is the
# Lua of an endpoint that is installed already.
if(NOT LUA_INCLUDE_DIR AND ENDPOINT_BUILT_FOR)
  find_package(Lua ${ENDPOINT_BUILT_FOR} EXACT REQUIRED)
elseif(NOT LUA_INCLUDE_DIR)
  find_package(Lua REQUIRED)
endif()

# 5.5 has its version in parts.
file(STRINGS ${LUA_INCLUDE_DIR}/lua.h ENDPOINT_LUA_VERSION
  REGEX "define[ \t]+LUA_VERSION_(NUM|MINOR_N)[ \t]+[0-9]+")
string(REGEX REPLACE ".*([0-9])[^0-9]*$" "5.\\1" ENDPOINT_LUA_VERSION "${ENDPOINT_LUA_VERSION}")

# A library says its version in a text; what only names a DLL has none.
if(LUA_LIBRARY)
  file(STRINGS ${LUA_LIBRARY} library REGEX "Lua 5\\.[0-9]")
  string(REGEX MATCH "Lua 5\\.[0-9]" library "${library}")
  if(library AND NOT library STREQUAL "Lua ${ENDPOINT_LUA_VERSION}")
    message(FATAL_ERROR
      "LUA_INCLUDE_DIR has the headers of Lua ${ENDPOINT_LUA_VERSION} (${LUA_INCLUDE_DIR}), "
      "LUA_LIBRARY is ${library} (${LUA_LIBRARY}). "
      "Name both of one Lua; find_package(Lua) may have replaced the first.")
  endif()
endif()

if(ENDPOINT_BUILT_FOR AND NOT ENDPOINT_LUA_VERSION STREQUAL ENDPOINT_BUILT_FOR)
  message(FATAL_ERROR
    "${CMAKE_CURRENT_LIST_DIR} is for Lua ${ENDPOINT_BUILT_FOR}, "
    "LUA_INCLUDE_DIR has the headers of Lua ${ENDPOINT_LUA_VERSION} (${LUA_INCLUDE_DIR}): "
    "name that of endpoint's Lua, or by endpoint_DIR another endpoint.")
endif()

if(NOT TARGET endpoint::lua)
  add_library(endpoint::lua INTERFACE IMPORTED GLOBAL)
  set_target_properties(endpoint::lua PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LUA_INCLUDE_DIR}")
  if(LUA_LIBRARY)
    # A static Lua needs the other two.
    set(has_libm $<AND:$<BOOL:${UNIX}>,$<NOT:$<BOOL:${APPLE}>>>)
    set_target_properties(endpoint::lua PROPERTIES
      INTERFACE_LINK_LIBRARIES "${LUA_LIBRARY};$<${has_libm}:m>;${CMAKE_DL_LIBS}")
  endif()
endif()
