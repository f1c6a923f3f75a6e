//! A host of which copies of a machine see a part. They read files, but not standard input. They print nothing and change nothing.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::failure::Failure;
use super::host::{FileFacts, Host, Writing};

/// A host that the machine shares with its copies.
#[derive(Clone)]
pub(crate) struct SharedHost {
    host: Arc<Mutex<Box<dyn Host>>>,
    /// Whether it is that of a copy, which leaves no trace.
    only_reads: bool,
}

impl SharedHost {
    pub(crate) fn new(host: Box<dyn Host>) -> SharedHost {
        SharedHost {
            host: Arc::new(Mutex::new(host)),
            only_reads: false,
        }
    }

    /// The host of a copy.
    pub(crate) fn of_copy(&self) -> SharedHost {
        SharedHost {
            only_reads: true,
            ..self.clone()
        }
    }

    fn host(&self) -> MutexGuard<'_, Box<dyn Host>> {
        self.host.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the host do what a copy must not do.
    fn change<T>(&self, act: impl FnOnce(&mut dyn Host) -> io::Result<T>) -> io::Result<T> {
        match self.only_reads {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => act(&mut **self.host()),
        }
    }

    /// Lets the host print, unless it is that of a copy.
    fn print(&self, act: impl FnOnce(&mut dyn Host) -> io::Result<()>) -> io::Result<()> {
        match self.only_reads {
            true => Ok(()),
            false => act(&mut **self.host()),
        }
    }
}

impl Host for SharedHost {
    fn write_out(&mut self, text: &str) -> io::Result<()> {
        self.print(|host| host.write_out(text))
    }

    fn write_error(&mut self, text: &str) -> io::Result<()> {
        self.print(|host| host.write_error(text))
    }

    fn write_failure(&mut self, failure: &Failure) -> io::Result<()> {
        self.print(|host| host.write_failure(failure))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.print(|host| host.flush())
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        self.change(|host| host.read_line())
    }

    fn read_to_end(&mut self) -> io::Result<String> {
        self.change(|host| host.read_to_end())
    }

    fn read_file(&mut self, path: &str) -> io::Result<Vec<u8>> {
        self.host().read_file(path)
    }

    fn file_facts(&mut self, path: &str) -> io::Result<FileFacts> {
        self.host().file_facts(path)
    }

    fn file_modified(&mut self, path: &str) -> io::Result<i64> {
        self.host().file_modified(path)
    }

    fn file_names(&mut self, path: &str) -> io::Result<Vec<String>> {
        self.host().file_names(path)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], writing: Writing) -> io::Result<()> {
        self.change(|host| host.write_file(path, bytes, writing))
    }

    fn create_directory(&mut self, path: &str) -> io::Result<()> {
        self.change(|host| host.create_directory(path))
    }

    fn delete_file(&mut self, path: &str) -> io::Result<()> {
        self.change(|host| host.delete_file(path))
    }

    fn rename_file(&mut self, old: &str, new: &str) -> io::Result<()> {
        self.change(|host| host.rename_file(old, new))
    }

    fn working_directory(&mut self) -> io::Result<String> {
        self.host().working_directory()
    }

    fn environment(&mut self, name: &str) -> io::Result<Option<String>> {
        self.host().environment(name)
    }

    fn environment_names(&mut self) -> io::Result<Vec<String>> {
        self.host().environment_names()
    }

    fn milliseconds(&mut self) -> u64 {
        self.host().milliseconds()
    }

    fn sleep(&mut self, milliseconds: u64) {
        if !self.only_reads {
            self.host().sleep(milliseconds);
        }
    }

    fn microseconds(&mut self) -> u64 {
        self.host().microseconds()
    }

    fn calendar_microseconds(&mut self) -> u64 {
        self.host().calendar_microseconds()
    }
}
