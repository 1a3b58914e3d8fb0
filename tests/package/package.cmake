cmake_minimum_required(VERSION 3.25)
# Run by ctest. KIND static installs this build. KIND shared builds the project as a subdirectory
# of the consumer, with a shared library, and makes a Debian package of that, which is unpacked
# instead of installed. The consumer uses each. BULLET: where Bullet's headers are, or false.
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
  if(BULLET)
    run(${WORK}/use_${name}/bullet_consumer)
  endif()
endfunction()

function(use_tree)
  set(bullet OPTIONAL_COMPONENTS)
  if(BULLET)
    set(bullet COMPONENTS)
  endif()
  use(tree -DCMAKE_PREFIX_PATH=${WORK}/tree -DVICINAL_WANTED=${VERSION} -DVICINAL_BULLET=${bullet})
endfunction()

# The component is looked for where it is used. Without Bullet, it is an error only if it is
# required.
function(use_without_bullet)
  file(GLOB_RECURSE files ${WORK}/tree/*/vicinal-*.cmake)
  foreach(file ${files})
    file(READ ${file} text)
    if(BULLET AND text MATCHES "${BULLET}")
      message(FATAL_ERROR "${file} says where Bullet is on this machine")
    endif()
  endforeach()
  set(options -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/tree -DVICINAL_BULLET_HEADERS=)
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/package -B ${WORK}/use_without_bullet ${options}
    -DVICINAL_BULLET=OPTIONAL_COMPONENTS)
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/package
    -B ${WORK}/use_without_bullet ${options} -DVICINAL_BULLET=COMPONENTS
    RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE error)
  if(code EQUAL 0 OR NOT error MATCHES "vicinal::bullet needs Bullet: install\n? +libbullet-dev")
    message(FATAL_ERROR "without Bullet the component is found, or the error does not say why: ${error}")
  endif()
endfunction()

# The install tree, moved elsewhere, through pkg-config.
function(use_pkg_config)
  find_program(PKG_CONFIG pkg-config)
  if(NOT PKG_CONFIG)
    message(STATUS "pkg-config is not here: vicinal.pc is not tested")
    return()
  endif()
  file(REMOVE_RECURSE ${WORK}/moved)
  file(COPY ${WORK}/tree/ DESTINATION ${WORK}/moved)
  file(GLOB_RECURSE pc ${WORK}/moved/*/vicinal.pc)
  cmake_path(GET pc PARENT_PATH folder)
  cmake_path(GET folder PARENT_PATH libraries)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run(${PKG_CONFIG} --exact-version=${VERSION} vicinal)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs vicinal OUTPUT_VARIABLE flags
    COMMAND_ERROR_IS_FATAL ANY)
  if(NOT flags MATCHES "moved")
    message(FATAL_ERROR "the flags do not follow the moved tree: ${flags}")
  endif()
  separate_arguments(flags UNIX_COMMAND ${flags})
  run(${COMPILER} -std=c++20 ${SOURCE}/tests/package/main.cpp -o ${WORK}/moved/consumer ${flags}
    -Wl,-rpath,${libraries})
  run(${WORK}/moved/consumer)
  # Bullet in double precision.
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs bullet-float64 RESULT_VARIABLE missing
    OUTPUT_VARIABLE bullet ERROR_QUIET)
  if(NOT missing)
    separate_arguments(bullet UNIX_COMMAND ${bullet})
    run(${COMPILER} -std=c++20 ${SOURCE}/examples/10_bullet.cpp -o ${WORK}/moved/bullet_consumer
      ${bullet} ${flags} -Wl,-rpath,${libraries})
    run(${WORK}/moved/bullet_consumer)
  endif()
  # The examples in C and Fortran.
  run(cc -std=c99 -Wall -Wextra -Wpedantic -Werror ${SOURCE}/examples/07_pairs.c
    -o ${WORK}/moved/c_pairs ${flags} -Wl,-rpath,${libraries})
  run(${WORK}/moved/c_pairs)
  find_program(FORTRAN gfortran)
  if(NOT FORTRAN)
    message(STATUS "gfortran is not here: the Fortran module is not tested")
    return()
  endif()
  run(${FORTRAN} -std=f2018 -Wall -Werror -J ${WORK}/moved ${WORK}/moved/include/vicinal.f90
    ${SOURCE}/examples/08_pairs.f90 -o ${WORK}/moved/fortran_pairs ${flags} -Wl,-rpath,${libraries})
  run(${WORK}/moved/fortran_pairs)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(KIND STREQUAL static)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/tree)
  use_tree()
  use_without_bullet()
  use_pkg_config()
  foreach(file man/man1/vicinal.1 man/man1/vicinal-pairs.1 bash-completion/completions/vicinal)
    if(NOT EXISTS ${WORK}/tree/share/${file})
      message(FATAL_ERROR "no share/${file} in the install tree")
    endif()
  endforeach()
  return()
endif()

# For one instruction set: it is compiled once more only to be installed and linked.
use(subdirectory -DVICINAL_SOURCE=${SOURCE} -DBUILD_SHARED_LIBS=ON -DVICINAL_TOOL=ON
  -DVICINAL_DEBIAN=ON -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
  -DCMAKE_CXX_FLAGS=-DHWY_COMPILE_ONLY_STATIC)
run(${CMAKE_COMMAND} -E chdir ${WORK} cpack --config ${WORK}/use_subdirectory/CPackConfig.cmake
  -B ${WORK}/package)
file(GLOB deb ${WORK}/package/vicinal_${VERSION}_*.deb)
function(field name expected)
  execute_process(COMMAND dpkg-deb --field ${deb} ${name} OUTPUT_VARIABLE value
    COMMAND_ERROR_IS_FATAL ANY)
  if(NOT value MATCHES ${expected})
    message(FATAL_ERROR "the field ${name} of the package is ${value}")
  endif()
endfunction()
field(Package "^vicinal\n$")
field(Depends "libc6.*libfmt9.*libhwy1.*libstdc\\+\\+6")
field(Maintainer "^the Vicinal authors\n$")
field(Recommends "python3-numpy")
field(Suggests "libbullet-dev")
run(dpkg-deb --extract ${deb} ${WORK}/root)
foreach(file bin/vicinal include/vicinal.h include/vicinal.f90 include/vicinal/vicinal.hpp
    share/man/man1/vicinal.1 share/man/man1/vicinal-pairs.1 share/doc/vicinal/copyright
    share/bash-completion/completions/vicinal lib/python3/dist-packages/vicinal/py.typed
    lib/python3/dist-packages/vicinal/compat/ase.py)
  if(NOT EXISTS ${WORK}/root/usr/${file})
    message(FATAL_ERROR "no /usr/${file} in the package")
  endif()
endforeach()
file(RENAME ${WORK}/root/usr ${WORK}/tree)
use_tree()
use_pkg_config()

# The tool and Python find the library of the package.
file(GLOB libraries ${WORK}/tree/lib/*/libvicinal.so)
cmake_path(GET libraries PARENT_PATH libraries)
set(ENV{LD_LIBRARY_PATH} ${libraries})
run(${WORK}/tree/bin/vicinal scene uniform --n 1000 -o ${WORK}/points.npy)
run(${WORK}/tree/bin/vicinal pairs ${WORK}/points.npy --cutoff 0.1 -o ${WORK}/pairs.npy)
set(ENV{PYTHONPATH} ${WORK}/tree/lib/python3/dist-packages)
file(WRITE ${WORK}/check.py "
import sys
import numpy as np, vicinal
assert vicinal.__file__.startswith(sys.argv[1]), vicinal.__file__
x = np.load(sys.argv[1] + '/points.npy')
found, expected = vicinal.pairs(x, 0.1).indices, np.load(sys.argv[1] + '/pairs.npy')
assert len(found) > 1000
assert set(map(tuple, found.tolist())) == set(map(tuple, expected.tolist()))
")
run(/usr/bin/python3 -B ${WORK}/check.py ${WORK})

# The shared library carries the version of the interface.
string(REGEX MATCH "^[0-9]+\\.[0-9]+" api ${VERSION})
file(GLOB_RECURSE named ${WORK}/tree/*libvicinal.so.${api})
if(NOT named)
  message(FATAL_ERROR "no libvicinal.so.${api} in the install tree")
endif()
