package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// ACCheck judges one acceptance criterion of a linked issue.
type ACCheck struct {
	Record
	PullRequest string
	Number      int
	Run         string // "" where no run made it
	IssueKey    string
	Criterion   string
	Verdict     string // met, partly, not_met or unclear
	Evidence    string // JSON array of places
}

func (v *ACCheck) table() (string, string, []string, []any) {
	return "ac_checks", "acc", []string{"pull_request_id", "number", "run_id", "issue_key", "criterion", "verdict", "evidence"},
		[]any{&v.PullRequest, &v.Number, text(&v.Run), &v.IssueKey, &v.Criterion, &v.Verdict, &v.Evidence}
}

// AddACCheck stores one. [errs.NotFound]: the repository, or what it names, is not
// the tenant's.
func (s *Store) AddACCheck(ctx context.Context, t domain.Tenant, v ACCheck) (ACCheck, error) {
	return addRecord(ctx, s, t, v)
}

// ACChecks lists those of a repository, newest first.
func (s *Store) ACChecks(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]ACCheck, error) {
	return records[ACCheck](ctx, s, t, repository, before, limit)
}

// Calibration says how often findings of a category were taken or refused.
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

// AddCalibration stores one. [errs.NotFound]: the repository, or what it names, is not
// the tenant's.
func (s *Store) AddCalibration(ctx context.Context, t domain.Tenant, v Calibration) (Calibration, error) {
	return addRecord(ctx, s, t, v)
}

// Calibrations lists those of a repository, newest first.
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
	FilesDone   int64 // while it is built
	VectorModel string
	VectorSize  int64
	Reason      string // why it failed
	BuiltUS     int64  // 0 before the first time
}

func (v *CodeIndex) table() (string, string, []string, []any) {
	return "code_indexes", "idx", []string{"branch", "state", "commit_sha", "mode", "files", "chunks", "files_done", "vector_model", "vector_size", "reason", "built_us"},
		[]any{&v.Branch, &v.State, &v.CommitSHA, &v.Mode, &v.Files, &v.Chunks, &v.FilesDone, &v.VectorModel, &v.VectorSize, &v.Reason, number(&v.BuiltUS)}
}

// AddCodeIndex stores one. [errs.NotFound]: the repository, or what it names, is not
// the tenant's.
func (s *Store) AddCodeIndex(ctx context.Context, t domain.Tenant, v CodeIndex) (CodeIndex, error) {
	return addRecord(ctx, s, t, v)
}

// CodeIndexes lists those of a repository, newest first.
func (s *Store) CodeIndexes(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]CodeIndex, error) {
	return records[CodeIndex](ctx, s, t, repository, before, limit)
}

// Suppression keeps findings out of later runs, once somebody has accepted it.
type Suppression struct {
	Record
	Finding   string // "" where no single finding led to it
	Scope     string // fingerprint, rule or category
	Matches   string // the fingerprint, rule id or category
	Paths     string // JSON array of globs
	State     string // proposed, accepted or declined
	Source    string // dismissal, command or repetition
	Reason    string
	Note      string // of the decision
	DecidedBy string // id of a person, "" until then
	DecidedUS int64  // 0 until then
	ExpiresUS int64  // 0: never
}

func (v *Suppression) table() (string, string, []string, []any) {
	return "suppressions", "sup", []string{"finding_id", "scope", "matches", "paths", "state", "source", "reason", "note", "decided_by", "decided_us", "expires_us"},
		[]any{text(&v.Finding), &v.Scope, &v.Matches, &v.Paths, &v.State, &v.Source, &v.Reason, &v.Note, &v.DecidedBy, number(&v.DecidedUS), number(&v.ExpiresUS)}
}

// AddSuppression stores one. [errs.NotFound]: the repository, or what it names, is not
// the tenant's.
func (s *Store) AddSuppression(ctx context.Context, t domain.Tenant, v Suppression) (Suppression, error) {
	return addRecord(ctx, s, t, v)
}

// Suppressions lists those of a repository, newest first.
func (s *Store) Suppressions(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]Suppression, error) {
	return records[Suppression](ctx, s, t, repository, before, limit)
}

// TrackerLink ties a pull request to an issue.
type TrackerLink struct {
	Record
	PullRequest string
	Number      int
	Tracker     string // jira, linear or azure-boards
	IssueKey    string
	Title       string
	URL         string
	State       string // as the tracker names it
	FoundIn     string // branch, title, body, commit or host
}

func (v *TrackerLink) table() (string, string, []string, []any) {
	return "tracker_links", "tlk", []string{"pull_request_id", "number", "tracker", "issue_key", "title", "url", "state", "found_in"},
		[]any{&v.PullRequest, &v.Number, &v.Tracker, &v.IssueKey, &v.Title, &v.URL, &v.State, &v.FoundIn}
}

// AddTrackerLink stores one. [errs.NotFound]: the repository, or what it names, is not
// the tenant's.
func (s *Store) AddTrackerLink(ctx context.Context, t domain.Tenant, v TrackerLink) (TrackerLink, error) {
	return addRecord(ctx, s, t, v)
}

// TrackerLinks lists those of a repository, newest first.
func (s *Store) TrackerLinks(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]TrackerLink, error) {
	return records[TrackerLink](ctx, s, t, repository, before, limit)
}
