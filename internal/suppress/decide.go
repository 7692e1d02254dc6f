package suppress

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// maxLife is how far in the future a suppression may expire (design choice).
const maxLife = 5 * 365 * 24 * time.Hour

// Decision is a person's decision on a proposed suppression. The caller has checked that the person may
// manage the repository.
type Decision struct {
	Accept    bool
	Scope     domain.SuppressionScope // "": as it was proposed
	Paths     []string                // nil: as proposed, or the folder of the finding for another scope; empty: every file
	ExpiresAt *time.Time              // nil: never
	Note      string                  // at most 2,000 characters
	UserID    string
	Name      string // of the person
}

// suppressionRecord is the audit log's record of a suppression.
type suppressionRecord struct {
	State     string   `json:"state" audit:"track"`
	Scope     string   `json:"scope" audit:"track"`
	Matches   string   `json:"matches" audit:"track"`
	Paths     []string `json:"paths" audit:"track"`
	ExpiresAt string   `json:"expiresAt" audit:"track"`
}

func recordOf(v store.Suppression) suppressionRecord {
	out := suppressionRecord{State: string(v.State), Scope: string(v.Scope), Matches: v.Matches, Paths: store.FromJSON[[]string](v.Paths)}
	if v.ExpiresUS != 0 {
		out.ExpiresAt = store.Time(v.ExpiresUS).UTC().Format(time.RFC3339)
	}
	return out
}

// Decide accepts or declines a proposed suppression and returns its new state. Errors: [errs.NotFound];
// [errs.Conflict] if it is decided (the message names who decided), if the same scope is in effect already, or if
// the repository has too many; [errs.Invalid] for a scope that the finding must not have.
func (s *Service) Decide(ctx context.Context, t domain.Tenant, repository store.Repository, id string, d Decision) (
	store.Suppression, error) {
	d.Note = s.Scan(d.Note)
	var after store.Suppression
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if _, err := s.Store.LockSuppressions(ctx, t, repository.ID); err != nil {
			return audit.Act{}, err
		}
		v, err := s.Store.Suppression(ctx, t, repository.ID, id)
		if err != nil {
			return audit.Act{}, err
		}
		if v.State != domain.SuppressionProposed {
			return audit.Act{}, errs.New(errs.Conflict, "suppression_decided", "%s", sentence(v))
		}
		move, err := s.check(ctx, t, v, d)
		if err != nil {
			return audit.Act{}, err
		}
		if d.Accept {
			if err := s.room(ctx, t, v, move); err != nil {
				return audit.Act{}, err
			}
		}
		if err := s.Store.DecideSuppression(ctx, t, repository.ID, id, move); err != nil {
			return audit.Act{}, err
		}
		if after, err = s.Store.Suppression(ctx, t, repository.ID, id); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "suppression." + verb(d.Accept), Target: audit.Target{Kind: "suppression", ID: id},
			Before: recordOf(v), After: recordOf(after), Note: d.Note}, nil
	})
	return after, err
}

func verb(accept bool) string {
	if accept {
		return "accept"
	}
	return "decline"
}

// check returns the change that a decision makes, or an error that names the wrong fields.
func (s *Service) check(ctx context.Context, t domain.Tenant, v store.Suppression, d Decision) (store.SuppressionDecision, error) {
	var c field.Check
	move := store.SuppressionDecision{To: domain.SuppressionDeclined, Scope: v.Scope, Matches: v.Matches, Paths: v.Paths, Note: d.Note,
		By: d.UserID, Name: d.Name}
	c.Text("/note", d.Note)
	if !d.Accept {
		c.That(d.Scope == "", "/scope", "must be absent where the suppression is declined")
		c.That(d.Paths == nil, "/paths", "must be absent where the suppression is declined")
		c.That(d.ExpiresAt == nil, "/expiresAt", "must be absent where the suppression is declined")
		return move, c.Err()
	}
	move.To = domain.SuppressionAccepted
	if d.Scope != "" && d.Scope != v.Scope {
		move.Scope, move.Matches, move.Paths = d.Scope, matches(v, d.Scope), store.JSON(folderOf(v.Path))
	}
	if move.Scope == domain.ScopeFingerprint {
		move.Paths = "[]"
		c.That(len(d.Paths) == 0, "/paths", "must be absent with the scope fingerprint, which is of one place")
		c.That(move.Matches != "", "/scope", "must be rule or category: no single finding led to this suppression")
	} else if d.Paths != nil {
		move.Paths = store.JSON(d.Paths)
	} else {
		c.That(move.Scope == v.Scope || v.Path != "", "/paths", "must be present: the finding has no file, so that there is no folder to propose")
	}
	c.That(move.Scope != domain.ScopeRule || domain.NamesDefect(move.Matches), "/scope", "must be fingerprint or category: the rule does not "+
		"name a defect")
	c.Globs("/paths", unrooted(d.Paths))
	for i, p := range d.Paths {
		c.That(!strings.HasPrefix(p, "!"), field.At("/paths", i), "must not begin with an exclamation mark: a suppression has no patterns "+
			"of files that it does not cover")
	}
	c.Distinct("/paths", d.Paths)
	severity, _ := domain.ParseSeverity(v.Severity)
	f := domain.Finding{RuleID: v.RuleID, Category: domain.Category(v.Category), Severity: severity}
	c.That(f.Suppressible(move.Scope), "/scope", "must be fingerprint: secrets, and security findings of High and above, are never left "+
		"out by rule or category")
	mandatory, err := policy.MandatoryRule(ctx, s.Store, t, v.Repository, f)
	if err != nil {
		return move, err
	}
	c.That(!mandatory, "/decision", "must be decline: the rule is mandatory, and its findings are never left out")
	if d.ExpiresAt != nil {
		now, err := s.Store.Now(ctx)
		if err != nil {
			return move, err
		}
		left := d.ExpiresAt.Sub(time.UnixMicro(now))
		c.That(left > 0 && left <= maxLife, "/expiresAt", "must be in the future, at most five years from now")
		move.ExpiresUS = d.ExpiresAt.UnixMicro()
	}
	return move, c.Err()
}

// unrooted returns the patterns without the slash that ties them to the root of the repository.
func unrooted(patterns []string) []string {
	out := make([]string, len(patterns))
	for i, p := range patterns {
		out[i] = strings.TrimPrefix(p, "/")
	}
	return out
}

// matches returns what a suppression of another scope than the proposed one matches.
func matches(v store.Suppression, scope domain.SuppressionScope) string {
	switch scope {
	case domain.ScopeRule:
		return v.RuleID
	case domain.ScopeCategory:
		return v.Category
	}
	if prints := store.FromJSON[[]string](v.Prints); len(prints) > 0 {
		return prints[len(prints)-1]
	}
	return ""
}

// room returns an error if the same scope is in effect already, or if there are too many suppressions.
func (s *Service) room(ctx context.Context, t domain.Tenant, v store.Suppression, move store.SuppressionDecision) error {
	same, err := s.Store.SameSuppressions(ctx, t, v.Repository, store.Suppression{Scope: move.Scope, Matches: move.Matches, Paths: move.Paths})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(same, func(o store.Suppression) bool { return o.State == domain.SuppressionAccepted }) {
		return errs.New(errs.Conflict, "suppression_exists", "Another suppression with this scope is in effect. Decline this one, or choose "+
			"another scope or other paths.")
	}
	active, err := s.Store.SuppressionsInEffect(ctx, t, v.Repository)
	if err == nil && len(active) >= store.MaxSuppressions {
		err = errs.New(errs.Conflict, "too_many", "%d suppressions are in effect in this repository. Withdraw some first.", len(active))
	}
	return err
}

// Withdraw ends an accepted suppression. Later reviews report what it left out. note is at most 2,000
// characters. Errors: [errs.NotFound]; [errs.Conflict] if it is not accepted; [errs.Invalid].
func (s *Service) Withdraw(ctx context.Context, t domain.Tenant, repository store.Repository, id string, d Decision) (
	store.Suppression, error) {
	var c field.Check
	c.Text("/note", d.Note)
	if err := c.Err(); err != nil {
		return store.Suppression{}, err
	}
	d.Note = s.Scan(d.Note)
	var after store.Suppression
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if _, err := s.Store.LockSuppressions(ctx, t, repository.ID); err != nil {
			return audit.Act{}, err
		}
		v, err := s.Store.Suppression(ctx, t, repository.ID, id)
		if err != nil {
			return audit.Act{}, err
		}
		if v.State != domain.SuppressionAccepted {
			return audit.Act{}, errs.New(errs.Conflict, "suppression_"+string(v.State), "%s", sentence(v))
		}
		if err := s.Store.WithdrawSuppression(ctx, t, repository.ID, id, v.State, d.UserID, d.Name, d.Note); err != nil {
			return audit.Act{}, err
		}
		if after, err = s.Store.Suppression(ctx, t, repository.ID, id); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "suppression.withdraw", Target: audit.Target{Kind: "suppression", ID: id},
			Before: recordOf(v), After: recordOf(after), Note: d.Note}, nil
	})
	return after, err
}

// sentence says what has become of a suppression.
func sentence(v store.Suppression) string {
	at := func(us int64) string { return store.Time(us).UTC().Format("2006-01-02 15:04:05 UTC") }
	switch v.State {
	case domain.SuppressionAccepted:
		return v.DecidedName + " accepted this suppression at " + at(v.DecidedUS) + "."
	case domain.SuppressionDeclined:
		return v.DecidedName + " declined this suppression at " + at(v.DecidedUS) + "."
	case domain.SuppressionWithdrawn:
		return cmp.Or(v.WithdrawnName, "The service") + " withdrew this suppression at " + at(v.WithdrawnUS) + "."
	}
	return "This suppression is not decided yet. Decline it instead."
}
