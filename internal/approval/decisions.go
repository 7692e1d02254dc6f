package approval

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// The kinds of [FindingDecision].
const (
	kindDismissal   = "dismissal"   // a person dismissed the finding, or took that back
	kindSuppression = "suppression" // the finding is kept out of later reviews, or a person proposed it
	kindDropped     = "dropped"     // the person who approved a review left it out
	kindEdited      = "edited"      // the person who approved a review changed its words
)

// FindingDecision is a decision about a finding, made or requested.
type FindingDecision struct {
	Kind  string
	ID    string // of the dismissal, the suppression, or the output that waited
	State string
	Why   string // reason in a person's words
	By    string // id of the person; "" if undecided, or if the person has not signed in here
	Name  string // of the person; "" if it is unknown
	Run   string // run of the approved review
	AtUS  int64  // 0 while undecided
}

// Decisions lists the decisions about a finding of a repository: by kind, each newest first. It does not
// depend on the reader.
func (s *Service) Decisions(ctx context.Context, t domain.Tenant, repository, finding string) ([]FindingDecision, error) {
	var out []FindingDecision
	said, err := s.Store.FindingDecisions(ctx, t, finding)
	if err != nil {
		return nil, err
	}
	names, err := s.namesOfOutcomes(ctx, t, finding)
	if err != nil {
		return nil, err
	}
	for _, v := range said {
		d := FindingDecision{Kind: kindDismissal, ID: v.ID, State: string(v.State), Why: v.Reason, By: v.User, Name: names[v.Person],
			AtUS: v.CreatedUS}
		if err := s.nameUser(ctx, &d); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	kept, err := s.Store.FindingSuppressions(ctx, t, repository, finding)
	if err != nil {
		return nil, err
	}
	for _, v := range kept {
		d := FindingDecision{Kind: kindSuppression, ID: v.ID, State: string(v.State), Why: v.Reason, By: v.DecidedBy, AtUS: v.DecidedUS}
		if v.WithdrawnUS != 0 {
			d.By, d.AtUS = v.WithdrawnBy, v.WithdrawnUS
		}
		if err := s.nameUser(ctx, &d); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	approved, err := s.Store.FindingApprovals(ctx, t, finding)
	if err != nil {
		return nil, err
	}
	for _, v := range approved {
		d := FindingDecision{Kind: kindDropped, ID: v.Output, State: string(v.State), Why: v.Note, By: v.DecidedBy,
			Name: v.DecidedName, Run: v.Run, AtUS: v.DecidedUS}
		for _, e := range store.FromJSON[domain.ApprovalChanges](v.Changes).Edit {
			if e.FindingID == finding {
				d.Kind = kindEdited
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// namesOfOutcomes returns the names of people in the outcomes of a finding, by the person.
func (s *Service) namesOfOutcomes(ctx context.Context, t domain.Tenant, finding string) (map[string]string, error) {
	all, err := s.Store.OutcomesOfFinding(ctx, t, finding)
	out := map[string]string{}
	for _, o := range all {
		out[o.Person] = o.Name
	}
	return out, err
}

// nameUser fills the name of the user who decided, if the user still exists and the name is missing.
func (s *Service) nameUser(ctx context.Context, d *FindingDecision) error {
	if d.By == "" || d.Name != "" {
		return nil
	}
	u, err := s.Store.UserByID(ctx, d.By)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	d.Name = u.Name
	return err
}
