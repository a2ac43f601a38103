# cmake --install BUILD --prefix PREFIX: the library and its headers (muslin_headers), and what C users find them by:
# a pkg-config file and a CMake package with the target muslin::muslin. Nothing in it names a folder of the machine that
# it was built on: the prefix may be chosen at the installation, and moved later.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/muslin)
set(configured ${CMAKE_BINARY_DIR}/install)

file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH libdir_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH includedir_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/muslin.pc.in ${configured}/muslin.pc @ONLY)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/muslinConfig.cmake.in ${configured}/muslinConfig.cmake
    INSTALL_DESTINATION ${package})
# Before 1.0 any minor version may change the interface.
write_basic_package_version_file(${configured}/muslinConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS muslin EXPORT muslinTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} # muslin.dll, and what programs are linked with
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${muslin_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${configured}/muslin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${configured}/muslinConfig.cmake ${configured}/muslinConfigVersion.cmake DESTINATION ${package})
install(EXPORT muslinTargets NAMESPACE muslin:: DESTINATION ${package})
