package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// DiffFile is a file of a run's change. Its path is text from outside.
type DiffFile struct {
	Ordinal              int64 // from 1, in the order of the diff; assigned by the store
	Path, OldPath        string
	Status               string // added, modified, deleted, renamed, copied
	Class, Language      string
	Binary               bool
	Additions, Deletions int
	Omitted              string // why no line was reviewed; "" if lines were reviewed
	Cut                  bool   // some lines are not stored
	Hunks                []byte // packed; see package kept
}

const diffFileColumns = `ordinal, path, old_path, status, class, language, is_binary, additions, deletions, omitted, is_cut`

// MaxDiffFiles is the maximum number of stored files of a run's change.
const MaxDiffFiles = 2000

// SaveRunDiff replaces the stored change of a run, up to [MaxDiffFiles] files. It returns [errs.NotFound]
// if the tenant has no such run.
func (s *Store) SaveRunDiff(ctx context.Context, t domain.Tenant, run string, files []DiffFile) error {
	rows := [][]any{}
	for i, f := range files[:min(len(files), MaxDiffFiles)] {
		rows = append(rows, []any{run, t.ID, i + 1, storablePath(f.Path), storablePath(f.OldPath), f.Status, f.Class, f.Language,
			f.Binary, f.Additions, f.Deletions, clip.Bytes(f.Omitted, 300), f.Cut, append([]byte{}, f.Hunks...)})
	}
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.holdRun(ctx, t, run); err != nil {
			return err
		}
		if _, err := s.exec(ctx, `DELETE FROM run_diff_files WHERE tenant_id = $1 AND run_id = $2`, t.ID, run); err != nil {
			return err
		}
		return insertRows(ctx, s, rows, `INSERT INTO run_diff_files (run_id, tenant_id, `+diffFileColumns+`, hunks) VALUES {list}`)
	})
}

// holdRun locks the row of a run until the caller's transaction ends. It returns [errs.NotFound] if the
// tenant has no such run.
func (s *Store) holdRun(ctx context.Context, t domain.Tenant, run string) error {
	_, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM review_runs WHERE tenant_id = $1 AND id = $2{forupdate}`,
		[]any{t.ID, run})
	return err
}

// storablePath makes a path storable in a text column, because a path in git can hold any byte but NUL.
func storablePath(path string) string {
	return clip.Bytes(strings.ReplaceAll(strings.ToValidUTF8(path, "\uFFFD"), "\x00", "\uFFFD"), 4096)
}

// RunDiff lists at most limit files of a run's change in the order of the diff, starting after the ordinal
// after.
func (s *Store) RunDiff(ctx context.Context, t domain.Tenant, run string, after int64, limit int) ([]DiffFile, error) {
	return many(ctx, s, scanDiffFile, `SELECT `+diffFileColumns+
		`, hunks FROM run_diff_files WHERE tenant_id = $1 AND run_id = $2 AND ordinal > $3 ORDER BY ordinal LIMIT $4`, t.ID, run, after, limit)
}

// RunDiffNames is like [Store.RunDiff], with empty Hunks.
func (s *Store) RunDiffNames(ctx context.Context, t domain.Tenant, run string, after int64, limit int) ([]DiffFile, error) {
	return many(ctx, s, scanDiffName, `SELECT `+diffFileColumns+
		` FROM run_diff_files WHERE tenant_id = $1 AND run_id = $2 AND ordinal > $3 ORDER BY ordinal LIMIT $4`, t.ID, run, after, limit)
}

// RunDiffOf lists the files of a run's change that have a path at the head or before. There are two if the
// file's type has changed.
func (s *Store) RunDiffOf(ctx context.Context, t domain.Tenant, run, path string) ([]DiffFile, error) {
	return many(ctx, s, scanDiffFile, `SELECT `+diffFileColumns+
		`, hunks FROM run_diff_files WHERE tenant_id = $1 AND run_id = $2 AND (path = $3 OR old_path = $3) ORDER BY ordinal LIMIT 10`,
		t.ID, run, path)
}

func (f *DiffFile) columns() []any {
	return []any{&f.Ordinal, &f.Path, &f.OldPath, &f.Status, &f.Class, &f.Language, &f.Binary, &f.Additions, &f.Deletions, &f.Omitted, &f.Cut}
}

func scanDiffName(r scanner, f *DiffFile) error { return r.Scan(f.columns()...) }

func scanDiffFile(r scanner, f *DiffFile) error { return r.Scan(append(f.columns(), &f.Hunks)...) }

// DroppedCandidate is a candidate finding that a run did not report.
type DroppedCandidate struct {
	Ordinal    int64          // from 1, in the order of dropping; assigned by the store
	Stage, Why string         // of the engine
	FindingID  string         // the finding that covers it; "" for none
	Finding    domain.Finding // the candidate, without secrets of the change
	Check      domain.Check   // the verifier's own verdict
}

// droppedBody is the stored form of a dropped candidate.
type droppedBody struct {
	domain.Finding
	Check domain.Check `json:"check,omitzero"`
}

// MaxDropped is the maximum number of stored dropped candidates of a run.
const MaxDropped = 200

// Maximum lengths of a dropped candidate's texts, in bytes.
const (
	maxDroppedWords = 4 << 10
	maxDroppedName  = 1 << 10
)

func (d DroppedCandidate) body() (string, error) {
	f := d.Finding
	f.Title, f.RuleID, f.Anchor.Path = clip.Bytes(f.Title, maxDroppedName), clip.Bytes(f.RuleID, maxDroppedName),
		clip.Bytes(f.Anchor.Path, maxDroppedName)
	f.Explanation, f.VerdictWhy = clip.Bytes(f.Explanation, maxDroppedWords), clip.Bytes(f.VerdictWhy, maxDroppedWords)
	f.Category = domain.Category(clip.Bytes(string(f.Category), 40))
	d.Check.Reason = clip.Bytes(d.Check.Reason, maxDroppedWords)
	raw, err := json.Marshal(droppedBody{f, d.Check})
	return string(raw), err
}

// SaveDropped replaces the stored dropped candidates of a run, up to [MaxDropped]. It returns
// [errs.NotFound] if the tenant has no such run.
func (s *Store) SaveDropped(ctx context.Context, t domain.Tenant, run string, list []DroppedCandidate) error {
	rows := [][]any{}
	for i, d := range list[:min(len(list), MaxDropped)] {
		body, err := d.body()
		if err != nil {
			return err
		}
		rows = append(rows, []any{run, t.ID, i + 1, d.Stage, d.Why, d.FindingID, body})
	}
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.holdRun(ctx, t, run); err != nil {
			return err
		}
		if _, err := s.exec(ctx, `DELETE FROM run_dropped WHERE tenant_id = $1 AND run_id = $2`, t.ID, run); err != nil {
			return err
		}
		return insertRows(ctx, s, rows, `INSERT INTO run_dropped (run_id, tenant_id, ordinal, stage, why, finding_id, body) VALUES {list}`)
	})
}

// DroppedCandidates lists at most limit dropped candidates of a run in their order, starting after the ordinal
// after. stage "" selects all stages.
func (s *Store) DroppedCandidates(ctx context.Context, t domain.Tenant, run, stage string, after int64,
	limit int) ([]DroppedCandidate, error) {
	return many(ctx, s, func(r scanner, d *DroppedCandidate) error {
		var body string
		if err := r.Scan(&d.Ordinal, &d.Stage, &d.Why, &d.FindingID, &body); err != nil {
			return err
		}
		var b droppedBody
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			return fmt.Errorf("dropped candidate %d: %w", d.Ordinal, err)
		}
		d.Finding, d.Check = b.Finding, b.Check
		return nil
	}, `SELECT ordinal, stage, why, finding_id, body FROM run_dropped WHERE tenant_id = $1 AND run_id = $2 AND ordinal > $3
		AND ($4 = '' OR stage = $4) ORDER BY ordinal LIMIT $5`, t.ID, run, after, stage, limit)
}
