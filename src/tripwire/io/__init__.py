"""Everything that can fail for outside reasons: files, journal, sessions, daemon."""
