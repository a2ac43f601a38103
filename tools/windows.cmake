# Toolchain for Windows on x86-64: Debian's MinGW, with POSIX threads, which end up inside of muslin.dll.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
