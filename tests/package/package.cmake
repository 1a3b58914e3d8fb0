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
# The library as it was built, installed.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/static_tree)
use(static -DCMAKE_PREFIX_PATH=${WORK}/static_tree -DVICINAL_WANTED=${VERSION})
# As a part of the consumer's own build, shared; that, installed.
use(subdirectory -DVICINAL_SOURCE=${SOURCE} -DBUILD_SHARED_LIBS=ON)
run(${CMAKE_COMMAND} --install ${WORK}/use_subdirectory --prefix ${WORK}/shared_tree)
use(shared -DCMAKE_PREFIX_PATH=${WORK}/shared_tree -DVICINAL_WANTED=${VERSION})

# The shared library carries the version of the interface.
string(REGEX MATCH "^[0-9]+\\.[0-9]+" api ${VERSION})
file(GLOB_RECURSE named ${WORK}/shared_tree/*libvicinal.so.${api})
if(NOT named)
  message(FATAL_ERROR "no libvicinal.so.${api} in the install tree")
endif()
