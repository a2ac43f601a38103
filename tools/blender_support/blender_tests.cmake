# add_blender_tests(FOLDER): FOLDER/test_*.py and window_*.py are tested in each Blender, inside the add-on as it is
# packed and installed. A Blender that is not on this machine skips its tests by name; tools/blenders fetches it.
#
# A Blender takes longer to start than most files to run: files of one subject share one, see blender_group.
# docs/notes/blenders.md says how to run one file alone.
#
# All is asked in the newest Blender, but for LONG_GROUPS. What is the same in every Blender (windows, mirrored cloth,
# draping, fit ...) is asked in the others only by tools/test --all: it has the label `long` there. So have, in Blender 4.3,
# a life in a window and the remote repository: 3.4 and 5.2 are the oldest and the newest.
#
# The fixtures: addon_package packs, blender_VERSION_install installs into a fresh folder, the tests use that folder.
# Blender writes into its folder, so each test has a copy of it, and tests of one version may run beside each other.

set(BLENDER_VERSIONS 3.4 4.3 5.2)
set(WHOLLY_TESTED_BLENDER 5.2)
# Groups of tests whose answers depend on the version: meshes that are read and written, keyframes, files, handlers, the
# interface of Blender itself.
set(VERSION_GROUPS test_install test_feed test_output test_versions window_running)
# A window that simulates coarser and refines: test_live.py tests the same without one.
set(LONG_GROUPS window_live)
set(blender_support ${CMAKE_CURRENT_LIST_DIR})

function(add_addon_package)
    set(packages ${CMAKE_BINARY_DIR}/addon)
    add_test(NAME addon_package
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/package --built --wheels --output ${packages})
    set_tests_properties(addon_package PROPERTIES
        TIMEOUT 120 LABELS blender FIXTURES_SETUP addon_package COST 1000
        ENVIRONMENT "MUSLIN_BUILD=${CMAKE_BINARY_DIR};MUSLIN_CACHE=${MUSLIN_DEPS_DIR};MUSLIN_PYTHON=${MUSLIN_PYTHON}")
    # What is in the packages; by unittest's discovery like the other Python tests.
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/tools/tests)
    set(environment "MUSLIN_PACKAGES=${packages}" "MUSLIN_VERSION=${PROJECT_VERSION}" "PYTHONDONTWRITEBYTECODE=1"
        "MUSLIN_CACHE=${MUSLIN_DEPS_DIR}")
    set(run ${MUSLIN_PYTHON} ${run_module} unittest discover -s ${folder} -t ${folder} -p)
    set(names test_package.py test_wheel.py test_release.py)
    foreach(name ${names})
        add_test(NAME ${name} COMMAND ${run} ${name})
        set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
    endforeach()
    # In the hands of Blender's own tool, and in a remote repository; older Blenders know neither.
    foreach(version 4.3 5.2)
        set(name blender_${version}_repository)
        add_test(NAME ${name} COMMAND ${run} test_repository.py)
        set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "\nOK \\(skipped="
            ENVIRONMENT "${environment};MUSLIN_BLENDER_VERSION=${version};MUSLIN_BUILD=${CMAKE_BINARY_DIR}")
        list(APPEND names ${name})
    endforeach()
    set_tests_properties(${names} PROPERTIES
        TIMEOUT 240 COST 10 LABELS "blender;python" FIXTURES_REQUIRED addon_package FAIL_REGULAR_EXPRESSION "Ran 0 tests")
    set_property(TEST blender_4.3_repository APPEND PROPERTY LABELS long)
endfunction()

function(add_blender_tests folder)
    file(GLOB tests CONFIGURE_DEPENDS ${folder}/test_*.py ${folder}/window_*.py)
    if(NOT MUSLIN_PYTHON OR NOT TARGET muslin OR NOT EXISTS ${folder}/../__init__.py)
        return()
    endif()
    # A library with a sanitizer in it cannot be loaded into a program without.
    if(instrumented)
        return()
    endif()
    add_addon_package()
    foreach(version ${BLENDER_VERSIONS})
        add_tests_in_blender(${version} "${tests}")
    endforeach()
endfunction()

# What was freshly installed is alone in its Blender; windows of one size share one.
function(blender_group out source)
    get_filename_component(name ${source} NAME_WE)
    if(name MATCHES "^test_(feed|mirror|output)_?")
        set(name test_${CMAKE_MATCH_1})
    elseif(name MATCHES "^window_(running|soak)$")
        set(name window_running)
    elseif(name MATCHES "^test_(api|bake|buttons|bytecode|effectors|life|overrides|panel_words|panels|preview|worker)$")
        set(name test_versions)
    elseif(name MATCHES "^(window_first_hour|window_live|test_install)$")
        # alone
    elseif(name MATCHES "^window_")
        set(name window_looks)
    elseif(name MATCHES "^test_(dress|fit_baked|fit_map|grab|live|live_velocity|settle_first|starts|suit|together)$")
        set(name test_worn)
    else()
        set(name test_others)
    endif()
    set(${out} ${name} PARENT_SCOPE)
endfunction()

function(add_tests_in_blender version tests)
    set(environment
        "MUSLIN_BUILD=${CMAKE_BINARY_DIR}"
        "MUSLIN_CACHE=${MUSLIN_DEPS_DIR}"
        "MUSLIN_PYTHON=${MUSLIN_PYTHON}"
        "MUSLIN_BLENDER_HOME=${CMAKE_BINARY_DIR}/blender/tests_${version}"
        "MUSLIN_BLENDER_TIMEOUT=540") # a window ends in words before the test is killed
    set(install blender_${version}_install)
    add_test(NAME ${install} COMMAND ${blender_support}/install_addon ${version} ${CMAKE_BINARY_DIR}/addon)
    set_tests_properties(${install} PROPERTIES FIXTURES_SETUP ${install} FIXTURES_REQUIRED addon_package COST 1000)
    set(names ${install})
    set(groups)
    foreach(source ${tests})
        blender_group(group ${source})
        list(APPEND groups ${group})
        list(APPEND files_${group} ${source})
    endforeach()
    list(REMOVE_DUPLICATES groups)
    foreach(group ${groups})
        set(name blender_${version}_${group})
        add_test(NAME ${name} COMMAND ${blender_support}/test_in_blender ${version} ${files_${group}})
        set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED "addon_package;${install}" COST 100)
        list(APPEND names ${name})
    endforeach()
    set_tests_properties(${names} PROPERTIES
        TIMEOUT 1200 LABELS blender SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
    foreach(group ${groups}) # the longest first
        if(group MATCHES "^(test_worn|test_others|window_looks|window_first_hour)$")
            set_tests_properties(blender_${version}_${group} PROPERTIES COST 200)
        endif()
        if(group IN_LIST LONG_GROUPS OR "${version} ${group}" STREQUAL "4.3 window_running"
                OR (NOT version STREQUAL WHOLLY_TESTED_BLENDER AND NOT group IN_LIST VERSION_GROUPS))
            set_property(TEST blender_${version}_${group} APPEND PROPERTY LABELS long)
        endif()
    endforeach()
endfunction()
