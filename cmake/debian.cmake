# A Debian package of the library, its headers, the tool with its manual pages, and the Python
# package: `cpack` in the build directory, or the target `package`. For a shared library, which
# the tool and Python have in common.
if(NOT BUILD_SHARED_LIBS OR NOT TARGET vicinal_tool)
  message(FATAL_ERROR "VICINAL_DEBIAN needs BUILD_SHARED_LIBS and VICINAL_TOOL: configure with cmake --preset debian")
endif()

# The Python package finds its library beside itself.
set(python_packages lib/python3/dist-packages)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/vicinal DESTINATION ${python_packages}
  FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed PATTERN __pycache__ EXCLUDE)
file(RELATIVE_PATH library /${python_packages}/vicinal
  /${CMAKE_INSTALL_LIBDIR}/libvicinal.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(CODE "file(CREATE_LINK ${library}
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${python_packages}/vicinal/libvicinal.so\" SYMBOLIC)")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/vicinal RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vicinal)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the Vicinal authors")  # as in LICENSE
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds which bodies are close enough to interact")
set(CPACK_PACKAGE_DESCRIPTION "Exact and fast neighbour lists and broad-phase collision detection:
a library for C++, C, Fortran and Python, and a command-line tool.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-numpy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libbullet-dev, python3-scipy, python3-ase, python3-torch")
include(CPack)
