package assign

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// AssignmentTransparency lists the data about people that reviewer suggestions use, and the data stored
// about the person who asks.
type AssignmentTransparency struct {
	Mode     string            `json:"mode" enum:"off,shadow,suggest,apply"`
	Suggests bool              `json:"suggests" doc:"Whether this release makes suggestions. While it does not, it reads and stores only what is inUse"`
	Data     []DataUse         `json:"data"`
	Formula  string            `json:"formula"`
	Weights  AssignmentWeights `json:"weights"`
	SignOff  SignOffState      `json:"signOff"`
	Mine     MyAssignmentData  `json:"mine"`
	NeverFor []string          `json:"neverFor" doc:"What the data is not used for"`
}

// SignOffState is the legal sign-off of the instance.
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
	InUse     bool   `json:"inUse" doc:"Whether this release reads or stores it"`
}

// MyAssignmentData is the data stored about the person who asks.
type MyAssignmentData struct {
	Excluded     bool                 `json:"excluded" doc:"An admin has taken the person out of suggestions"`
	Settings     MyAssignmentSettings `json:"settings"`
	Availability []Availability       `json:"availability" doc:"Over or not, as far as they are kept"`
}

// Transparency returns the report for one member.
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
		Formula: fmt.Sprintf("score = (%d × ownership + %d × knowledge + %d × workload + %d × availability + %d × fairness) ÷ %d; each "+
			"part lies between 0 and 1. "+
			"The author of the pull request, excluded people and those who opted out have no score.", w.Ownership, w.Knowledge, w.Workload,
			w.Availability, w.Fairness, w.sum()),
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

// dataUses lists every kind of data about people that suggestions may use. Kinds that no code reads yet are
// marked as not in use.
func dataUses(fairnessDays int) []DataUse {
	keep := fmt.Sprintf("%d days after it is over", int(KeepAvailability.Hours()/24))
	return []DataUse{
		{Name: "ownership", Source: "CODEOWNERS of the repository", Purpose: "Owners of the touched paths",
			StoredFor: "Not stored; read for each pull request", VisibleTo: "Everybody who can read the repository"},
		{Name: "knowledge", Source: "Commits and reviews of the touched paths", Purpose: "People who know the code",
			StoredFor: "Not stored; read for each pull request", VisibleTo: "Everybody who can read the repository"},
		{Name: "workload", Source: "Open requests to review", Purpose: "Not to ask who has much to do",
			StoredFor: "While the request is open", VisibleTo: "Managers of the repository, as open work"},
		{Name: "settings", Source: "The person", Purpose: "Opt-out, most open reviews, working hours, wanted and unwanted paths",
			StoredFor: "Until changed, or the membership ends", VisibleTo: "The person", InUse: true},
		{Name: "availability", Source: "The person", Purpose: "Not to ask who is away",
			StoredFor: keep + ", or the membership ends", VisibleTo: "The person", InUse: true},
		{Name: "fairness", Source: "Earlier suggestions", Purpose: "To spread requests",
			StoredFor: fmt.Sprintf("Suggestions of the last %d days are looked at", fairnessDays),
			VisibleTo: "Everybody who can read the repository"},
	}
}
