package approval

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// The kinds of [FindingDecision].
const (
	kindDismissal   = "dismissal"   // somebody said that nobody has to act on it, or took that back
	kindSuppression = "suppression" // it is, or was proposed to be, kept out of later reviews
	kindDropped     = "dropped"     // whoever approved a review left it out
	kindEdited      = "edited"      // whoever approved a review gave it other words
)

// FindingDecision is what a person decided about a finding, or is asked to.
type FindingDecision struct {
	Kind  string
	ID    string // of the dismissal, of the suppression, or of the output that waited
	State string
	Why   string // in the words of a person
	By    string // id of the person; "" where nobody has decided, or somebody who has not signed in here
	Run   string // of the review that was approved
	AtUS  int64  // 0 while nobody has decided
}

// Decisions lists what people decided about a finding of a repository, whoever asks: by
// kind, and of each the newest first.
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
		out = append(out, FindingDecision{Kind: kindSuppression, ID: v.ID, State: v.State, Why: v.Reason, By: v.DecidedBy, AtUS: v.DecidedUS})
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
