# What every target of ours is compiled with. Not exported: users keep their own flags.
# -ffp-contract=off: a fused multiply-add rounds once where the contract's formula rounds
# twice, so two builds would decide a touching pair differently.
function(vicinal_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow
    -Wconversion -Wno-sign-conversion)
  if(VICINAL_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(VICINAL_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${VICINAL_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${VICINAL_SANITIZE})
  endif()
  if(VICINAL_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
endfunction()
