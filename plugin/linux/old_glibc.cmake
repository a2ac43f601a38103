# use_old_glibc(TARGET): the shared library asks for no glibc newer than 2.28, whichever it is linked with; old_glibc.c
# says how. Not for libraries with instruments in them, which stay on the machine that built them.
include(CheckSymbolExists)
check_symbol_exists(__GLIBC__ features.h MUSLIN_HAS_GLIBC)
set(old_glibc_source ${CMAKE_CURRENT_LIST_DIR}/old_glibc.c)

function(use_old_glibc target)
    if(NOT MUSLIN_HAS_GLIBC OR instrumented OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
        return()
    endif()
    target_sources(${target} PRIVATE ${old_glibc_source})
    foreach(name exp log pow pthread_create pthread_join pthread_once pthread_key_create pthread_key_delete
            pthread_setspecific)
        target_link_options(${target} PRIVATE -Wl,--wrap=${name})
    endforeach()
    # Up to 2.33 threads are in a library of their own, which is still there, empty, in newer ones.
    target_link_libraries(${target} PRIVATE -Wl,--push-state,--no-as-needed -l:libpthread.so.0 -Wl,--pop-state)
endfunction()
