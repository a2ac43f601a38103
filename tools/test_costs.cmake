# set_test_costs(): which tests take long. ctest starts these first, so that no core waits for the last one, and
# tools/test --quick leaves them out: it runs the label `quick`, which is every other test that needs no Blender.

# Seconds of one core, roughly: whatever takes four or more.
set(SLOW_TESTS
    "test_physics_friction.py 45" "test_physics_air.py 8" "test_truth.py 12" "test_momentum 8" "test_physics_carried.py 5"
    "test_fit.py 15" "test_physics_lively.py 21" "test_meshes.py 18" "test_physics_contact.py 18"
    "test_physics_contact_strikes.py 17" "test_physics_contact_layers.py 16" "test_physics_contact_methods.py 13" "test_step 13" "test_physics_stability.py 12"
    "test_contact_scenes.py 9" "test_impact 9" "test_physics_contact_bad.py 9" "test_physics_calm.py 8"
    "test_contact_figures.py 7" "test_current_folder.py 7" "test_mirrored.py 7" "test_bodies.py 6"
    "test_physics_invariance.py 6" "test_quality.py 6" "test_reports.py 6" "test_state.py 5"
    "test_half 4" "test_intersections.py 4" "test_simulation_contact 4" "test_inspection.py 15" "test_physics_trapped.py 12" "test_fit_fabric.py 13" "test_membrane.py 5" "test_upsampling.py 4"
    "test_slurm.py 25" "test_batch.py 17" "test_farm_document.py 8" "test_batch_farms.py 4")

function(set_test_costs)
    get_property(tests DIRECTORY PROPERTY TESTS)
    foreach(entry ${SLOW_TESTS})
        string(REPLACE " " ";" entry ${entry})
        list(GET entry 0 name)
        list(GET entry 1 cost)
        if(name IN_LIST tests)
            set_tests_properties(${name} PROPERTIES COST ${cost})
            list(REMOVE_ITEM tests ${name})
        elseif(MUSLIN_PYTHON)
            message(FATAL_ERROR "tools/test_costs.cmake: there is no test ${name}")
        endif()
    endforeach()
    foreach(name ${tests})
        if(name MATCHES "^addon_package$|^blender_.*_install$")
            set_tests_properties(${name} PROPERTIES COST 1000) # others wait for them
        elseif(name MATCHES "^blender_")
            set_tests_properties(${name} PROPERTIES COST 100) # those of one Blender wait for each other
        elseif(name STREQUAL lint)
            set_tests_properties(${name} PROPERTIES COST 30 LABELS quick)
        elseif(NOT name MATCHES "^test_(package|wheel|release).py$|^kind_")
            set_property(TEST ${name} APPEND PROPERTY LABELS quick)
        endif()
    endforeach()
endfunction()
