//! TypeScript programs, read and turned into what the guest runs.
