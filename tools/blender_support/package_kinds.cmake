# The packages of every platform, of the libraries that kind_cross and kind_windows have compiled; judged by Blender, pip
# and the loaders. Only with ctest -C kinds or -C all.
set(all_packages ${CMAKE_BINARY_DIR}/packages)
add_test(NAME kind_packages CONFIGURATIONS kinds all
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/package --all --wheels --built --output ${all_packages})
set_tests_properties(kind_packages PROPERTIES
    TIMEOUT 300 LABELS kinds FIXTURES_SETUP all_packages DEPENDS "kind_cross;kind_windows"
    ENVIRONMENT "MUSLIN_BUILD=${CMAKE_BINARY_DIR};MUSLIN_CACHE=${MUSLIN_DEPS_DIR};MUSLIN_PYTHON=${MUSLIN_PYTHON}")
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/tools/tests)
add_test(NAME kind_packages_judged CONFIGURATIONS kinds all
    COMMAND ${MUSLIN_PYTHON} ${run_module} unittest discover -s ${folder} -t ${folder} -p test_all_packages.py)
set_tests_properties(kind_packages_judged PROPERTIES
    TIMEOUT 600 LABELS kinds FIXTURES_REQUIRED all_packages FAIL_REGULAR_EXPRESSION "Ran 0 tests"
    SKIP_REGULAR_EXPRESSION "\nOK \\(skipped="
    ENVIRONMENT "MUSLIN_BUILD=${CMAKE_BINARY_DIR};MUSLIN_CACHE=${MUSLIN_DEPS_DIR};MUSLIN_PACKAGES=${all_packages};MUSLIN_VERSION=${PROJECT_VERSION};PYTHONDONTWRITEBYTECODE=1")
