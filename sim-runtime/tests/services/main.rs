//! Loader, host services and launcher, on a machine and an engine that only pretend.

mod convention;
mod elf_file;
mod fake;
mod heap_and_clock;
mod hostile;
mod image;
mod launch;
mod launch_files;
mod launch_snapshots;
mod launch_start;
mod linux_file;
mod linux_transfer;
mod load;
mod record;
mod record_file;
mod root;
mod semihost;
mod stack;
