package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// Calibration counts how often findings of a category were accepted or refused.
type Calibration struct {
	Record
	Category     string
	Buckets      string // JSON array by confidence
	Taken        int64
	Refused      int64
	ThresholdPPM int64 // millionths; 0 until there is enough data
}

func (v *Calibration) table() (string, string, []string, []any) {
	return "calibrations", "cal", []string{"category", "buckets", "taken", "refused", "threshold_ppm"},
		[]any{&v.Category, &v.Buckets, &v.Taken, &v.Refused, number(&v.ThresholdPPM)}
}

// Calibrations lists the calibrations of a repository, newest first.
func (s *Store) Calibrations(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]Calibration, error) {
	return records[Calibration](ctx, s, t, repository, before, limit)
}

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

// Suppression keeps findings out of later runs after a person has accepted it.
type Suppression struct {
	Record
	Finding   string // "" if it was not made from a single finding
	Scope     string // fingerprint, rule or category
	Matches   string // the fingerprint, rule id or category
	Paths     string // JSON array of globs
	State     string // proposed, accepted or declined
	Source    string // dismissal, command or repetition
	Reason    string
	Note      string // of the decision
	DecidedBy string // id of a person; "" before the decision
	DecidedUS int64  // 0 before the decision
	ExpiresUS int64  // 0 for never
}

func (v *Suppression) table() (string, string, []string, []any) {
	return "suppressions", "sup", []string{"finding_id", "scope", "matches", "paths", "state", "source", "reason", "note",
			"decided_by", "decided_us", "expires_us"},
		[]any{text(&v.Finding), &v.Scope, &v.Matches, &v.Paths, &v.State, &v.Source, &v.Reason, &v.Note, &v.DecidedBy,
			number(&v.DecidedUS), number(&v.ExpiresUS)}
}

// Suppressions lists the suppressions of a repository, newest first.
func (s *Store) Suppressions(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]Suppression, error) {
	return records[Suppression](ctx, s, t, repository, before, limit)
}
