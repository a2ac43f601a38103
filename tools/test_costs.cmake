# set_test_costs(): which tests take long. ctest starts these first, so that no core waits for the last one, and
# tools/test --quick leaves them out: it runs the label `quick`, which is every other test that needs no Blender. All in C
# and in Python but those of packages, which have a library of their own, of a real Slurm, and the longest of those that ask
# for numbers alone have the label `sanitized`: what the
# continuous integration runs with the address and undefined-behaviour sanitizers, and those in C with that of leaks.

# Seconds of one core, roughly: whatever takes four or more.
set(SLOW_TESTS
    "test_fit_fabric.py 63" "test_physics_friction.py 55" "test_physics_buckling.py 30" "test_physics_flags.py 25"
    "test_physics_folds.py 8" "test_physics_slides.py 4" "test_physics_groups.py 18" "test_physics_lively.py 29"
    "test_slurm.py 25" "test_physics_contact_strikes.py 20" "test_meshes.py 18" "test_physics_trapped.py 18" "test_batch.py 17"
    "test_fit.py 15" "test_inspection.py 15" "test_physics_stability.py 15" "test_half 14"
    "test_physics_contact.py 14" "test_step 14" "test_garbage.py 14" "test_physics_contact_methods.py 13" "test_impact 12"
    "test_physics_contact_bad.py 12" "test_settle.py 12" "test_live.py 11" "test_contact_scenes.py 10"
    "test_physics_contact_layers.py 10" "test_truth.py 10" "test_live 9" "test_parts.py 9" "test_physics_calm.py 9"
    "test_physics_sweep.py 9" "test_memory 9" "test_determinism.py 20" "test_contact_scale 8" "test_current_folder.py 11" "test_kills_command.py 10" "test_farm_document.py 8"
    "test_intersections.py 8" "test_physics_invariance.py 8" "test_quality.py 8" "test_reports.py 8" "test_state.py 8"
    "test_contact_figures.py 7" "test_halves_plackets 6" "test_simulation_contact 6" "test_bodies.py 5" "test_crash_safety.py 5" "test_sealed.py 4"
    "test_grab.py 5" "test_layers.py 5" "test_pressure.py 5" "test_settle 5" "test_upsampling_command.py 5"
    "test_batch_farms.py 4" "test_untrusted.py 4" "test_half_threads 4" "test_membrane.py 4" "test_mirrored.py 4" "test_momentum 4"
    "test_landing 7" "test_self_contact 4" "test_sweep 4" "test_cancel 6")

function(set_test_costs)
    # These go through no code that shorter ones do not.
    set(numbers "^test_(slurm|fit_fabric|physics_(buckling|flags|friction|lively))[.]py$")
    get_property(tests DIRECTORY PROPERTY TESTS)
    foreach(name ${tests})
        get_test_property(${name} LABELS labels)
        if(labels MATCHES "^(c|python)(;|$)" AND NOT name MATCHES "${numbers}")
            set_property(TEST ${name} APPEND PROPERTY LABELS sanitized)
        endif()
    endforeach()
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
        elseif(name MATCHES "^blender_.*_(window_looks|test_others|window_first_hour)$")
            set_tests_properties(${name} PROPERTIES COST 200) # those of one Blender wait for each other, the longest first
        elseif(name MATCHES "^blender_")
            set_tests_properties(${name} PROPERTIES COST 100)
        elseif(name STREQUAL lint)
            set_tests_properties(${name} PROPERTIES COST 80 LABELS quick)
        elseif(NOT name MATCHES "^test_(package|wheel|release).py$|^kind_")
            set_property(TEST ${name} APPEND PROPERTY LABELS quick)
        endif()
    endforeach()
endfunction()
