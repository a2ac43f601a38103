# set_test_levels(): when each test runs, from one table. What a test is not named for, it is not: it takes about a second, and
# runs in all of these but, in Python, the third.
#   tools/test --quick     `quick`: less than two seconds, and no Blender
#   tools/test             all but `long`, and all but the cases with long_test (test_scenes/levels.py); the continuous
#                          integration runs these, too
#   with sanitizers        `hostile`, in the continuous integration: bad input, memory that is not there, files of strangers,
#                          kills; every short test in C is one, too. `sanitized`, in tools/test --all: all in C and Python but
#                          those of packages, which have a library of their own, and those named `numbers`
#   tools/test --all       everything
#
# A line is: name, seconds of one core in a release without long cases, words. Tests that take longer begin earlier, so that
# no core waits for the last one. A test is ended after ten times its seconds and 70 s, more in slower kinds.
#   long      asks for numbers of physics that take long, or asks in full what another test asks of an example
#   hostile   see above
#   threads   has several of them at work most of its time, and so takes the places of two tests
#   numbers   goes through no code that shorter ones do not: never with sanitizers
set(TEST_LEVELS
    "test_fit_fabric.py 90 long numbers" "test_physics_friction.py 70 long numbers"
    "test_physics_contact_strikes.py 60 long" "test_physics_flags.py 50 long numbers"
    "test_physics_buckling.py 40 long numbers" "test_physics_motion.py 40 long numbers"
    "test_physics_trapped.py 40 long" "test_batch.py 20" "test_determinism.py 30 threads" "test_kills_command.py 28 long"
    "test_bodies.py 8" "test_physics_contact_methods.py 25 long" "test_physics_stability.py 25 long"
    "lint_slow 60" "test_slurm.py 12 numbers" "test_step 23 threads" "test_memory 17 hostile" "test_inspection.py 15"
    "test_physics_contact_bad.py 8" "test_garbage.py 15 hostile" "test_half 14" "test_current_folder.py 14"
    "test_impact 13" "test_half_threads 13 long" "test_meshes.py 5" "test_contact_scenes.py 12 long" "test_levels.py 12"
    "test_thickness_map.py 12"
    "test_physics_folds.py 12 long" "test_physics_contact.py 11" "test_state.py 6 hostile"
    "test_mirror_command.py 11" "test_fit.py 10" "test_settle.py 10" "test_truth.py 3" "test_quality.py 10"
    "test_upsampling_command.py 10" "test_membrane.py 5" "test_plackets.py 5" "test_grab.py 4"
    "test_bodies_command.py 9" "test_contact_scale 9 long" "test_parts.py 4" "test_reports.py 9"
    "test_physics_groups.py 9 long" "test_recording.py 9 hostile" "test_physics_contact_layers.py 8"
    "test_farm_document.py 8" "test_physics_sweep.py 8 long" "test_levels 8" "test_cancel 8 hostile"
    "test_intersections.py 8" "test_simulation_contact 8 hostile" "test_physics_calm.py 3" "test_cache_judge.py 3"
    "test_physics_invariance.py 7 long" "test_contact_figures.py 7 long" "test_halves_plackets 7"
    "test_fold_memory.py 6" "test_physics_slides.py 6" "test_pressure.py 6" "test_sweep 6 hostile" "test_tension.py 6"
    "test_parallel 6 hostile threads" "test_bad_bodies.py 5 hostile" "test_settle 5" "test_command.py 5"
    "test_crash_safety.py 5 hostile" "test_work_limit 5 hostile" "test_folds 5" "test_interruption.py 5 hostile"
    "test_replay_bad.py 5 hostile" "fuzz_abi 4 hostile" "fuzz_snapshot 4 hostile" "test_bad_command.py 4 hostile"
    "test_batch_blender.py 4" "test_batch_farms.py 4" "test_bodies_snapshot.py 4 hostile" "test_landing 4"
    "test_law 4 hostile" "test_mirrored.py 4" "test_sealed.py 4 hostile" "test_self_contact 4 hostile"
    "test_untrusted.py 4 hostile" "test_physics_swing.py 4 long" "test_mirror_halve.py 4" "test_measured_bending.py 4"
    "test_sizes.py 4" "test_momentum 3" "test_fit_report.py 3" "test_layers.py 3" "test_edited.py 1 hostile"
    "test_step_warnings.py 1 hostile" "test_mirror_other_side.py 3" "test_thread_cloth.py 3" "test_house.py 3"
    "test_batch_job.py 3" "test_charts.py 3" "test_speed.py 3" "test_mirror_bodies.py 3" "test_picture.py 3"
    "test_chart.py 3" "test_thread_solver 2" "test_curvature 2 hostile"
    "test_documents.py 2" "test_fabrics_bending.py 2" "test_fronts.py 2" "test_install.py 2" "test_intersections_command.py 2"
    "test_mirror_likeness.py 2" "test_physics_carried.py 2" "test_physics_convergence.py 2" "test_sewing.py 2"
    "test_mirror_refusals.py 1 hostile"
    "test_special_files.py 1 hostile" "test_bad_calls.py 1 hostile" "test_bad_input.py 1 hostile"
    "test_busy.py 1 hostile" "test_details.py 1 hostile" "test_details_calls.py 1 hostile"
    "test_fuzz_readers.py 1 hostile" "test_obj.py 1 hostile" "test_pc2.py 1 hostile" "test_poles.py 1 hostile"
    "test_unload.py 1 hostile")

function(set_test_levels)
    get_property(tests DIRECTORY PROPERTY TESTS)
    foreach(line ${TEST_LEVELS})
        separate_arguments(words UNIX_COMMAND "${line}")
        list(POP_FRONT words name seconds)
        if(name IN_LIST tests)
            set(seconds_${name} ${seconds})
            set(words_${name} ${words})
        elseif(MUSLIN_PYTHON AND NOT CMAKE_CROSSCOMPILING AND NOT kind STREQUAL "FUZZ")
            message(FATAL_ERROR "tools/test_levels.cmake: there is no test ${name}")
        endif()
    endforeach()
    foreach(name ${tests})
        get_test_property(${name} LABELS labels)
        if(labels MATCHES "kinds|blender")
            continue()
        endif()
        set(seconds 1)
        set(words)
        if(DEFINED seconds_${name})
            set(seconds ${seconds_${name}})
            set(words ${words_${name}})
        elseif("c" IN_LIST labels)
            set(words hostile)
        endif()
        if(seconds LESS 2)
            list(APPEND words quick)
            if(TARGET ${name})
                add_dependencies(quick_tests ${name})
            endif()
        endif()
        if(labels MATCHES "^(c|python)(;|$)" AND NOT "numbers" IN_LIST words)
            list(APPEND words sanitized)
        endif()
        set_property(TEST ${name} APPEND PROPERTY LABELS ${words})
        if("threads" IN_LIST words)
            set_tests_properties(${name} PROPERTIES PROCESSORS 2)
        endif()
        math(EXPR timeout "(70 + 10 * ${seconds}) * ${slowness}")
        set_tests_properties(${name} PROPERTIES COST ${seconds} TIMEOUT ${timeout})
    endforeach()
    if(TEST lint)
        set_tests_properties(lint PROPERTIES COST 20 TIMEOUT 600) # quick all the same, and the longest of these
    endif()
endfunction()
