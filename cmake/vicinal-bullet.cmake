# The target vicinal::bullet, if Bullet is here in single precision: for this build, and installed
# for find_package(vicinal COMPONENTS bullet), so that Bullet is looked for where it is used. It
# is one header on top of World.
find_path(VICINAL_BULLET_HEADERS btBulletDynamicsCommon.h PATH_SUFFIXES bullet)
find_library(VICINAL_BULLET_COLLISION BulletCollision)
find_library(VICINAL_BULLET_MATH LinearMath)
mark_as_advanced(VICINAL_BULLET_HEADERS VICINAL_BULLET_COLLISION VICINAL_BULLET_MATH)
if(VICINAL_BULLET_HEADERS AND VICINAL_BULLET_COLLISION AND VICINAL_BULLET_MATH AND NOT TARGET vicinal::bullet)
  add_library(vicinal::bullet INTERFACE IMPORTED GLOBAL)
  target_include_directories(vicinal::bullet INTERFACE ${VICINAL_BULLET_HEADERS})
  target_link_libraries(vicinal::bullet INTERFACE vicinal::vicinal ${VICINAL_BULLET_COLLISION}
    ${VICINAL_BULLET_MATH})
endif()
