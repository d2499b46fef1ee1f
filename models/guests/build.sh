#!/bin/sh
# Builds the guest programs.
#
#   build.sh TARGET [DIR]   for a model, rv32im, rv32imc, rv64imac, mips32
#                           or armv6m, under Linux system calls; DIR is
#                           models/TARGET/programs if not given
#   build.sh avr [DIR]      for an ATmega1284P
#   build.sh native DIR     for this machine, to compare output with
#   build.sh [DIR]          the same as rv32im; DIR must hold a slash
#
# The ELF files are committed and rebuilding them must change no byte, so the
# output depends on nothing but sources and compiler:
#
#   rv...    Debian 12: gcc-riscv64-unknown-elf 12.2.0-14+deb12u1+11+b2
#                       binutils-riscv64-unknown-elf 2.40-2+4+b1
#   mips32   Debian 12: gcc-mips-linux-gnu 12.2.0 (gcc-12-mips-linux-gnu
#                       12.2.0-14cross5), binutils-mips-linux-gnu 2.40-2cross2
#   avr      Debian 12: gcc-avr 1:5.4.0+Atmel3.6.2-3
#                       binutils-avr 2.26.20160125+Atmel3.6.2-4
#                       avr-libc 1:2.0.0+Atmel3.6.2-3
#   armv6m   Debian 12: gcc-arm-none-eabi 15:12.2.rel1-1 (gcc 12.2.1), its
#                       libgcc, binutils-arm-none-eabi 2.40-2+18+b1
#   native   Debian 12: gcc, libc6-dev
set -eu
LC_ALL=C
export LC_ALL

# Sources are named from the repository's root, in the debug information too.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
guests=models/guests

programs='crc32 bytecode sha256 sorting matrix csv'
bare_faults='illegal unmapped_read unmapped_write unmapped_fetch endless
             selfmodify selfmodify_fence echo'
shared="$guests/runtime/repeat.c $guests/runtime/print.c"
data_limit_bytes=4096

# Loops stay loops: there is no C library whose memset could stand for them.
c_flags="-std=c99 -O2 -Wall -Wextra -Wconversion -Werror -I$guests/runtime
         -fno-builtin -fno-tree-loop-distribute-patterns"

fail() {
    echo "build.sh: $1" >&2
    exit 1
}

usage() {
    echo 'usage: build.sh [rv32im | rv32imc | rv64imac | mips32 | avr | armv6m] [DIR] | build.sh native DIR' >&2
    exit 2
}

# Prints the absolute path of a folder, made if missing.
folder() {
    mkdir -p -- "$1"
    CDPATH='' cd -- "$1" && pwd
}

require_compiler() {
    command -v "$1" >/dev/null || fail "$1 not found: install the Debian package $2"
}

# link OUTPUT TEXT_START SOURCE... for a machine that `use_machine` has named.
#
# Objects have names of their own, since an object's name can end up in the
# program's symbol table; the compiler would invent one on every run.
link() {
    output=$1
    text_start=$2
    shift 2
    rm -f "$work"/*.o
    for source in "$@"; do
        compile "$source"
    done
    # shellcheck disable=SC2086 # the flags are meant to be split
    "$tools-gcc" $machine_flags -nostdlib -nostartfiles -static \
        -Wl,--build-id=none -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments \
        -Wl,-z,max-page-size=4096 -Wl,--defsym,TEXT_START="$text_start" \
        -Wl,-T,"$script" -o "$output" "$work"/*.o $libraries
    chmod 755 "$output"
    check_data "$tools-size" "$output"
}

# The maps keep the places of the repository and of the compiler out of the
# debug information; the assembler needs its own.
compile() {
    # shellcheck disable=SC2086 # the flags are meant to be split
    "$tools-gcc" $machine_flags $c_flags -g -c \
        -ffreestanding -fno-asynchronous-unwind-tables \
        -ffile-prefix-map="$root"=. -ffile-prefix-map="$headers"=compiler \
        -Xassembler --debug-prefix-map -Xassembler "$root"=. \
        -o "$work/$(basename "${1%.*}").o" "$1"
}

# check_data SIZE PROGRAM: fails if the program's constants and variables
# exceed the limit.
check_data() {
    bytes=$("$1" -A "$2" |
        awk '$1 ~ /^\.(data|bss|rodata)$/ { sum += $2 } END { print sum + 0 }')
    [ "$bytes" -le "$data_limit_bytes" ] ||
        fail "$2: $bytes bytes of data, the limit is $data_limit_bytes"
}

# use_machine TOOLS PACKAGE NAME FLAGS: the compiler, and what it is to make; start
# code and memory layout are NAME_linux.S and NAME.ld.
use_machine() {
    require_compiler "$1-gcc" "$2"
    tools=$1
    start="$guests/runtime/$3_linux.S"
    script="$guests/runtime/$3.ld"
    machine_flags=$4
    libraries=
    headers=$("$tools-gcc" -print-file-name=include)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
}

# build_guests FOLDER TEXT_START: the guests that every model runs.
build_guests() {
    # shellcheck disable=SC2086
    for name in $programs; do
        link "$1/$name.elf" "$2" $start "$guests/$name.c" $shared
    done
}

build_riscv() {
    use_machine riscv64-unknown-elf gcc-riscv64-unknown-elf riscv "$2"
    build_guests "$1" 0x10000
}

build_rv32im() {
    build_riscv "$1" '-march=rv32im -mabi=ilp32'
    mkdir -p "$1/faults"
    for name in $bare_faults; do
        link "$1/faults/$name.elf" 0x10000 "$guests/faults/$name.S"
    done
    link "$1/faults/baremetal.elf" 0x80000000 "$guests/faults/baremetal.S"
    # shellcheck disable=SC2086
    link "$1/faults/syscalls.elf" 0x10000 $start "$guests/faults/syscalls.c" $shared
}

build_rv32imc() {
    build_riscv "$1" '-march=rv32imc -mabi=ilp32'
}

build_rv64imac() {
    build_riscv "$1" '-march=rv64imac -mabi=lp64'
}

build_mips32() {
    use_machine mips-linux-gnu gcc-mips-linux-gnu mips \
        '-EB -march=mips32r2 -mabi=32 -msoft-float -mno-abicalls -fno-pic -G0'
    build_guests "$1" 0x400000
}

# With avr-libc's start code and libgcc's arithmetic, and without its library.
build_avr() {
    require_compiler avr-gcc gcc-avr
    avr_headers=$(avr-gcc -print-file-name=include)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for name in $programs; do
        rm -f "$work"/*.o
        for source in "$guests/runtime/avr.c" "$guests/$name.c" $shared; do
            # shellcheck disable=SC2086 # the flags are meant to be split
            avr-gcc -mmcu=atmega1284p $c_flags -gdwarf-4 -gno-record-gcc-switches -c -ffreestanding \
                -fdebug-prefix-map="$root"=. -fdebug-prefix-map="$avr_headers"=compiler \
                -o "$work/$(basename "${source%.*}").o" "$source"
        done
        avr-gcc -mmcu=atmega1284p -nodefaultlibs -Wl,--fatal-warnings -Wl,--wrap=guest_repeat \
            -o "$1/$name.elf" "$work"/*.o -lgcc
        chmod 755 "$1/$name.elf"
        check_data avr-size "$1/$name.elf"
    done
}

# There is no instruction that divides.
build_armv6m() {
    use_machine arm-none-eabi gcc-arm-none-eabi thumb '-mcpu=cortex-m0 -mthumb'
    libraries=-lgcc
    build_guests "$1" 0x10000
}

build_native() {
    require_compiler gcc gcc
    for name in $programs; do
        # shellcheck disable=SC2086
        gcc $c_flags -o "$1/$name" "$guests/runtime/native.c" "$guests/$name.c" $shared
    done
}

target=rv32im
case ${1-} in
rv32im | rv32imc | rv64imac | mips32 | avr | armv6m | native)
    target=$1
    shift
    ;;
*/* | '') ;;
*) usage ;;
esac
[ $# -le 1 ] || usage
[ "$target" != native ] || [ $# -eq 1 ] || usage

output_folder=$(folder "${1:-$root/models/$target/programs}")
cd "$root"
"build_$target" "$output_folder"
