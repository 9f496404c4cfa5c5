//! Reading much: beside the threads on which the calls to all servers wait.

use std::panic::resume_unwind;

/// Bytes that are read where they came in. To read more takes so long that the calls to other servers on
/// the same thread would notice.
const LITTLE: usize = 256 << 10;

/// Does `work` on so many bytes, on a thread of its own if they are many.
pub(super) async fn aside<T, W>(bytes: usize, work: W) -> T
where
    T: Send + 'static,
    W: FnOnce() -> T + Send + 'static,
{
    if bytes <= LITTLE {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(problem) => match problem.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // Only a runtime that is ending gives work up, and then nobody waits for it.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn much_is_read_on_another_thread() {
        let here = thread::current().id();
        assert_eq!(aside(LITTLE, || thread::current().id()).await, here);
        assert_ne!(aside(LITTLE + 1, || thread::current().id()).await, here);
    }
}
