package assign

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// MinShadowResults is how many suggestions of shadow mode must have a known outcome in a repository before
// the service requests reviews there (design choice).
const MinShadowResults = 50

// SignOff is the content of the instance's legal sign-off.
type SignOff struct {
	SignedOff bool
	DataUses  []string // the uses of data about people that it covers
}

// AssignmentGate reports whether reviews are requested on the host.
type AssignmentGate struct {
	Open       bool            `json:"open" doc:"Every condition is met"`
	Conditions []GateCondition `json:"conditions"`
	Shadow     ShadowResults   `json:"shadow"`
}

// GateCondition is one condition of the gate.
type GateCondition struct {
	Name    string `json:"name" enum:"legal_sign_off,tenant_mode,repository_opt_in,shadow_results"`
	Met     bool   `json:"met"`
	Message string `json:"message" doc:"What is so, and who can change it"`
}

// ShadowResults are the outcomes of suggestions in shadow mode.
type ShadowResults struct {
	Known  int64    `json:"known" doc:"Suggestions whose outcome is known"`
	Needed int64    `json:"needed"`
	Agreed int64    `json:"agreed" doc:"Those in which people chose one of the suggested"`
	Share  *float64 `json:"share" doc:"agreed of known; null without any"`
}

// Gate reads the conditions of a repository.
func (s *Service) Gate(ctx context.Context, t domain.Tenant, repository string) (AssignmentGate, error) {
	var out AssignmentGate
	sign, err := s.signOff(ctx)
	if err != nil {
		return out, err
	}
	settings, err := s.Settings(ctx, t)
	if err != nil {
		return out, err
	}
	choice, err := s.optIn(ctx, t, repository)
	if err != nil {
		return out, err
	}
	known, agreed, err := s.Store.ShadowResults(ctx, t, repository)
	if err != nil {
		return out, err
	}
	out.Shadow = ShadowResults{Known: known, Needed: MinShadowResults, Agreed: agreed}
	if known > 0 {
		out.Shadow.Share = new(float64(agreed) / float64(known))
	}
	say := func(met bool, yes, no string) string {
		if met {
			return yes
		}
		return no
	}
	mode := settings.Mode == "apply" && len(settings.NotInEffect) == 0
	wished := "The tenant's mode is " + settings.Mode + ". A tenant admin can change it to apply."
	if len(settings.NotInEffect) > 0 {
		wished = "The tenant's mode is " + settings.Mode + ", which acts as off: " + settings.NotInEffect[0].Note
	}
	opted := choice.OptedIn && len(choice.NotInEffect) == 0
	out.Conditions = []GateCondition{
		{"legal_sign_off", sign.SignedOff, say(sign.SignedOff, "The instance's legal sign-off is recorded.",
			"The instance has no legal sign-off. An instance admin records it.")},
		{"tenant_mode", mode, say(mode, "The tenant's mode is apply.", wished)},
		{"repository_opt_in", opted, say(opted, "The repository has opted in.", notOpted(choice))},
		{"shadow_results", known >= MinShadowResults, fmt.Sprintf("%d suggestions of mode shadow have a known outcome; %d are needed.",
			known, MinShadowResults)},
	}
	out.Open = true
	for _, c := range out.Conditions {
		out.Open = out.Open && c.Met
	}
	return out, nil
}

// notOpted explains why the opt-in of a repository does not count.
func notOpted(choice ApplyOptIn) string {
	if len(choice.NotInEffect) > 0 {
		return "The repository has opted in, which has no effect: " + choice.NotInEffect[0].Note
	}
	return "The repository has not opted in. A tenant admin can do so."
}

func (s *Service) signOff(ctx context.Context) (SignOff, error) {
	if s.Config.SignOff == nil {
		return SignOff{}, nil
	}
	return s.Config.SignOff(ctx)
}

// Workload is the open review work of a person in a repository.
type Workload struct {
	UserID       string `json:"userId"`
	Name         string `json:"name"`
	OpenReviews  int64  `json:"openReviews"`
	ChangedLines int64  `json:"changedLines" doc:"Of those pull requests together"`
}

// Workload lists open work by person, ordered by name.
func (s *Service) Workload(ctx context.Context, t domain.Tenant, repository string) ([]Workload, error) {
	rows, err := s.Store.Workload(ctx, t, repository)
	out := make([]Workload, len(rows))
	for i, r := range rows {
		out[i] = Workload{r.User, r.Name, r.Requests, r.ChangedLines}
	}
	return out, err
}

// SuggestedReviewer is one person in a suggestion, with the reasons.
type SuggestedReviewer struct {
	UserID  string   `json:"userId"`
	Name    string   `json:"name"`
	Score   float64  `json:"score" minimum:"0" maximum:"1"`
	Reasons []string `json:"reasons"`
}

// Assignment is a suggestion of reviewers for a pull request.
type Assignment struct {
	ID            string              `json:"id"`
	PullRequestID string              `json:"pullRequestId"`
	Number        int                 `json:"number" doc:"Of the pull request"`
	Mode          string              `json:"mode" enum:"shadow,suggest,apply"`
	Suggestions   []SuggestedReviewer `json:"suggestions" doc:"Best first"`
	Agreed        *bool               `json:"agreed" doc:"Whether people chose one of them; null until they did"`
	CreatedAt     time.Time           `json:"createdAt"`
}

// Assignments lists the suggestions of a repository, newest first.
func (s *Service) Assignments(ctx context.Context, t domain.Tenant, repository string, before store.Cursor,
	limit int) ([]Assignment, error) {
	rows, err := s.Store.Assignments(ctx, t, repository, before, limit)
	out := make([]Assignment, len(rows))
	for i, r := range rows {
		out[i] = Assignment{ID: r.ID, PullRequestID: r.PullRequest, Number: r.Number, Mode: r.Mode, Suggestions: []SuggestedReviewer{},
			Agreed: r.Agreed, CreatedAt: store.Time(r.CreatedUS)}
		if err := decode(r.Suggestions, &out[i].Suggestions); err != nil {
			return nil, err
		}
	}
	return out, err
}
