package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// CodeIndex is the state of the index of a branch.
type CodeIndex struct {
	Record
	Branch      string
	State       string // building, ready or failed
	CommitSHA   string
	Mode        string // lexical or hybrid
	Files       int64
	Chunks      int64
	FilesDone   int64 // while building
	VectorModel string
	VectorSize  int64
	Reason      string // the cause of a failure
	BuiltUS     int64  // 0 before the first build
}

func (v *CodeIndex) table() (string, string, []string, []any) {
	return "code_indexes", "idx", []string{"branch", "state", "commit_sha", "mode", "files", "chunks", "files_done", "vector_model",
			"vector_size", "reason", "built_us"},
		[]any{&v.Branch, &v.State, &v.CommitSHA, &v.Mode, &v.Files, &v.Chunks, &v.FilesDone, &v.VectorModel, &v.VectorSize, &v.Reason,
			number(&v.BuiltUS)}
}

// CodeIndexes lists the indexes of a repository, newest first.
func (s *Store) CodeIndexes(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]CodeIndex, error) {
	return records[CodeIndex](ctx, s, t, repository, before, limit)
}
