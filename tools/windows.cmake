# Toolchain for Windows on x86-64: Debian's MinGW, with POSIX threads, which end up inside of muslin.dll.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
# Wine, where tools/windows prepare has fetched it; else the tests are skipped by name.
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/windows run)
