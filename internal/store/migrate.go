package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"golang.org/x/mod/semver"

	"github.com/assay-dev/assay/internal/store/migrations"
)

// Migrate applies all missing migrations and returns their number. Processes can call it concurrently; on
// PostgreSQL the second waits.
func (s *Store) Migrate(ctx context.Context) (int, error) {
	p, err := s.provider()
	if err != nil {
		return 0, err
	}
	done, err := p.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrate the database: %w", err)
	}
	return len(done), nil
}

func (s *Store) provider() (*goose.Provider, error) {
	dir, err := fs.Sub(migrations.FS, string(s.db.Name))
	if err != nil {
		return nil, err
	}
	opts, err := s.db.GooseOptions()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(s.db.GooseDialect(), s.db.Write, dir, opts...)
}

// SchemaState is the version of the schema.
type SchemaState struct {
	Current, Newest int64  // migration numbers
	MinVersion      string // the lowest version of the program that can use it
}

// Schema reads the schema's state. A database that was never migrated has Current 0.
func (s *Store) Schema(ctx context.Context) (SchemaState, error) {
	p, err := s.provider()
	if err != nil {
		return SchemaState{}, err
	}
	st := SchemaState{}
	for _, src := range p.ListSources() {
		st.Newest = max(st.Newest, src.Version)
	}
	if st.Current, err = p.GetDBVersion(ctx); err != nil || st.Current == 0 {
		return st, s.wrap(err)
	}
	st.MinVersion, err = one(ctx, s, value[string], `SELECT min_version FROM schema_info WHERE id = 1`)
	return st, err
}

// CheckVersion returns an error if the schema is older than the program or requires a newer one.
// Development builds, whose version is not a number, always pass the second check.
func (s *Store) CheckVersion(ctx context.Context, version string) error {
	st, err := s.Schema(ctx)
	if err != nil {
		return err
	}
	if st.Current < st.Newest {
		return errors.New("the database schema is older than this program: run `assay migrate`")
	}
	if v := "v" + version; semver.IsValid(v) && semver.IsValid("v"+st.MinVersion) && semver.Compare(v, "v"+st.MinVersion) < 0 {
		return fmt.Errorf("the database needs assay %s or newer; this is %s", st.MinVersion, version)
	}
	return nil
}
