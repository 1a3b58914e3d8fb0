cmake_minimum_required(VERSION 3.25)
# Run by ctest: install trees (static, shared) and add_subdirectory, each used by the consumer.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(code)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
endfunction()

function(use name)
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/package -B ${WORK}/use_${name}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Debug ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/use_${name})
  run(${WORK}/use_${name}/consumer)
endfunction()

file(REMOVE_RECURSE ${WORK})
foreach(kind static shared)
  string(COMPARE EQUAL ${kind} shared is_shared)
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/${kind} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=${is_shared} -DVICINAL_TOOL=OFF -DVICINAL_TESTS=OFF
    -DVICINAL_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=${WORK}/${kind}_tree)
  run(${CMAKE_COMMAND} --build ${WORK}/${kind} --target install)
  use(${kind} -DCMAKE_PREFIX_PATH=${WORK}/${kind}_tree -DVICINAL_WANTED=${VERSION})
endforeach()
use(subdirectory -DVICINAL_SOURCE=${SOURCE})

# The shared library carries the version of the interface.
string(REGEX MATCH "^[0-9]+\\.[0-9]+" api ${VERSION})
file(GLOB_RECURSE named ${WORK}/shared_tree/*libvicinal.so.${api})
if(NOT named)
  message(FATAL_ERROR "no libvicinal.so.${api} in the install tree")
endif()
