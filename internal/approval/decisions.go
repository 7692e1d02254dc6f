package approval

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
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
	for _, v := range said {
		out = append(out, FindingDecision{Kind: kindDismissal, ID: v.ID, State: string(v.State), Why: v.Reason, By: v.User, AtUS: v.CreatedUS})
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
		out = append(out, d)
	}
	approved, err := s.Store.FindingApprovals(ctx, t, finding)
	if err != nil {
		return nil, err
	}
	for _, v := range approved {
		d := FindingDecision{Kind: kindDropped, ID: v.Output, State: string(v.State), Why: v.Note, By: v.DecidedBy, Run: v.Run, AtUS: v.DecidedUS}
		for _, e := range store.FromJSON[domain.ApprovalChanges](v.Changes).Edit {
			if e.FindingID == finding {
				d.Kind = kindEdited
			}
		}
		out = append(out, d)
	}
	return out, nil
}
