#!/bin/sh
# Builds the guest programs.
#
#   build.sh rv32im [DIR]   for 32-bit RISC-V under Linux system calls; DIR is
#                           models/rv32im/programs if not given
#   build.sh native DIR     for this machine, to compare output with
#   build.sh [DIR]          the same as rv32im; DIR must hold a slash
#
# The ELF files are committed and rebuilding them must change no byte, so the
# output depends on nothing but sources and compiler:
#
#   rv32im   Debian 12: gcc-riscv64-unknown-elf 12.2.0-14+deb12u1+11+b2
#                       binutils-riscv64-unknown-elf 2.40-2+4+b1
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
    echo 'usage: build.sh [rv32im] [DIR] | build.sh native DIR' >&2
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

# rv32 OUTPUT TEXT_START SOURCE...
#
# Objects have names of their own, since an object's name can end up in the
# program's symbol table; the compiler would invent one on every run.
rv32() {
    output=$1
    text_start=$2
    shift 2
    rm -f "$work"/*.o
    for source in "$@"; do
        rv32_compile "$source"
    done
    riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -nostdlib -nostartfiles -static \
        -Wl,--build-id=none -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments \
        -Wl,-z,max-page-size=4096 -Wl,--defsym,TEXT_START="$text_start" \
        -Wl,-T,"$guests/runtime/rv32.ld" -o "$output" "$work"/*.o
    chmod 755 "$output"
    check_data "$output"
}

# The maps keep the places of the repository and of the compiler out of the
# debug information; the assembler needs its own.
rv32_compile() {
    # shellcheck disable=SC2086 # the flags are meant to be split
    riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 $c_flags -g -c \
        -ffreestanding -fno-asynchronous-unwind-tables \
        -ffile-prefix-map="$root"=. -ffile-prefix-map="$rv32_headers"=compiler \
        -Xassembler --debug-prefix-map -Xassembler "$root"=. \
        -o "$work/$(basename "${1%.*}").o" "$1"
}

# Fails if the program's constants and variables exceed the limit.
check_data() {
    bytes=$(riscv64-unknown-elf-size -A "$1" |
        awk '$1 ~ /^\.(data|bss|rodata)$/ { sum += $2 } END { print sum + 0 }')
    [ "$bytes" -le "$data_limit_bytes" ] ||
        fail "$1: $bytes bytes of data, the limit is $data_limit_bytes"
}

build_rv32im() {
    require_compiler riscv64-unknown-elf-gcc gcc-riscv64-unknown-elf
    rv32_headers=$(riscv64-unknown-elf-gcc -print-file-name=include)
    start="$guests/runtime/rv32_linux.S"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$1/faults"

    # shellcheck disable=SC2086
    for name in $programs; do
        rv32 "$1/$name.elf" 0x10000 $start "$guests/$name.c" $shared
    done
    for name in $bare_faults; do
        rv32 "$1/faults/$name.elf" 0x10000 "$guests/faults/$name.S"
    done
    rv32 "$1/faults/baremetal.elf" 0x80000000 "$guests/faults/baremetal.S"
    # shellcheck disable=SC2086
    rv32 "$1/faults/syscalls.elf" 0x10000 $start "$guests/faults/syscalls.c" $shared
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
rv32im | native)
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
