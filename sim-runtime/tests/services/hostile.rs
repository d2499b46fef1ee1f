//! System calls with arguments that no program would pass: whatever happens, the host goes on.

use sim_runtime::host::{LinuxResult, RootDirectory};

use crate::fake::{BIG32, BIG64, Caller, LITTLE32, LITTLE64, MEMORY, MEMORY_SIZE, NOWHERE};

const NUMBERS: [u64; 15] = [56, 57, 62, 63, 64, 65, 66, 80, 113, 214, 278, 403, 93, 94, 9999];

/// Values at the edges of everything: memory, words, signs, descriptors.
const EDGES: [u64; 24] = [
    0,
    1,
    2,
    3,
    4,
    7,
    16,
    1023,
    1024,
    MEMORY - 1,
    MEMORY,
    MEMORY + 1,
    MEMORY + 0x100,
    MEMORY + MEMORY_SIZE as u64 - 1,
    MEMORY + MEMORY_SIZE as u64,
    NOWHERE,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ff9c,
    0xffff_ffff,
    0x1_0000_0000,
    1 << 63,
    u64::MAX - 99,
    u64::MAX,
];

/// A xorshift generator: the same calls in every run of the test.
struct Choices(u64);

impl Choices {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn pick(&mut self, values: &[u64]) -> u64 {
        values[usize::try_from(self.next() % values.len() as u64).expect("an index")]
    }
}

#[test]
fn no_arguments_of_a_system_call_harm_the_host() {
    for abi in [LITTLE32, LITTLE64, BIG32, BIG64] {
        let root = tempfile::tempdir().expect("a temporary folder");
        let mut guest = Caller::new(abi, &[b'i'; 10_000]);
        let directory = RootDirectory::open(root.path()).expect("it is there");
        guest.host = std::mem::take(&mut guest.host).with_root(directory);
        guest.host.set_heap(MEMORY, MEMORY + 0x1000);
        let mut choices = Choices(0x9e37_79b9_7f4a_7c15);
        for _ in 0..5_000 {
            // Names, vectors and plain noise to point to.
            let noise = choices.next().to_le_bytes();
            guest.put(MEMORY + 0x100, &noise);
            guest.put_words(MEMORY, &[MEMORY + 0x100, noise[0].into(), MEMORY, 3]);
            let arguments = [(); 6].map(|()| choices.pick(&EDGES));
            let number = choices.pick(&NUMBERS);
            if let LinuxResult::Return(value) = guest.result(number, &arguments) {
                assert!(value >= -4095, "call {number} with {arguments:x?} gave {value}");
            }
        }
    }
}
