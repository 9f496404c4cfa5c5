//! Hands the system calls to wasmtime under the names and types of preview1.

use wasmtime::{Caller, Extern, Linker};

use super::descriptors::{
    fd_advise, fd_close, fd_datasync, fd_fdstat_get, fd_fdstat_set_flags, fd_filestat_get,
    fd_filestat_set_size, fd_filestat_set_times, fd_pread, fd_prestat_dir_name, fd_prestat_get,
    fd_pwrite, fd_read, fd_readdir, fd_seek, fd_sync, fd_tell, fd_write,
};
use super::memory::GuestMemory;
use super::paths::{
    path_create_directory, path_filestat_get, path_filestat_set_times, path_link, path_open,
    path_readlink, path_remove_directory, path_rename, path_symlink, path_unlink_file,
};
use super::poll::poll_oneoff;
use super::process::{
    args_get, args_sizes_get, clock_res_get, clock_time_get, environ_get, environ_sizes_get,
    random_get, sched_yield, sock_accept, sock_recv, sock_send, sock_shutdown,
};
use super::{Answer, Exit, Failure, Wasi, WasiView};

const MODULE: &str = "wasi_snapshot_preview1";

/// Links functions whose first two parameters are the [`Wasi`] and the guest's
/// memory; those the guest passes follow with their types.
macro_rules! link {
    ($linker:ident, $($name:ident($($parameter:ident: $type:ty),*);)*) => {
        $($linker.func_wrap(MODULE, stringify!($name), |mut caller: Caller<'_, T>, $($parameter: $type),*| {
            enter(&mut caller, |wasi, memory| $name(wasi, memory, $($parameter),*))
        })?;)*
    };
}

/// Gives a guest its system calls.
pub(crate) fn add_to_linker<T: WasiView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    link_descriptors(linker)?;
    link_paths(linker)?;
    link_process(linker)
}

fn link_descriptors<T: WasiView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    link! { linker,
        fd_advise(fd: u32, offset: u64, length: u64, advice: u32);
        fd_close(fd: u32);
        fd_datasync(fd: u32);
        fd_fdstat_get(fd: u32, out: u32);
        fd_fdstat_set_flags(fd: u32, flags: u32);
        fd_filestat_get(fd: u32, out: u32);
        fd_filestat_set_size(fd: u32, size: u64);
        fd_filestat_set_times(fd: u32, accessed: u64, modified: u64, flags: u32);
        fd_pread(fd: u32, pieces: u32, count: u32, offset: u64, out: u32);
        fd_prestat_dir_name(fd: u32, address: u32, length: u32);
        fd_prestat_get(fd: u32, out: u32);
        fd_pwrite(fd: u32, pieces: u32, count: u32, offset: u64, out: u32);
        fd_read(fd: u32, pieces: u32, count: u32, out: u32);
        fd_readdir(fd: u32, address: u32, length: u32, cookie: u64, out: u32);
        fd_seek(fd: u32, delta: i64, whence: u32, out: u32);
        fd_sync(fd: u32);
        fd_tell(fd: u32, out: u32);
        fd_write(fd: u32, pieces: u32, count: u32, out: u32);
    }
    Ok(())
}

fn link_paths<T: WasiView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    link! { linker,
        path_create_directory(fd: u32, path: u32, length: u32);
        path_filestat_get(fd: u32, follow: u32, path: u32, length: u32, out: u32);
        path_filestat_set_times(
            fd: u32, follow: u32, path: u32, length: u32, accessed: u64, modified: u64, flags: u32
        );
        path_link(fd: u32, follow: u32, path: u32, length: u32, new_fd: u32, new_path: u32, new_length: u32);
        path_open(
            fd: u32, follow: u32, path: u32, length: u32, open_flags: u32, rights: u64, inheriting: u64, flags: u32,
            out: u32
        );
        path_readlink(fd: u32, path: u32, length: u32, buffer: u32, room: u32, out: u32);
        path_remove_directory(fd: u32, path: u32, length: u32);
        path_rename(fd: u32, path: u32, length: u32, new_fd: u32, new_path: u32, new_length: u32);
        path_symlink(old_path: u32, old_length: u32, fd: u32, new_path: u32, new_length: u32);
        path_unlink_file(fd: u32, path: u32, length: u32);
    }
    Ok(())
}

fn link_process<T: WasiView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    link! { linker,
        args_get(pointers: u32, text: u32);
        args_sizes_get(count: u32, size: u32);
        clock_res_get(id: u32, out: u32);
        clock_time_get(id: u32, precision: u64, out: u32);
        environ_get(pointers: u32, text: u32);
        environ_sizes_get(count: u32, size: u32);
        poll_oneoff(subscriptions: u32, events: u32, count: u32, out: u32);
        random_get(address: u32, length: u32);
        sched_yield();
        sock_accept(fd: u32, flags: u32, out: u32);
        sock_recv(fd: u32, pieces: u32, count: u32, flags: u32, out_length: u32, out_flags: u32);
        sock_send(fd: u32, pieces: u32, count: u32, flags: u32, out: u32);
        sock_shutdown(fd: u32, how: u32);
    }
    linker.func_wrap(MODULE, "proc_exit", |code: i32| -> wasmtime::Result<()> {
        Err(wasmtime::Error::from(Exit(code)))
    })?;
    Ok(())
}

/// Makes one system call with the guest's memory and the host's side of it at hand.
fn enter<T: WasiView + 'static>(
    caller: &mut Caller<'_, T>,
    call: impl FnOnce(&mut Wasi, &mut GuestMemory<'_>) -> Answer,
) -> wasmtime::Result<i32> {
    let memory = match caller.data_mut().wasi().memory {
        Some(memory) => memory,
        None => caller
            .get_export("memory")
            .and_then(Extern::into_memory)
            .ok_or_else(|| wasmtime::Error::msg("the guest exports no memory"))?,
    };
    let (bytes, view) = memory.data_and_store_mut(caller);
    match call(view.wasi(), &mut GuestMemory(bytes)) {
        Ok(()) => Ok(0),
        Err(Failure::Refused(errno)) => Ok(errno as i32),
        Err(Failure::Stopped(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    struct Nothing;

    impl WasiView for Nothing {
        fn wasi(&mut self) -> &mut Wasi {
            unreachable!("nothing is called")
        }
    }

    #[test]
    fn every_name_is_linked_once() {
        let engine = wasmtime::Engine::default();
        let mut linker = Linker::<Nothing>::new(&engine);
        add_to_linker(&mut linker).unwrap();
        let mut store = wasmtime::Store::new(&engine, Nothing);
        let names: BTreeSet<_> =
            linker.iter(&mut store).map(|(_, name, _)| name.to_owned()).collect();
        assert_eq!(names.len(), 42);
    }
}
