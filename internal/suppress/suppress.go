// Package suppress proposes to keep findings out of later reviews, and decides on such proposals.
//
// A suppression is proposed when a person dismisses a finding, and by itself when several people refuse what
// one rule says in one folder. It has no effect until a person who manages the repository accepts it.
// Package engine applies the accepted ones.
package suppress

import (
	"context"
	"path"
	"slices"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Config holds the parts of the service.
type Config struct {
	Store *store.Store
	Audit *audit.Log
	Scan  func(text string) string // replaces secrets in the notes that people write; nil: nothing is replaced
}

// Service proposes and decides on suppressions. It is safe for concurrent use.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service {
	if c.Scan == nil {
		c.Scan = func(text string) string { return text }
	}
	return &Service{c}
}

// Bounds of proposals (design choices).
const (
	maxProposed = 200 // undecided suppressions of a repository; further ones are not proposed
	maxReason   = 500 // characters of a reason
	maxName     = 200 // characters of a person's name
)

// Propose proposes to keep a finding out of later reviews, and its rule out of its folder if enough people
// have refused that. The caller has checked that the person may review the repository. Propose joins the
// caller's transaction. It does nothing for a finding of a mandatory rule, for a scope that is proposed, in
// effect or declined already, and beyond 200 undecided proposals. A command of a person proposes a
// declined scope again. Errors: [errs.NotFound] if the repository has no such finding.
func (s *Service) Propose(ctx context.Context, t domain.Tenant, repository store.Repository, r domain.SuppressionRequest) error {
	return s.Store.Atomically(ctx, func(ctx context.Context) error {
		row, err := s.Store.Finding(ctx, t, repository.ID, r.Finding)
		if err != nil {
			return err
		}
		mandatory, err := policy.MandatoryRule(ctx, s.Store, t, repository.ID, row.Finding)
		if err != nil || mandatory {
			return err
		}
		v := store.Suppression{Record: store.Record{Repository: repository.ID}, Finding: row.ID, State: domain.SuppressionProposed,
			Reason: clip.Runes(r.Reason, maxReason, "…"), RuleID: row.RuleID, Category: string(row.Category), Severity: row.Severity.String(),
			Path: row.Anchor.Path, ProposedBy: r.UserID, ProposedName: clip.Runes(r.Name, maxName, "…"), Source: r.Source}
		proposed, err := s.Store.LockSuppressions(ctx, t, repository.ID)
		if err != nil || proposed >= maxProposed {
			return err
		}
		if err := s.proposeFinding(ctx, t, row, v); err != nil {
			return err
		}
		return s.proposeRule(ctx, t, row, v)
	})
}

// proposeFinding proposes to leave the finding out of all pull requests. It does nothing for a finding without code, because its
// fingerprint is that of any other finding of its rule in the file.
func (s *Service) proposeFinding(ctx context.Context, t domain.Tenant, row store.FindingRow, v store.Suppression) error {
	if row.Fingerprints.Exact == "" || !row.HasDistinctPrint() {
		return nil
	}
	v.Scope, v.Matches, v.Paths, v.Prints = domain.ScopeFingerprint, domain.PrintOfCode(row.Fingerprints.Exact), "[]",
		store.JSON(row.ListCodePrints())
	return s.add(ctx, t, row, v)
}

// prints lists the exact fingerprints that a finding has had, with earlier code too.
func (s *Service) prints(ctx context.Context, t domain.Tenant, row store.FindingRow) ([]string, error) {
	prints, err := s.Store.FindingPrints(ctx, t, row.ID)
	if !slices.Contains(prints, row.Fingerprints.Exact) {
		prints = append(prints, row.Fingerprints.Exact)
	}
	return prints, err
}

// add stores a proposal with its event, unless the scope has been proposed before or there is no room.
func (s *Service) add(ctx context.Context, t domain.Tenant, row store.FindingRow, v store.Suppression) error {
	before, err := s.Store.SameSuppressions(ctx, t, v.Repository, v)
	if err != nil {
		return err
	}
	for _, o := range before {
		if o.State != domain.SuppressionDeclined || v.Source != domain.SuppressedByCommand {
			return nil
		}
	}
	if v, err = s.Store.AddSuppression(ctx, t, v); err != nil {
		return err
	}
	return s.Store.AddEvent(ctx, t, domain.EventSuppression, v.ID, store.JSON(domain.ProposedSuppression{SuppressionID: v.ID,
		RepositoryID: v.Repository, FindingID: row.ID, RunID: row.LastRun, PullRequest: row.Number, Scope: v.Scope, Matches: v.Matches,
		Paths: store.FromJSON[[]string](v.Paths), Source: v.Source, Name: v.ProposedName, Reason: v.Reason}))
}

// folderOf returns the patterns of the folder of a file. A file at the root gives the pattern of that file
// alone. It returns an empty list if there is no file.
func folderOf(file string) []string {
	dir := domain.Finding{Anchor: domain.Anchor{Path: path.Clean(file)}}.Folder()
	switch {
	case file == "":
		return []string{}
	case dir == "":
		return []string{"/" + glob.Literal(path.Clean(file))}
	}
	return []string{glob.Literal(dir) + "/**"}
}
