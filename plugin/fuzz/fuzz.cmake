# The fuzz targets, with the library's own sources in them: with libFuzzer in the kind Fuzz, which tools/fuzz builds and
# runs; in every other kind tests of some seeds and of the corpus.

set(fuzz_folder ${CMAKE_CURRENT_LIST_DIR})
set(fuzz_targets abi snapshot)
# Seeds of the tests in a release build: a second or two each.
set(fuzz_seeds_abi 3000)
set(fuzz_seeds_snapshot 30000)

add_library(muslin_fuzzed STATIC ${plugin_sources} ${generated}/private/settings_table.c ${fuzz_folder}/odd_mesh.c)
add_dependencies(muslin_fuzzed muslin_settings)
target_include_directories(muslin_fuzzed PUBLIC
    ${fuzz_folder} ${plugin}/include ${plugin}/src ${generated}/include ${generated}/private)
target_link_libraries(muslin_fuzzed PUBLIC muslin_native)

foreach(name ${fuzz_targets})
    add_executable(fuzz_${name} ${fuzz_folder}/fuzz_${name}.c)
    set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(fuzz_${name} PRIVATE muslin_fuzzed)
    if(kind STREQUAL "FUZZ")
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        continue()
    endif()
    target_sources(fuzz_${name} PRIVATE ${fuzz_folder}/seeds.c)
    math(EXPR seeds "${fuzz_seeds_${name}} / ${slowness}")
    file(GLOB corpus CONFIGURE_DEPENDS ${fuzz_folder}/corpus/${name}/*)
    add_test(NAME fuzz_${name} COMMAND fuzz_${name} 0 ${seeds} ${corpus})
    set_tests_properties(fuzz_${name} PROPERTIES LABELS "c;short")
endforeach()
add_custom_target(fuzz_programs)
list(TRANSFORM fuzz_targets PREPEND fuzz_)
add_dependencies(fuzz_programs ${fuzz_targets})
