# What every target of ours is compiled with. Not exported: users keep their own flags.
# -ffp-contract=off: a fused multiply-add rounds once where the contract's formula rounds
# twice, so two builds would decide a touching pair differently.
function(vicinal_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow
    -Wconversion -Wno-sign-conversion
    # libstdc++ 12 uses its own deprecated get_temporary_buffer, and clang 19 says so.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  if(VICINAL_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(VICINAL_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${VICINAL_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${VICINAL_SANITIZE})
  endif()
  if(VICINAL_ASSERTS)
    target_compile_definitions(${target} PRIVATE VICINAL_ASSERTS)
  endif()
  if(VICINAL_FUZZ)
    # What libFuzzer needs to see coverage. Not fuzzer-no-link: it also reports every comparison,
    # which makes the tests of the same build several times slower.
    target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
endfunction()

# For the tool and the tests. Their headers (CLI11, nlohmann-json, googletest) take longer to
# compile than their own code, so several files are compiled as one.
function(vicinal_compile_fast target)
  # clang takes several times as long to optimise instrumented code as to compile it.
  if(VICINAL_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE -O1)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 7)
endfunction()

# The headers of this directory on the include path of its target, by their path from the root
# ("io/table.hpp"), and those of no other directory: the path holds nothing but a link to this
# one. So a target can include its own headers and those of what it links, and no others.
function(vicinal_own_headers target)
  file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(root ${PROJECT_BINARY_DIR}/rooms/${target})
  cmake_path(GET room PARENT_PATH parent)
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${room} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
endfunction()
