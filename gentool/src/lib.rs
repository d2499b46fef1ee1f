//! gentool
