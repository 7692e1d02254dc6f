package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// KnownFinding is a finding of a pull request with what became of it.
type KnownFinding struct {
	domain.Finding
	PostedRun string // the run whose published review shows it inline or in its summary
	CommentID int64  // the host's id of its inline comment, 0 for none
}

func scanKnown(r scanner, k *KnownFinding) error {
	var body string
	var id string
	var state domain.FindingState
	if err := r.Scan(&id, &state, &body, text(&k.PostedRun), &k.CommentID); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(body), &k.Finding); err != nil {
		return fmt.Errorf("finding %s: %w", id, err)
	}
	k.Finding.ID, k.Finding.State, k.Finding.Known = id, state, k.PostedRun != ""
	return nil
}

// KnownFindings lists what is known of a pull request.
func (s *Store) KnownFindings(ctx context.Context, t domain.Tenant, pull string) ([]KnownFinding, error) {
	return many(ctx, s, scanKnown, `SELECT id, state, body, posted_run, comment_id FROM findings WHERE tenant_id = $1 AND pull_request_id = $2 ORDER BY created_us, id`, t.ID, pull)
}

// SaveRunFindings stores what a run saw, in rank order: each finding gets its
// stable row, found by its exact fingerprint, and a row of this run. It returns
// the findings with their stable ids. A dismissed or suppressed finding keeps
// its state; one that was resolved and is found again is open.
func (s *Store) SaveRunFindings(ctx context.Context, run Run, found []domain.Finding) ([]domain.Finding, error) {
	out := slices.Clone(found)
	order := make([]int, len(out)) // one order of locks, so that two runs do not wait for each other
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(out[a].Fingerprints.Exact, out[b].Fingerprints.Exact) })
	err := s.Atomically(ctx, func(ctx context.Context) error {
		for _, rank := range order {
			if err := s.saveFinding(ctx, run, rank, &out[rank]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// saveFinding stores one finding of a run and completes it with what is known of it.
func (s *Store) saveFinding(ctx context.Context, run Run, rank int, f *domain.Finding) error {
	if f.ID == "" {
		f.ID = domain.NewID("fnd")
	}
	if f.State == "" {
		f.State = domain.FindingOpen
	}
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	row, err := returning(ctx, s, scanKnown, `INSERT INTO findings (id, tenant_id, repository_id, pull_request_id, exact, state, body, first_run, last_run, created_us, updated_us, category, severity)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, {now}, {now}, $9, $10)
		ON CONFLICT (pull_request_id, exact) DO UPDATE SET body = excluded.body, category = excluded.category, severity = excluded.severity, last_run = excluded.last_run, updated_us = excluded.updated_us,
			state = CASE WHEN findings.state IN ('dismissed', 'suppressed') THEN findings.state ELSE excluded.state END
			WHERE findings.tenant_id = excluded.tenant_id
		RETURNING id, state, body, posted_run, comment_id`,
		f.ID, run.Tenant, run.Repository, run.PullRequest, f.Fingerprints.Exact, string(f.State), string(body), run.ID, string(f.Category), f.Severity.String())
	if err != nil {
		return err
	}
	f.ID, f.State, f.Known = row.ID, row.State, row.PostedRun != ""
	if body, err = json.Marshal(f); err != nil {
		return err
	}
	_, err = s.exec(ctx, `INSERT INTO run_findings (run_id, finding_id, tenant_id, rank, body) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (run_id, finding_id) DO UPDATE SET rank = excluded.rank, body = excluded.body WHERE run_findings.tenant_id = excluded.tenant_id`, run.ID, f.ID, run.Tenant, rank, string(body))
	return err
}

// RunFindings lists what a run saw, in rank order.
func (s *Store) RunFindings(ctx context.Context, t domain.Tenant, run string) ([]domain.Finding, error) {
	return many(ctx, s, func(r scanner, f *domain.Finding) error {
		var body string
		if err := r.Scan(&body); err != nil {
			return err
		}
		return json.Unmarshal([]byte(body), f)
	}, `SELECT body FROM run_findings WHERE tenant_id = $1 AND run_id = $2 ORDER BY rank, finding_id`, t.ID, run)
}

// SetFindingState moves findings of a pull request that are open to a state.
func (s *Store) SetFindingState(ctx context.Context, t domain.Tenant, pull string, ids []string, state domain.FindingState) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.exec(ctx, `UPDATE findings SET state = $3, updated_us = {now} WHERE tenant_id = $1 AND pull_request_id = $2 AND state = 'open' AND id IN (`+inList(len(ids), 4)+`)`,
		append([]any{t.ID, pull, string(state)}, anys(ids)...)...)
	return err
}

// MarkPosted notes that the published review of a run shows the findings.
func (s *Store) MarkPosted(ctx context.Context, t domain.Tenant, run string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.exec(ctx, `UPDATE findings SET posted_run = $2, updated_us = {now} WHERE tenant_id = $1 AND id IN (`+inList(len(ids), 3)+`)`, append([]any{t.ID, run}, anys(ids)...)...)
	return err
}

// SetCommentID notes the host's id of a finding's inline comment.
func (s *Store) SetCommentID(ctx context.Context, t domain.Tenant, finding string, comment int64) error {
	return must1(s.exec1(ctx, `UPDATE findings SET comment_id = $3 WHERE tenant_id = $1 AND id = $2`, t.ID, finding, comment))
}

// AddReviewedHunks notes hunks that a published run has reviewed.
func (s *Store) AddReviewedHunks(ctx context.Context, t domain.Tenant, pull, run string, hunks []string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		for _, h := range slices.Sorted(slices.Values(hunks)) { // one order, so that two runs do not wait for each other
			if _, err := s.exec(ctx, `INSERT INTO reviewed_hunks (pull_request_id, hunk_id, tenant_id, run_id) VALUES ($1, $2, $3, $4)
				ON CONFLICT (pull_request_id, hunk_id) DO NOTHING`, pull, h, t.ID, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReviewedHunks lists the hunks of a pull request that were reviewed.
func (s *Store) ReviewedHunks(ctx context.Context, t domain.Tenant, pull string) (map[string]bool, error) {
	ids, err := many(ctx, s, value[string], `SELECT hunk_id FROM reviewed_hunks WHERE tenant_id = $1 AND pull_request_id = $2`, t.ID, pull)
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out, err
}
