# What the program `rivals` measures itself against besides CHOLMOD's simplicial solve, where this machine has it:
# CHOLMOD's supernodal solve needs a BLAS and a LAPACK, Eigen's a C++ compiler and its headers.
# None of it gets into the library.

find_library(MUSLIN_BENCH_BLAS NAMES openblas blas DOC "BLAS of the bench program rivals")
find_library(MUSLIN_BENCH_LAPACK NAMES openblas lapack DOC "LAPACK of the bench program rivals")
find_path(MUSLIN_BENCH_EIGEN Eigen/SparseCholesky PATH_SUFFIXES eigen3 DOC "Eigen of the bench program rivals")

if(MUSLIN_BENCH_BLAS AND MUSLIN_BENCH_LAPACK)
    set(modules)
    foreach(module Core Cholesky Supernodal)
        file(GLOB sources ${MUSLIN_DEPS_DIR}/suitesparse/CHOLMOD/${module}/cholmod_*.c)
        list(APPEND modules ${sources})
    endforeach()
    # Objects, which come before the library's own CHOLMOD, so that the program has this one only.
    add_library(bench_cholmod OBJECT ${modules})
    target_include_directories(bench_cholmod PRIVATE
        $<TARGET_PROPERTY:muslin_suitesparse,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(bench_cholmod PRIVATE NDEBUG NPRINT NPARTITION NCAMD NCHECK NMATRIXOPS)
    # As in native/third_party, so that the opponent is as fast as it can be.
    target_compile_options(bench_cholmod PRIVATE -w ${third_party_level} -ffp-contract=fast -fno-sanitize=undefined)
    target_sources(rivals PRIVATE $<TARGET_OBJECTS:bench_cholmod>)
    target_link_libraries(rivals PRIVATE ${MUSLIN_BENCH_LAPACK} ${MUSLIN_BENCH_BLAS})
    file(REAL_PATH ${MUSLIN_BENCH_BLAS} blas) # which one it is in truth: a name as plain as libblas.so is a link
    target_compile_definitions(rivals PRIVATE BENCH_BLAS="${blas}")
endif()

if(MUSLIN_BENCH_EIGEN)
    include(CheckLanguage)
    check_language(CXX)
    if(CMAKE_CXX_COMPILER)
        enable_language(CXX)
        add_library(bench_eigen OBJECT ${native}/bench/eigen/eigen_opponent.cpp)
        target_include_directories(bench_eigen PRIVATE ${native}/bench)
        target_include_directories(bench_eigen SYSTEM PRIVATE ${MUSLIN_BENCH_EIGEN})
        target_compile_features(bench_eigen PRIVATE cxx_std_14)
        # Options meant for C would be refused; the opponent is as fast as it can be.
        set_target_properties(bench_eigen PROPERTIES COMPILE_OPTIONS "-O3;-DNDEBUG;-Wall;-Wextra;-Werror")
        target_sources(rivals PRIVATE $<TARGET_OBJECTS:bench_eigen>)
        target_compile_definitions(rivals PRIVATE BENCH_EIGEN)
        target_link_libraries(rivals PRIVATE stdc++)
    endif()
endif()
