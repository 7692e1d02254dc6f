package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// ACCheck is the verdict on one acceptance criterion of a linked issue. Criterion and Reason hold text from
// outside.
type ACCheck struct {
	Record
	PullRequest string
	Number      int
	Run         string // "" if no run made the check
	IssueKey    string
	Criterion   string
	Verdict     string // met, partly, not_met, unclear or not_applicable
	Evidence    string // JSON array of places
	Connection  string // of the issue; "" for rows of earlier versions
	CriterionID string // see [domain.Criterion]; "" for rows of earlier versions
	Reason      string
	Kept        bool   // the verdict is copied from an earlier review
	Basis       string // see [domain.CriterionCheck]
	Ordinal     int64  // place of the criterion in its issue, from 1; 0 for rows of earlier versions
}

func (v *ACCheck) table() (string, string, []string, []any) {
	return "ac_checks", "acc", []string{"pull_request_id", "number", "run_id", "issue_key", "criterion", "verdict", "evidence",
			"connection_id", "criterion_id", "reason", "kept", "basis", "ordinal"},
		[]any{&v.PullRequest, &v.Number, text(&v.Run), &v.IssueKey, &v.Criterion, &v.Verdict, &v.Evidence, &v.Connection, &v.CriterionID,
			&v.Reason, &v.Kept, &v.Basis, &v.Ordinal}
}

// AddACCheck stores a check. It returns [errs.NotFound] if the repository, the pull request or the run does
// not belong to the tenant.
func (s *Store) AddACCheck(ctx context.Context, t domain.Tenant, v ACCheck) (ACCheck, error) {
	v.Reason, v.Basis = clip.Bytes(v.Reason, 2000), clip.Bytes(v.Basis, 4000)
	return AddRecord(ctx, s, t, v)
}

// ACChecks lists the checks of a repository, newest first.
func (s *Store) ACChecks(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]ACCheck, error) {
	return records[ACCheck](ctx, s, t, repository, before, limit)
}

// PutACChecks replaces the checks that a run made on the criteria of an issue, in the caller's transaction
// or its own. It fills Record, pull request, run and issue of each check from the link and the run. It
// returns [errs.NotFound] if they do not belong to the tenant.
func (s *Store) PutACChecks(ctx context.Context, t domain.Tenant, run string, link TrackerLink, checks []ACCheck) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.exec(ctx, `DELETE FROM ac_checks WHERE tenant_id = $1 AND run_id = $2 AND connection_id = $3 AND issue_key = $4`,
			t.ID, run, link.Connection, link.IssueKey); err != nil {
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

// RunACChecks lists the checks that a run made on its pull request's linked issues, in the order of the
// criteria, at most 1,000.
func (s *Store) RunACChecks(ctx context.Context, t domain.Tenant, pull, run string) ([]ACCheck, error) {
	name, _, columns, _ := new(ACCheck).table()
	return many(ctx, s, scanRecord[ACCheck], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+
		` WHERE tenant_id = $1 AND pull_request_id = $2 AND run_id = $3
		ORDER BY ordinal, id LIMIT $4`, t.ID, pull, run, maxLastChecks)
}

// LastACChecks returns the newest check of each criterion of a pull request, newest first. It looks at the
// newest 1,000 checks.
func (s *Store) LastACChecks(ctx context.Context, t domain.Tenant, pull string) ([]ACCheck, error) {
	name, _, columns, _ := new(ACCheck).table()
	rows, err := many(ctx, s, scanRecord[ACCheck], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+
		` WHERE tenant_id = $1 AND pull_request_id = $2
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

// maxLastChecks is the number of rows that [Store.LastACChecks] reads: three runs with the maximum of
// issues and criteria (design choice).
const maxLastChecks = 1000

// DropACChecks deletes the checks on the criteria of an issue for a pull request, when assay must keep only
// the key of the issue.
func (s *Store) DropACChecks(ctx context.Context, t domain.Tenant, link TrackerLink) error {
	_, err := s.exec(ctx, `DELETE FROM ac_checks WHERE tenant_id = $1 AND pull_request_id = $2 AND connection_id = $3
		AND issue_key = $4`, t.ID, link.PullRequest, link.Connection, link.IssueKey)
	return err
}
