package store

import "github.com/assay-dev/assay/internal/store/dialect"

// DB lets the tests look at the tables.
func (s *Store) DB() *dialect.DB { return s.db }
