package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// ACCheck judges one acceptance criterion of a linked issue. Criterion and reason hold
// words from outside.
type ACCheck struct {
	Record
	PullRequest string
	Number      int
	Run         string // "" where no run made it
	IssueKey    string
	Criterion   string
	Verdict     string // met, partly, not_met, unclear or not_applicable
	Evidence    string // JSON array of places
	Connection  string // of the issue; "" for rows of earlier versions
	CriterionID string // see [domain.Criterion]; "" for rows of earlier versions
	Reason      string
	Kept        bool   // the verdict is the one of an earlier review
	Basis       string // see [domain.CriterionCheck]
	Ordinal     int64  // place of the criterion in its issue, from 1; 0 for rows of earlier versions
}

func (v *ACCheck) table() (string, string, []string, []any) {
	return "ac_checks", "acc", []string{"pull_request_id", "number", "run_id", "issue_key", "criterion", "verdict", "evidence", "connection_id", "criterion_id", "reason", "kept", "basis", "ordinal"},
		[]any{&v.PullRequest, &v.Number, text(&v.Run), &v.IssueKey, &v.Criterion, &v.Verdict, &v.Evidence, &v.Connection, &v.CriterionID, &v.Reason, &v.Kept, &v.Basis, &v.Ordinal}
}

// AddACCheck stores one. [errs.NotFound]: the repository, or what it names, is not
// the tenant's.
func (s *Store) AddACCheck(ctx context.Context, t domain.Tenant, v ACCheck) (ACCheck, error) {
	v.Reason, v.Basis = clip.Bytes(v.Reason, 2000), clip.Bytes(v.Basis, 4000)
	return addRecord(ctx, s, t, v)
}

// ACChecks lists those of a repository, newest first.
func (s *Store) ACChecks(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]ACCheck, error) {
	return records[ACCheck](ctx, s, t, repository, before, limit)
}

// PutACChecks replaces what a run says of the criteria of an issue, in the caller's
// transaction (or one of its own). Record, pull request, run and issue are those of the
// link and the run. [errs.NotFound]: they are not the tenant's.
func (s *Store) PutACChecks(ctx context.Context, t domain.Tenant, run string, link TrackerLink, checks []ACCheck) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.exec(ctx, `DELETE FROM ac_checks WHERE tenant_id = $1 AND run_id = $2 AND connection_id = $3 AND issue_key = $4`, t.ID, run, link.Connection, link.IssueKey); err != nil {
			return err
		}
		for i, c := range checks {
			c.Ordinal = int64(i) + 1
			c.Record, c.PullRequest, c.Number, c.Run = Record{Repository: link.Repository}, link.PullRequest, link.Number, run
			c.IssueKey, c.Connection = link.IssueKey, link.Connection
			if _, err := s.AddACCheck(ctx, t, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// RunACChecks are what a run says of the criteria of the issues of its pull request, in the
// order of the criteria, at most 1,000 rows.
func (s *Store) RunACChecks(ctx context.Context, t domain.Tenant, pull, run string) ([]ACCheck, error) {
	name, _, columns, _ := new(ACCheck).table()
	return many(ctx, s, scanRecord[ACCheck], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+` WHERE tenant_id = $1 AND pull_request_id = $2 AND run_id = $3
		ORDER BY ordinal, id LIMIT $4`, t.ID, pull, run, maxLastChecks)
}

// LastACChecks are the newest verdicts of a pull request about each criterion that
// its last runs judged, the newest first: of the newest 1,000 rows.
func (s *Store) LastACChecks(ctx context.Context, t domain.Tenant, pull string) ([]ACCheck, error) {
	name, _, columns, _ := new(ACCheck).table()
	rows, err := many(ctx, s, scanRecord[ACCheck], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+` WHERE tenant_id = $1 AND pull_request_id = $2
		ORDER BY created_us DESC, id DESC LIMIT $3`, t.ID, pull, maxLastChecks)
	seen := map[string]bool{}
	var out []ACCheck
	for _, r := range rows {
		key := strconv.Quote(r.Connection) + r.CriterionID
		if r.CriterionID != "" && !seen[key] {
			seen[key] = true
			out = append(out, r)
		}
	}
	return out, err
}

// maxLastChecks bounds what [Store.LastACChecks] looks at: three runs of the most
// issues with the most criteria (design choice).
const maxLastChecks = 1000

// DropACChecks deletes what was said of the criteria of an issue on a pull request:
// nothing but its key may be known any more.
func (s *Store) DropACChecks(ctx context.Context, t domain.Tenant, link TrackerLink) error {
	_, err := s.exec(ctx, `DELETE FROM ac_checks WHERE tenant_id = $1 AND pull_request_id = $2 AND connection_id = $3 AND issue_key = $4`, t.ID, link.PullRequest, link.Connection, link.IssueKey)
	return err
}
