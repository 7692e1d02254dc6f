package suppress

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// A rule is proposed for a folder from this many dismissed findings, of so many people and pull requests
// (design choices).
const (
	leastRefusals = 3
	leastPeople   = 2
	leastPulls    = 2
)

// repetition counts the dismissed findings of a rule in a folder. highest is the worst severity among them.
type repetition struct {
	findings, people, pulls int
	highest                 domain.Severity
}

// isEnough reports whether the rule is proposed for the folder.
func (n repetition) isEnough() bool {
	return n.findings >= leastRefusals && n.people >= leastPeople && n.pulls >= leastPulls
}

// proposeRule proposes to leave a rule out of a folder if enough people dismissed its findings there.
func (s *Service) proposeRule(ctx context.Context, t domain.Tenant, row store.FindingRow, v store.Suppression) error {
	folder := row.Folder()
	if folder == "" || !domain.NamesDefect(row.RuleID) || !row.Suppressible(domain.ScopeRule) {
		return nil
	}
	n, err := s.countRefusals(ctx, t, v.Repository, row.RuleID, folder)
	if err != nil || !n.isEnough() {
		return err
	}
	v.Scope, v.Matches, v.Paths, v.Prints = domain.ScopeRule, row.RuleID, store.JSON(folderOf(row.Anchor.Path)), "[]"
	v.Source, v.ProposedBy, v.ProposedName, v.Severity = domain.SuppressedByRepetition, "", "", n.highest.String()
	v.Reason = fmt.Sprintf("%d people dismissed %d findings of this rule in this folder, in %d pull requests.", n.people, n.findings, n.pulls)
	return s.add(ctx, t, row, v)
}

// countRefusals counts the findings of a rule in a folder that are dismissed now. It leaves out those that a
// suppression of the rule must not cover, and those that an unknown person dismissed.
func (s *Service) countRefusals(ctx context.Context, t domain.Tenant, repository, rule, folder string) (repetition, error) {
	refused, err := s.Store.Refusals(ctx, t, repository, rule)
	if err != nil {
		return repetition{}, err
	}
	users, people, pulls, n := map[string]string{}, map[string]bool{}, map[string]bool{}, repetition{}
	for _, f := range refused {
		severity, _ := domain.ParseSeverity(f.Severity)
		same := domain.Finding{Category: domain.Category(f.Category), Severity: severity}
		if f.Folder() != folder || f.Person == "" || !same.Suppressible(domain.ScopeRule) {
			continue
		}
		if users[f.Person] == "" {
			if users[f.Person], err = store.UserOfPerson(ctx, s.Store, t, f.Person); err != nil {
				return repetition{}, err
			}
		}
		people[users[f.Person]], pulls[f.PullRequest] = true, true
		n.findings++
		n.highest = max(n.highest, severity)
	}
	n.people, n.pulls = len(people), len(pulls)
	return n, nil
}
