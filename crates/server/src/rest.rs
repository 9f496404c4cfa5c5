//! The REST door.
