# The sanitizers are those of clang: it compiles them in half the time that GCC takes, and its
# AddressSanitizer keeps its locks in order when a process with threads forks.

# `kitbag_quick_flags`: for the faces, whose work is done in the library, for plugins and for COLD
# modules. Less optimization makes them a fifth quicker to compile and no slower to run.
# `kitbag_beast_flags`: for what uses Boost.Beast, which waits for the network, and where checks of
# undefined behavior double the time.
set(kitbag_quick_flags $<$<CONFIG:Release>:-O1>)
set(kitbag_beast_flags ${kitbag_quick_flags})
if(NOT KITBAG_SANITIZE)
  return()
endif()

add_compile_options(-fsanitize=${KITBAG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
add_link_options(-fsanitize=${KITBAG_SANITIZE})
if(KITBAG_SANITIZE MATCHES address AND NOT KITBAG_FUZZ)
  # The program and a Python that gets it by LD_PRELOAD have one runtime.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER}
                          -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
                  OUTPUT_VARIABLE kitbag_sanitizer_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(GET kitbag_sanitizer_runtime PARENT_PATH folder)
  add_link_options(-shared-libsan -Wl,-rpath,${folder})
  # How a test compiles C that is to be watched, too.
  set(kitbag_c_compiler "${CMAKE_CXX_COMPILER} -x c -g -fsanitize=${KITBAG_SANITIZE} \
-fno-sanitize-recover=all -shared-libsan -Wl,-rpath,${folder}")
endif()
# RapidJSON adds 0 to a null pointer.
add_compile_options(-fno-sanitize=pointer-overflow)
foreach(sanitizer address thread)  # as GCC says it
  string(TOUPPER __sanitize_${sanitizer}__ macro)
  if(KITBAG_SANITIZE MATCHES ${sanitizer})
    add_compile_definitions(${macro})
  endif()
endforeach()
if(NOT KITBAG_FUZZ)
  # A fifth of the build for what AddressSanitizer finds too. The fuzzers have these checks.
  add_compile_options(-fno-sanitize=null,object-size,vptr)
  set(kitbag_quick_flags -O0)
  set(kitbag_beast_flags -O0 -fno-sanitize=undefined)
endif()

# libstdc++ 12 itself uses what it calls deprecated.
add_compile_options(-Wno-deprecated-declarations)
# ccache takes a precompiled header for the same one by its content, not by its time.
add_compile_options("SHELL:-Xclang -fno-pch-timestamp")

# RapidJSON 1.1 assigns to a const member in a function that nobody calls. clang looks at it all the
# same, so it sees a copy of the header without that function.
find_path(rapidjson rapidjson/document.h REQUIRED)
file(READ ${rapidjson}/rapidjson/document.h document)
string(REPLACE "{ s = rhs.s; length = rhs.length; }" "= delete;" document "${document}")
string(REGEX REPLACE "#include \"([^\"]+)\"" "#include <rapidjson/\\1>" document "${document}")
file(WRITE ${PROJECT_BINARY_DIR}/mended/rapidjson/document.h "${document}")
include_directories(BEFORE SYSTEM ${PROJECT_BINARY_DIR}/mended)
