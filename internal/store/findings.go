package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// KnownFinding is a finding of a pull request with its history. Known reports whether a published review
// shows it. Earlier refers to its comment in an earlier review, if a later review reported it resolved.
type KnownFinding struct {
	domain.Finding
	PostedRun   string        // the last run whose published review showed it inline or in its summary
	ResolvedRun string        // the run whose later published review reported it gone
	CommentID   domain.HostID // of its last inline comment; "" if there is no comment
	CommentURL  string        // of that comment; "" if unknown

	ThreadOutdated bool // the finding has changed or came back since that comment
}

const findingColumns = `id, state, body, posted_run, resolved_run, COALESCE(NULLIF(comment_text, ''), CAST(comment_id AS TEXT)), ` +
	`comment_url, thread_outdated`

func scanKnown(r scanner, k *KnownFinding) error {
	var body string
	var id string
	var state domain.FindingState
	if err := r.Scan(&id, &state, &body, text(&k.PostedRun), text(&k.ResolvedRun), hostID(&k.CommentID), &k.CommentURL,
		&k.ThreadOutdated); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(body), &k.Finding); err != nil {
		return fmt.Errorf("finding %s: %w", id, err)
	}
	k.Finding.ID, k.Finding.State = id, state
	gone := k.ResolvedRun != "" || state == domain.FindingResolved || state == domain.FindingOutdated
	k.Finding.Known, k.Finding.Earlier = k.PostedRun != "" && !gone, nil
	if k.PostedRun != "" && gone {
		k.Finding.Earlier = &domain.Earlier{Comment: domain.StoredID(k.CommentID), URL: k.CommentURL}
	}
	return nil
}

// KnownFindings lists the findings of a pull request with all their fingerprints in Names.
func (s *Store) KnownFindings(ctx context.Context, t domain.Tenant, pull string) ([]KnownFinding, error) {
	out, err := many(ctx, s, scanKnown, `SELECT `+findingColumns+
		` FROM findings WHERE tenant_id = $1 AND pull_request_id = $2 ORDER BY created_us, id`, t.ID, pull)
	if err != nil || len(out) == 0 {
		return out, err
	}
	names, err := s.listPrints(ctx, t, pull)
	if err != nil {
		return nil, err
	}
	of := map[string][]string{}
	for _, n := range names {
		of[n.finding] = append(of[n.finding], n.exact)
	}
	for i := range out {
		out[i].Names = of[out[i].ID]
	}
	return out, nil
}

// SaveRunFindings stores the findings of a run, in rank order, and returns them with stable ids, unique
// fingerprints and their history. [printIndex.choose] assigns the rows. A dismissed finding keeps its state; a
// finding that is found again gets the state that the run gave it: open or suppressed.
//
// Concurrent runs of one pull request wait for each other.
func (s *Store) SaveRunFindings(ctx context.Context, run Run, found []domain.Finding) ([]domain.Finding, error) {
	out := slices.Clone(found)
	err := s.Atomically(ctx, func(ctx context.Context) error {
		n, err := s.lockPrints(ctx, domain.Tenant{ID: run.Tenant}, run.PullRequest)
		if err != nil {
			return err
		}
		n.choose(out)
		for rank := range out {
			if err := s.saveFinding(ctx, run, rank, n.rows[out[rank].ID], &out[rank]); err != nil {
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

// saveFinding stores one finding of a run and adds its history to f.
func (s *Store) saveFinding(ctx context.Context, run Run, rank int, there bool, f *domain.Finding) error {
	if f.State == "" {
		f.State = domain.FindingOpen
	}
	save := s.addFinding
	if there {
		save = s.updateFinding
	}
	row, err := save(ctx, run, f)
	if err != nil {
		return err
	}
	f.State, f.Known, f.Earlier = row.State, row.Known, row.Earlier
	if f.Fingerprints.Exact != "" {
		if _, err := s.exec(ctx, `INSERT INTO finding_prints (tenant_id, pull_request_id, exact, finding_id, created_us)
			VALUES ($1, $2, $3, $4, {now})
			ON CONFLICT (tenant_id, pull_request_id, exact) DO NOTHING`, run.Tenant, run.PullRequest, f.Fingerprints.Exact, f.ID); err != nil {
			return err
		}
	}
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, `INSERT INTO run_findings (run_id, finding_id, tenant_id, rank, body) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (run_id, finding_id) DO UPDATE SET rank = excluded.rank, body = excluded.body
			WHERE run_findings.tenant_id = excluded.tenant_id`, run.ID, f.ID, run.Tenant, rank, string(body))
	return err
}

// updateFinding updates the row of a finding.
func (s *Store) updateFinding(ctx context.Context, run Run, f *domain.Finding) (KnownFinding, error) {
	body, err := json.Marshal(f)
	if err != nil {
		return KnownFinding{}, err
	}
	return returning(ctx, s, scanKnown, `UPDATE findings SET body = $4, category = $5, severity = $6, last_run = $7, rule_id = $9,
		path = $10, updated_us = {now},
			resolved_run = CASE WHEN state IN ('resolved', 'outdated') THEN COALESCE(resolved_run, last_run) ELSE resolved_run END,
			state = CASE WHEN state = 'dismissed' THEN state ELSE $8 END
		WHERE tenant_id = $1 AND pull_request_id = $2 AND id = $3 RETURNING `+findingColumns,
		run.Tenant, run.PullRequest, f.ID, string(body), string(f.Category), f.Severity.String(), run.ID, string(f.State), f.RuleID,
		f.Anchor.Path)
}

// addFinding inserts the row of a finding. Only older versions read the column exact. If a row of theirs
// already has the value, the new row gets its id in that column.
func (s *Store) addFinding(ctx context.Context, run Run, f *domain.Finding) (KnownFinding, error) {
	body, err := json.Marshal(f)
	if err != nil {
		return KnownFinding{}, err
	}
	exact := f.Fingerprints.Exact
	if exact == "" {
		exact = f.ID
	}
	add := func() (KnownFinding, error) {
		return returning(ctx, s, scanKnown, `INSERT INTO findings (id, tenant_id, repository_id, pull_request_id, exact, state, body,
			first_run, last_run, created_us, updated_us, category, severity, rule_id, path, pull_open)
			SELECT $1, $2, $3, p.id, $5, $6, $7, $8, $8, {now}, {now}, $9, $10, $11, $12, p.state = 'open' FROM pull_requests p
			WHERE p.tenant_id = $2 AND p.id = $4 ON CONFLICT DO NOTHING RETURNING `+findingColumns,
			f.ID, run.Tenant, run.Repository, run.PullRequest, exact, string(f.State), string(body), run.ID, string(f.Category),
			f.Severity.String(), f.RuleID, f.Anchor.Path)
	}
	row, err := add()
	if errs.Is(err, errs.NotFound) {
		f.ID = domain.NewID("fnd")
		exact = f.ID
		row, err = add()
	}
	return row, err
}

// RunFindings lists the findings of a run, in rank order.
func (s *Store) RunFindings(ctx context.Context, t domain.Tenant, run string) ([]domain.Finding, error) {
	return many(ctx, s, func(r scanner, f *domain.Finding) error {
		var body string
		if err := r.Scan(&body); err != nil {
			return err
		}
		return json.Unmarshal([]byte(body), f)
	}, `SELECT body FROM run_findings WHERE tenant_id = $1 AND run_id = $2 ORDER BY rank, finding_id`, t.ID, run)
}

// ShownElsewhere returns the prints of findings that a published review of another pull request of the
// repository has shown, in any current state.
func (s *Store) ShownElsewhere(ctx context.Context, t domain.Tenant, repository, pull string, prints []string) ([]string, error) {
	return manyIn(ctx, s, value[string], prints, `SELECT DISTINCT p.exact FROM findings f
		JOIN finding_prints p ON p.tenant_id = f.tenant_id AND p.finding_id = f.id
		WHERE f.tenant_id = $1 AND f.repository_id = $2 AND f.pull_request_id <> $3 AND f.posted_run IS NOT NULL AND p.exact IN ({list})`,
		t.ID, repository, pull)
}

// FindingNow is the current state of a finding.
type FindingNow struct {
	ID          string
	State       domain.FindingState
	ResolvedRun string // the run whose published review reported it gone; "" if there is no such run
	CommentURL  string // its comment on the host; "" if there is no known comment
}

// FindingsNow reads the current states of the findings of a run.
func (s *Store) FindingsNow(ctx context.Context, t domain.Tenant, run string) ([]FindingNow, error) {
	return many(ctx, s, func(r scanner, f *FindingNow) error {
		return r.Scan(&f.ID, &f.State, text(&f.ResolvedRun), &f.CommentURL)
	},
		`SELECT f.id, f.state, f.resolved_run, f.comment_url FROM run_findings r JOIN findings f ON f.tenant_id = r.tenant_id
			AND f.id = r.finding_id
		WHERE r.tenant_id = $1 AND r.run_id = $2`, t.ID, run)
}

// SetFindingState moves open findings of a pull request to a state. run is the run whose published review
// reports it, or "".
func (s *Store) SetFindingState(ctx context.Context, t domain.Tenant, pull, run string, ids []string, state domain.FindingState) error {
	return execIn(ctx, s, ids, `UPDATE findings SET state = $3, resolved_run = CASE WHEN $4 <> '' THEN $4
		ELSE resolved_run END, updated_us = {now}
		WHERE tenant_id = $1 AND pull_request_id = $2 AND state = 'open' AND id IN ({list})`, t.ID, pull, string(state), run)
}

// MarkPosted records that the published review of a run shows the findings.
func (s *Store) MarkPosted(ctx context.Context, t domain.Tenant, run string, ids []string) error {
	return execIn(ctx, s, ids, `UPDATE findings SET posted_run = $2, resolved_run = NULL, updated_us = {now} WHERE tenant_id = $1
		AND id IN ({list})`, t.ID, run)
}

// SetThreadsOutdated records that findings have changed or came back since their last comments.
func (s *Store) SetThreadsOutdated(ctx context.Context, t domain.Tenant, ids []string) error {
	return execIn(ctx, s, ids, `UPDATE findings SET thread_outdated = TRUE WHERE tenant_id = $1 AND id IN ({list})`, t.ID)
}

// SetComment replaces the inline comment of a finding, was, by a new one with its URL. was is "" if the
// finding had no comment. It returns false and changes nothing if the finding has a different comment by
// now.
func (s *Store) SetComment(ctx context.Context, t domain.Tenant, finding string, was, comment domain.HostID, url string) (bool, error) {
	return s.exec1(ctx, `UPDATE findings SET comment_id = $4, comment_text = $6, comment_url = $5,
		thread_outdated = CASE WHEN comment_id = $4 THEN thread_outdated ELSE FALSE END
		WHERE tenant_id = $1 AND id = $2 AND comment_id IN ($3, $4)`, t.ID, finding, numericKey(was), numericKey(comment), url, idText(comment))
}

// AddReviewedHunks records the hunks that a published run reviewed against a target branch. A run of full
// depth replaces the recorded run of a hunk; a reduced run does not.
func (s *Store) AddReviewedHunks(ctx context.Context, t domain.Tenant, pull, base, run string, hunks []string) error {
	var rows [][]any
	for _, h := range distinct(hunks) { // a fixed order prevents deadlocks between runs
		rows = append(rows, []any{pull, base, h, t.ID, run})
	}
	return insertRows(ctx, s, rows, `INSERT INTO target_hunks (pull_request_id, base_ref, hunk_id, tenant_id, run_id) VALUES {list}
		ON CONFLICT (pull_request_id, base_ref, hunk_id) DO UPDATE SET run_id = excluded.run_id WHERE target_hunks.tenant_id = excluded.tenant_id
			AND NOT EXISTS (SELECT 1 FROM review_runs r WHERE r.tenant_id = excluded.tenant_id AND r.id = excluded.run_id AND r.depth = 'reduced')`)
}

// ReviewedHunks returns the hunks of a pull request that were reviewed against a target branch at least at
// the given depth.
func (s *Store) ReviewedHunks(ctx context.Context, t domain.Tenant, pull, base string, depth domain.Depth) (map[string]bool, error) {
	ids, err := many(ctx, s, value[string], `SELECT h.hunk_id FROM target_hunks h JOIN review_runs r ON r.tenant_id = h.tenant_id
		AND r.id = h.run_id
		WHERE h.tenant_id = $1 AND h.pull_request_id = $2 AND h.base_ref = $3 AND ($4 = r.depth OR r.depth <> 'reduced')`, t.ID, pull,
		base, string(depth))
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out, err
}
