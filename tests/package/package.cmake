cmake_minimum_required(VERSION 3.25)
# Run by ctest. KIND static installs this build. KIND shared builds the project as a subdirectory
# of the consumer, with a shared library, and installs that. The consumer uses each.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(code)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
endfunction()

function(use name)
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/package -B ${WORK}/use_${name}
    -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/use_${name})
  run(${WORK}/use_${name}/consumer)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(KIND STREQUAL static)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/tree)
  use(tree -DCMAKE_PREFIX_PATH=${WORK}/tree -DVICINAL_WANTED=${VERSION})
  return()
endif()

# For one instruction set: it is compiled once more only to be installed and linked.
use(subdirectory -DVICINAL_SOURCE=${SOURCE} -DBUILD_SHARED_LIBS=ON
  -DCMAKE_CXX_FLAGS=-DHWY_COMPILE_ONLY_STATIC)
run(${CMAKE_COMMAND} --install ${WORK}/use_subdirectory --prefix ${WORK}/tree)
use(tree -DCMAKE_PREFIX_PATH=${WORK}/tree -DVICINAL_WANTED=${VERSION})

# The shared library carries the version of the interface.
string(REGEX MATCH "^[0-9]+\\.[0-9]+" api ${VERSION})
file(GLOB_RECURSE named ${WORK}/tree/*libvicinal.so.${api})
if(NOT named)
  message(FATAL_ERROR "no libvicinal.so.${api} in the install tree")
endif()
