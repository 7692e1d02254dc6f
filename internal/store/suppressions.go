package store

import (
	"context"
	"path"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// Suppression keeps findings out of later runs after a person has accepted it. Severity, Category, RuleID and
// Path are those of the finding that led to it; the row outlives the finding.
type Suppression struct {
	Record
	Finding   string // "" if the finding is no longer stored
	Scope     domain.SuppressionScope
	Matches   string // the fingerprint, rule id or category
	Paths     string // JSON array of globs
	State     domain.SuppressionState
	Source    domain.SuppressionSource
	Reason    string // of the proposal
	Note      string // of the decision
	DecidedBy string // id of a person; "" before the decision
	DecidedUS int64  // 0 before the decision
	ExpiresUS int64  // 0 for never

	RuleID, Category, Severity, Path string // of the finding; Severity is the highest that is covered
	Prints                           string // JSON array of the exact fingerprints of the finding's code at the proposal
	ProposedBy, ProposedName         string // the person who dismissed the finding; "" if unknown
	DecidedName                      string
	WithdrawnBy, WithdrawnName       string // "" until then
	WithdrawnNote                    string
	WithdrawnUS                      int64 // 0 until then
}

func (v *Suppression) table() (string, string, []string, []any) {
	return "suppressions", "sup", []string{"finding_id", "scope", "matches", "paths", "state", "source", "reason", "note",
			"decided_by", "decided_us", "expires_us", "rule_id", "category", "severity", "path", "prints", "proposed_by", "proposed_name",
			"decided_name", "withdrawn_by", "withdrawn_name", "withdrawn_note", "withdrawn_us"},
		[]any{text(&v.Finding), (*string)(&v.Scope), &v.Matches, &v.Paths, (*string)(&v.State), (*string)(&v.Source), &v.Reason, &v.Note,
			&v.DecidedBy, number(&v.DecidedUS), number(&v.ExpiresUS), &v.RuleID, &v.Category, &v.Severity, &v.Path, &v.Prints, &v.ProposedBy,
			&v.ProposedName, &v.DecidedName, &v.WithdrawnBy, &v.WithdrawnName, &v.WithdrawnNote, number(&v.WithdrawnUS)}
}

// inEffect is the condition that a suppression keeps findings out of reviews now.
const inEffect = `state = 'accepted' AND (expires_us IS NULL OR expires_us > {now})`

// SuppressionsFilter narrows the suppressions of a repository; zero fields do not narrow it.
type SuppressionsFilter struct {
	State   domain.SuppressionState // [domain.SuppressionAccepted] leaves out those whose time has passed
	Scope   domain.SuppressionScope
	Finding string // the finding that led to it
	Before  Cursor // zero for the newest page
	Limit   int
}

// AddSuppression stores a suppression and returns it. It returns [errs.NotFound] if the tenant has no such repository or finding.
func (s *Store) AddSuppression(ctx context.Context, t domain.Tenant, v Suppression) (Suppression, error) {
	return AddRecord(ctx, s, t, v)
}

// Suppressions lists suppressions of a repository, newest first.
func (s *Store) Suppressions(ctx context.Context, t domain.Tenant, repository string, f SuppressionsFilter) ([]Suppression, error) {
	c := conditions{text: selectRecord[Suppression](), args: []any{t.ID, repository}}
	c.and(`(created_us, id) < (?, ?)`, f.Before.from(), f.Before.ID)
	switch f.State {
	case "":
	case domain.SuppressionAccepted:
		c.and(inEffect)
	case domain.SuppressionExpired:
		c.and(`state = 'accepted' AND expires_us <= {now}`)
	default:
		c.and(`state = ?`, string(f.State))
	}
	if f.Scope != "" {
		c.and(`scope = ?`, string(f.Scope))
	}
	if f.Finding != "" {
		c.and(`finding_id = ?`, f.Finding)
	}
	c.then(` ORDER BY created_us DESC, id DESC LIMIT ?`, f.Limit)
	return many(ctx, s, scanRecord[Suppression], c.text, c.args...)
}

// Suppression reads one suppression of a repository.
func (s *Store) Suppression(ctx context.Context, t domain.Tenant, repository, id string) (Suppression, error) {
	return oneRecord[Suppression](ctx, s, t, repository, id)
}

// FindingSuppressions lists the suppressions made from a finding, newest first, at most 50.
func (s *Store) FindingSuppressions(ctx context.Context, t domain.Tenant, repository, finding string) ([]Suppression, error) {
	return s.Suppressions(ctx, t, repository, SuppressionsFilter{Finding: finding, Limit: maxDecisions})
}

// MaxSuppressions is the maximum number of suppressions in effect in a repository (design choice).
const MaxSuppressions = 500

// SuppressionsInEffect lists the accepted suppressions of a repository whose time has not passed, oldest
// first, at most [MaxSuppressions].
func (s *Store) SuppressionsInEffect(ctx context.Context, t domain.Tenant, repository string) ([]Suppression, error) {
	return many(ctx, s, scanRecord[Suppression], selectRecord[Suppression]()+` AND `+inEffect+` ORDER BY created_us, id LIMIT $3`,
		t.ID, repository, MaxSuppressions)
}

// LockSuppressions makes changes of a repository's suppressions wait for each other until the caller's
// transaction ends, and returns the number of undecided ones. It returns [errs.NotFound] if the tenant has no
// such repository.
func (s *Store) LockSuppressions(ctx context.Context, t domain.Tenant, repository string) (proposed int, err error) {
	if err := s.lockRepository(ctx, t, repository); err != nil {
		return 0, err
	}
	return one(ctx, s, value[int], `SELECT COUNT(*) FROM suppressions WHERE tenant_id = $1 AND repository_id = $2 AND state = 'proposed'`,
		t.ID, repository)
}

// lockRepository locks the repository's row until the caller's transaction ends. It returns [errs.NotFound] if the tenant has no such
// repository.
func (s *Store) lockRepository(ctx context.Context, t domain.Tenant, repository string) error {
	_, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM repositories WHERE tenant_id = $1 AND id = $2{forupdate}`,
		[]any{t.ID, repository})
	return err
}

// SameSuppressions lists the suppressions of the same scope, matches and paths that are proposed, declined or in
// effect.
func (s *Store) SameSuppressions(ctx context.Context, t domain.Tenant, repository string, v Suppression) ([]Suppression, error) {
	return many(ctx, s, scanRecord[Suppression], selectRecord[Suppression]()+` AND scope = $3 AND matches = $4 AND paths = $5
		AND (state IN ('proposed', 'declined') OR `+inEffect+`) ORDER BY created_us, id LIMIT 100`,
		t.ID, repository, string(v.Scope), v.Matches, v.Paths)
}

// UsefulnessProposed reports whether a suppression of a rule was proposed because its findings are refused, and was not
// withdrawn undecided.
func (s *Store) UsefulnessProposed(ctx context.Context, t domain.Tenant, repository, rule string) (bool, error) {
	n, err := one(ctx, s, value[int], `SELECT COUNT(*) FROM suppressions WHERE tenant_id = $1 AND repository_id = $2 AND rule_id = $3
		AND source = 'usefulness' AND (state <> 'withdrawn' OR decided_us IS NOT NULL)`, t.ID, repository, rule)
	return n > 0, err
}

// SuppressionDecision is a person's decision on a proposed suppression.
type SuppressionDecision struct {
	To             domain.SuppressionState // accepted or declined
	Scope          domain.SuppressionScope
	Matches, Paths string
	Note           string
	By, Name       string // the person
	ExpiresUS      int64  // 0 for never
}

// DecideSuppression decides on a proposed suppression. It returns [errs.NotFound] if the repository has no such
// suppression that is proposed.
func (s *Store) DecideSuppression(ctx context.Context, t domain.Tenant, repository, id string, d SuppressionDecision) error {
	var expires any
	if d.ExpiresUS != 0 {
		expires = d.ExpiresUS
	}
	return must1(s.exec1(ctx, `UPDATE suppressions SET state = $4, scope = $5, matches = $6, paths = $7, note = $8, decided_by = $9,
		decided_name = $10, decided_us = {now}, expires_us = $11
		WHERE tenant_id = $1 AND repository_id = $2 AND id = $3 AND state = 'proposed'`,
		t.ID, repository, id, string(d.To), string(d.Scope), d.Matches, d.Paths, d.Note, d.By, d.Name, expires))
}

// WithdrawSuppression ends a suppression that is in the state from. It returns [errs.NotFound] if the repository
// has no such suppression in that state.
func (s *Store) WithdrawSuppression(ctx context.Context, t domain.Tenant, repository, id string, from domain.SuppressionState,
	by, name, note string) error {
	return must1(s.exec1(ctx, `UPDATE suppressions SET state = 'withdrawn', withdrawn_by = $5, withdrawn_name = $6, withdrawn_note = $7,
		withdrawn_us = {now} WHERE tenant_id = $1 AND repository_id = $2 AND id = $3 AND state = $4`,
		t.ID, repository, id, string(from), by, name, note))
}

// maxSuppressionPrints is the maximum number of fingerprints of a suppression; the newest are kept.
const maxSuppressionPrints = 40

// AddSuppressionPrint adds an exact fingerprint of the code of an accepted suppression. It does nothing if the suppression
// has the fingerprint or is not accepted any more. Changes of a repository's suppressions wait for each other, so that none is
// lost. It returns [errs.NotFound] if the repository has no such suppression.
func (s *Store) AddSuppressionPrint(ctx context.Context, t domain.Tenant, repository, id, exact string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockRepository(ctx, t, repository); err != nil {
			return err
		}
		v, err := s.Suppression(ctx, t, repository, id)
		if err != nil {
			return err
		}
		prints := FromJSON[[]string](v.Prints)
		if exact == v.Matches || slices.Contains(prints, exact) {
			return nil
		}
		prints = append(prints, exact)
		_, err = s.exec(ctx, `UPDATE suppressions SET prints = $4
			WHERE tenant_id = $1 AND repository_id = $2 AND id = $3 AND state = 'accepted'`,
			t.ID, repository, id, JSON(prints[max(len(prints)-maxSuppressionPrints, 0):]))
		return err
	})
}

// FindingPrints lists all exact fingerprints of a finding, at most 20, oldest first.
func (s *Store) FindingPrints(ctx context.Context, t domain.Tenant, finding string) ([]string, error) {
	return many(ctx, s, value[string], `SELECT exact FROM finding_prints WHERE tenant_id = $1 AND finding_id = $2
		ORDER BY created_us, exact LIMIT 20`, t.ID, finding)
}

// DismissedPrints returns those of the exact fingerprints that a dismissed finding of the repository has.
func (s *Store) DismissedPrints(ctx context.Context, t domain.Tenant, repository string, prints []string) ([]string, error) {
	return manyIn(ctx, s, value[string], prints, `SELECT DISTINCT p.exact FROM finding_prints p
		JOIN findings f ON f.tenant_id = p.tenant_id AND f.id = p.finding_id
		WHERE p.tenant_id = $1 AND f.repository_id = $2 AND f.state = 'dismissed' AND p.exact IN ({list})`, t.ID, repository)
}

// Refusal is a dismissed finding, as a sign that its rule is not wanted in its folder.
type Refusal struct {
	Finding, PullRequest, Path, Category, Severity string
	Person                                         string // who dismissed it: our id or the code host's; "" if unknown
}

// maxRefusals is the maximum number of dismissed findings that [Store.Refusals] reads.
const maxRefusals = 500

// Refusals lists the dismissed findings of a rule in a repository, the latest dismissals first, at most
// [maxRefusals].
func (s *Store) Refusals(ctx context.Context, t domain.Tenant, repository, rule string) ([]Refusal, error) {
	return many(ctx, s, func(r scanner, v *Refusal) error {
		return r.Scan(&v.Finding, &v.PullRequest, &v.Path, &v.Category, &v.Severity, &v.Person)
	}, `SELECT f.id, f.pull_request_id, f.path, f.category, f.severity, COALESCE(NULLIF(d.person, ''), d.user_id)
		FROM findings f JOIN finding_decisions d ON d.tenant_id = f.tenant_id AND d.finding_id = f.id
		WHERE f.tenant_id = $1 AND f.repository_id = $2 AND f.rule_id = $3 AND f.state = 'dismissed' AND d.state = 'dismissed'
			AND NOT EXISTS (SELECT 1 FROM finding_decisions n WHERE n.tenant_id = d.tenant_id AND n.finding_id = d.finding_id
				AND (n.created_us > d.created_us OR n.created_us = d.created_us AND n.id > d.id))
		ORDER BY d.created_us DESC, d.id DESC LIMIT $4`, t.ID, repository, rule, maxRefusals)
}

// Folder returns the folder of the finding's file; "" for a file at the root.
func (v Refusal) Folder() string {
	return domain.Finding{Anchor: domain.Anchor{Path: path.Clean(v.Path)}}.Folder()
}
