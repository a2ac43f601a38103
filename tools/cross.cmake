# Toolchain for the other of the two machines that Muslin ships for: x86-64 on aarch64, and the other way round. Its tests
# run in an emulator.
set(CMAKE_SYSTEM_NAME Linux)
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(CMAKE_SYSTEM_PROCESSOR aarch64)
else()
    set(CMAKE_SYSTEM_PROCESSOR x86_64)
endif()
set(triple ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc)
# With all instructions that it knows, AVX2 among them.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR}-static -cpu max -L /usr/${triple})
