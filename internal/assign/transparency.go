package assign

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// AssignmentTransparency says which data about people suggestions of reviewers
// use, and what is stored of the one who asks.
type AssignmentTransparency struct {
	Mode     string            `json:"mode" enum:"off,shadow,suggest,apply"`
	Data     []DataUse         `json:"data"`
	Formula  string            `json:"formula"`
	Weights  AssignmentWeights `json:"weights"`
	SignOff  SignOffState      `json:"signOff"`
	Mine     MyAssignmentData  `json:"mine"`
	NeverFor []string          `json:"neverFor" doc:"What the data is not used for"`
}

// SignOffState is what the instance has confirmed.
type SignOffState struct {
	SignedOff bool     `json:"signedOff"`
	DataUses  []string `json:"dataUses"`
}

// DataUse is one kind of data about people.
type DataUse struct {
	Name      string `json:"name"`
	Source    string `json:"source"`
	Purpose   string `json:"purpose"`
	StoredFor string `json:"storedFor"`
	VisibleTo string `json:"visibleTo"`
}

// MyAssignmentData is what is stored of the person who asks.
type MyAssignmentData struct {
	Excluded     bool                 `json:"excluded" doc:"An admin has taken the person out of suggestions"`
	Settings     MyAssignmentSettings `json:"settings"`
	Availability []Availability       `json:"availability" doc:"Over or not, as far as they are kept"`
}

// Transparency answers for one member.
func (s *Service) Transparency(ctx context.Context, t domain.Tenant, user string) (AssignmentTransparency, error) {
	var out AssignmentTransparency
	settings, err := s.Settings(ctx, t)
	if err != nil {
		return out, err
	}
	sign, err := s.signOff(ctx)
	if err != nil {
		return out, err
	}
	w := settings.Weights
	out = AssignmentTransparency{Mode: settings.Mode, Weights: w, SignOff: SignOffState{sign.SignedOff, append([]string{}, sign.DataUses...)},
		Formula: fmt.Sprintf("score = (%d × ownership + %d × knowledge + %d × workload + %d × availability + %d × fairness) ÷ %d; each part lies between 0 and 1. "+
			"The author of the pull request, excluded people and those who opted out have no score.", w.Ownership, w.Knowledge, w.Workload, w.Availability, w.Fairness, w.sum()),
		NeverFor: []string{"ranking people", "figures of performance", "any decision about a person"},
		Data:     dataUses(settings.FairnessWindowDays),
	}
	out.Mine.Excluded = slices.Contains(settings.ExcludedUserIDs, user)
	if out.Mine.Settings, err = s.Mine(ctx, t, user); err != nil {
		return out, err
	}
	out.Mine.Availability, err = s.Availability(ctx, t, user, true, store.Cursor{}, 500)
	return out, err
}

// dataUses lists every kind of data about people that suggestions may use.
func dataUses(fairnessDays int) []DataUse {
	keep := fmt.Sprintf("%d days after it is over", int(KeepAvailability.Hours()/24))
	return []DataUse{
		{"ownership", "CODEOWNERS of the repository", "Who answers for the touched paths", "Not stored; read for each pull request", "Everybody who can read the repository"},
		{"knowledge", "Commits and reviews of the touched paths", "Who knows the code", "Not stored; read for each pull request", "Everybody who can read the repository"},
		{"workload", "Open requests to review", "Not to ask who has much to do", "While the request is open", "Managers of the repository, as open work"},
		{"settings", "The person", "Opt-out, most open reviews, working hours, wanted and unwanted paths", "Until changed, or the membership ends", "The person"},
		{"availability", "The person", "Not to ask who is away", keep + ", or the membership ends", "The person"},
		{"fairness", "Earlier suggestions", "To spread requests", fmt.Sprintf("Suggestions of the last %d days are looked at", fairnessDays), "Everybody who can read the repository"},
	}
}
