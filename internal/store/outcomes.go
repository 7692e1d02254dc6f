package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// ppm is the number of parts per million of a whole.
const ppm = 1e6

// maxOutcomeName bounds the stored name of a person, in bytes (design choice).
const maxOutcomeName = 200

const outcomeColumns = `repository_id, pull_request_id, finding_id, kind, person, person_name, rule_id, category, confidence_ppm, ` +
	`created_us`

func scanOutcome(r scanner, v *domain.Outcome) error {
	var confidence int64
	err := r.Scan(&v.Repository, &v.PullRequest, &v.Finding, &v.Kind, &v.Person, &v.Name, &v.RuleID, &v.Category, &confidence, &v.AtUS)
	v.Confidence = float64(confidence) / ppm
	return err
}

// AddOutcome stores an outcome of a finding, once per kind and person, and returns false if it was stored before. It reads
// all fields except Finding, Kind, Person and Name from the finding. A kind that the code decides replaces the other ones, but
// [domain.OutcomeFixed] does not replace [domain.OutcomeApplied]. It returns [errs.NotFound] if the tenant has no such finding,
// and [errs.Invalid] for an unknown kind.
func (s *Store) AddOutcome(ctx context.Context, t domain.Tenant, v domain.Outcome) (added bool, err error) {
	if !slices.Contains(domain.OutcomeKinds(), v.Kind) {
		return false, errs.New(errs.Invalid, "outcome_kind", "The kind of an outcome must be one of %v.", domain.OutcomeKinds())
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		var body string
		row, err := first(ctx, s, s.db.Write, func(r scanner, o *domain.Outcome) error {
			return r.Scan(&o.Repository, &o.PullRequest, &o.RuleID, &o.Category, &body)
		}, `SELECT repository_id, pull_request_id, rule_id, category, body FROM findings WHERE tenant_id = $1 AND id = $2{forupdate}`,
			[]any{t.ID, v.Finding})
		if err != nil {
			return err
		}
		var stored struct{ Confidence float64 }
		if err := json.Unmarshal([]byte(body), &stored); err != nil {
			return fmt.Errorf("finding %s: %w", v.Finding, err)
		}
		if v.Kind.ByCode() {
			if kept, err := s.replaceCodeOutcome(ctx, t, v); err != nil || kept {
				return err
			}
		}
		added, err = s.exec1(ctx, `INSERT INTO finding_outcomes (tenant_id, `+outcomeColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, {now}) ON CONFLICT (tenant_id, finding_id, kind, person) DO NOTHING`,
			t.ID, row.Repository, row.PullRequest, v.Finding, string(v.Kind), v.Person, clip.Bytes(v.Name, maxOutcomeName), row.RuleID,
			string(row.Category), int64(math.Round(stored.Confidence*ppm)))
		return err
	})
	return added, err
}

// AddOutcomeInState stores an outcome of a finding as [Store.AddOutcome] does, if the finding has a state. It returns false if the
// finding has another state, or if the tenant's pull request has no such finding. Like other writers of findings it locks the
// pull request first, so that a review or a decision that ends at the same time cannot leave an outcome that contradicts it.
func (s *Store) AddOutcomeInState(ctx context.Context, t domain.Tenant, pull string, state domain.FindingState, v domain.Outcome) (
	added bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, pull); err != nil {
			return err
		}
		now, err := first(ctx, s, s.db.Write, value[string], `SELECT state FROM findings WHERE tenant_id = $1 AND pull_request_id = $2
			AND id = $3{forupdate}`, []any{t.ID, pull, v.Finding})
		if err != nil || now != string(state) {
			return err
		}
		added, err = s.AddOutcome(ctx, t, v)
		return err
	})
	return added, errs.IgnoreAbsent(err)
}

// replaceCodeOutcome removes the outcomes that an outcome decided by the code replaces. It returns true if an applied suggestion
// is kept instead of v.
func (s *Store) replaceCodeOutcome(ctx context.Context, t domain.Tenant, v domain.Outcome) (kept bool, err error) {
	if v.Kind == domain.OutcomeFixed {
		n, err := first(ctx, s, s.db.Write, value[int], `SELECT COUNT(*) FROM finding_outcomes WHERE tenant_id = $1 AND finding_id = $2
			AND kind = 'applied'`, []any{t.ID, v.Finding})
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	_, err = s.exec(ctx, `DELETE FROM finding_outcomes WHERE tenant_id = $1 AND finding_id = $2 AND kind IN ('fixed', 'applied', 'ignored')
		AND kind <> $3`, t.ID, v.Finding, string(v.Kind))
	return false, err
}

// RecordFixed stores [domain.OutcomeFixed] for those of a pull request's findings that are resolved and that a published
// review has shown.
func (s *Store) RecordFixed(ctx context.Context, t domain.Tenant, pull string, ids []string) error {
	fixed, err := manyIn(ctx, s, value[string], ids, `SELECT id FROM findings WHERE tenant_id = $1 AND pull_request_id = $2
		AND state = 'resolved' AND posted_run IS NOT NULL AND id IN ({list})`, t.ID, pull)
	if err != nil {
		return err
	}
	for _, id := range fixed {
		if _, err := s.AddOutcome(ctx, t, domain.Outcome{Finding: id, Kind: domain.OutcomeFixed}); err != nil {
			return err
		}
	}
	return nil
}

// DropOutcome removes an outcome of a finding that is taken back: a kind of all people, or of one person if person is not "".
// It returns false if there is no such outcome.
func (s *Store) DropOutcome(ctx context.Context, t domain.Tenant, finding string, kind domain.OutcomeKind, person string) (bool, error) {
	return s.exec1(ctx, `DELETE FROM finding_outcomes WHERE tenant_id = $1 AND finding_id = $2 AND kind = $3 AND ($4 = '' OR person = $4)`,
		t.ID, finding, string(kind), person)
}

// ReplaceThumbs replaces the thumbs-up and thumbs-down on a finding by those of Kind, Person and Name in now. Those that stay keep
// their time. Those of people in keep are not removed. It locks the pull request first. It returns [errs.NotFound] if the tenant
// has no such finding.
func (s *Store) ReplaceThumbs(ctx context.Context, t domain.Tenant, finding string, now []domain.Outcome, keep map[string]bool) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		pull, err := one(ctx, s, value[string], `SELECT pull_request_id FROM findings WHERE tenant_id = $1 AND id = $2`, t.ID, finding)
		if err == nil {
			_, err = s.PullRequestForUpdate(ctx, t, pull)
		}
		if err != nil {
			return err
		}
		type thumb struct{ kind, person string }
		before, err := many(ctx, s, func(r scanner, v *thumb) error { return r.Scan(&v.kind, &v.person) },
			`SELECT kind, person FROM finding_outcomes WHERE tenant_id = $1 AND finding_id = $2 AND kind IN ('thumbs_up', 'thumbs_down')`,
			t.ID, finding)
		if err != nil {
			return err
		}
		for _, b := range before {
			if keep[b.person] || slices.ContainsFunc(now, func(v domain.Outcome) bool { return string(v.Kind) == b.kind && v.Person == b.person }) {
				continue
			}
			if _, err := s.DropOutcome(ctx, t, finding, domain.OutcomeKind(b.kind), b.person); err != nil {
				return err
			}
		}
		for _, v := range now {
			v.Finding = finding
			if _, err := s.AddOutcome(ctx, t, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// noReviewedHead is the stored mark of [Store.SetFeedbackHead] without a published review.
const noReviewedHead = "none"

// FeedbackIsRead reports whether the feedback on a merged pull request was read after its last published review.
func (p PullRequest) FeedbackIsRead() bool {
	return p.FeedbackHead == cmp.Or(p.ReviewedHead, noReviewedHead)
}

// SetFeedbackHead records that the feedback on a merged pull request was read when reviewed was the head of its last published
// review, "" for none. It does nothing if the tenant has no such pull request.
func (s *Store) SetFeedbackHead(ctx context.Context, t domain.Tenant, pull, reviewed string) error {
	_, err := s.exec(ctx, `UPDATE pull_requests SET feedback_head = $3 WHERE tenant_id = $1 AND id = $2`, t.ID, pull,
		cmp.Or(reviewed, noReviewedHead))
	return err
}

// FeedbackCursor names the people after whom the next reading of feedback asks for roles: one among the known people and one among
// the others, "" to begin with the first.
type FeedbackCursor struct{ Known, Others domain.HostID }

// Scan reads the stored form: both ids with a space between them. Older versions stored one id for both.
func (c *FeedbackCursor) Scan(stored any) error {
	text := fmt.Sprintf("%s", stored)
	known, others, both := strings.Cut(text, " ")
	if !both {
		others = known
	}
	c.Known, c.Others = domain.HostID(known), domain.HostID(others)
	return nil
}

// SetFeedbackAfter records where the next reading of feedback goes on. Ids of hosts have no spaces. It does nothing if the tenant
// has no such pull request.
func (s *Store) SetFeedbackAfter(ctx context.Context, t domain.Tenant, pull string, after FeedbackCursor) error {
	person := ""
	if after != (FeedbackCursor{}) {
		person = string(after.Known) + " " + string(after.Others)
	}
	_, err := s.exec(ctx, `UPDATE pull_requests SET feedback_after = $3 WHERE tenant_id = $1 AND id = $2 AND feedback_after <> $3`,
		t.ID, pull, person)
	return err
}

// OutcomesOfFinding lists the outcomes of a finding, newest first, at most 50.
func (s *Store) OutcomesOfFinding(ctx context.Context, t domain.Tenant, finding string) ([]domain.Outcome, error) {
	return many(ctx, s, scanOutcome, `SELECT `+outcomeColumns+` FROM finding_outcomes WHERE tenant_id = $1 AND finding_id = $2
		ORDER BY created_us DESC, kind, person LIMIT $3`, t.ID, finding, maxDecisions)
}

// OutcomesFilter narrows the outcomes of a repository; zero fields do not narrow it.
type OutcomesFilter struct {
	Category domain.Category
	RuleID   string
	SinceUS  int64 // outcomes stored at this time or later
}

// maxOutcomes is the maximum number of outcomes that Outcomes reads (design choice).
const maxOutcomes = 20_000

// Outcomes lists the outcomes of a repository, newest first, at most 20,000.
func (s *Store) Outcomes(ctx context.Context, t domain.Tenant, repository string, f OutcomesFilter) ([]domain.Outcome, error) {
	c := conditions{text: `SELECT ` + outcomeColumns + ` FROM finding_outcomes WHERE tenant_id = $1 AND repository_id = $2`,
		args: []any{t.ID, repository}}
	c.and(`created_us >= ?`, f.SinceUS)
	if f.Category != "" {
		c.and(`category = ?`, string(f.Category))
	}
	if f.RuleID != "" {
		c.and(`rule_id = ?`, f.RuleID)
	}
	c.then(` ORDER BY created_us DESC, finding_id, kind, person LIMIT ?`, maxOutcomes)
	return many(ctx, s, scanOutcome, c.text, c.args...)
}
