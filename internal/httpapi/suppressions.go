package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/suppress"
)

// Suppression keeps findings out of later runs after it is accepted.
type Suppression struct {
	ID        string          `json:"id"`
	FindingID string          `json:"findingId,omitempty" doc:"The finding that led to it; absent if it is no longer stored"`
	Scope     string          `json:"scope" enum:"fingerprint,rule,category"`
	Matches   string          `json:"matches" doc:"The fingerprint, rule id or category"`
	Paths     []string        `json:"paths" doc:"Path patterns; none: every file"`
	State     string          `json:"state" enum:"proposed,accepted,declined,withdrawn,expired" doc:"expired: its time has passed"`
	Source    string          `json:"source" enum:"dismissal,command,repetition,usefulness" doc:"What led to it"`
	Reason    string          `json:"reason" doc:"Of the proposal; text from outside"`
	Note      string          `json:"note" doc:"Of the decision"`
	About     SuppressedKind  `json:"about" doc:"The finding that led to it"`
	Proposed  *SuppressionAct `json:"proposed,omitempty" doc:"Who dismissed the finding; absent for a repetition and for usefulness"`
	DecidedBy string          `json:"decidedBy,omitempty"`
	DecidedAt *time.Time      `json:"decidedAt,omitempty"`
	Decided   *SuppressionAct `json:"decided,omitempty" doc:"Absent before the decision"`
	Withdrawn *SuppressionAct `json:"withdrawn,omitempty" doc:"Absent until it is withdrawn"`
	ExpiresAt *time.Time      `json:"expiresAt,omitempty" doc:"Absent: never"`
	CreatedAt time.Time       `json:"createdAt"`
}

// SuppressedKind describes the finding that led to a suppression.
type SuppressedKind struct {
	RuleID   string `json:"ruleId" example:"llm/correctness/nil-deref"`
	Category string `json:"category" example:"bug"`
	Severity string `json:"severity" example:"low" doc:"Of a repetition the highest. A rule or category covers findings up to it"`
	Path     string `json:"path" example:"shop/cart.go"`
}

// SuppressionAct is what a person did with a suppression.
type SuppressionAct struct {
	By   string     `json:"by,omitempty" doc:"Id of the person; absent if the person has no user here"`
	Name string     `json:"name" doc:"As it was then; text from outside"`
	At   *time.Time `json:"at,omitempty" doc:"Absent for the proposal, which has the time of its creation"`
	Note string     `json:"note,omitempty"`
}

// suppressionOf returns a function that converts suppressions as they are at a time.
func suppressionOf(now int64) func(store.Suppression) Suppression {
	return func(v store.Suppression) Suppression {
		out := Suppression{ID: v.ID, FindingID: v.Finding, Scope: string(v.Scope), Matches: v.Matches, Paths: storedList[string](v.Paths),
			State: string(v.State), Source: string(v.Source), Reason: v.Reason, Note: v.Note,
			About:     SuppressedKind{RuleID: v.RuleID, Category: v.Category, Severity: v.Severity, Path: v.Path},
			DecidedBy: v.DecidedBy, DecidedAt: store.TimeOrNil(v.DecidedUS), ExpiresAt: store.TimeOrNil(v.ExpiresUS),
			CreatedAt: store.Time(v.CreatedUS)}
		if v.State == domain.SuppressionAccepted && v.ExpiresUS != 0 && v.ExpiresUS <= now {
			out.State = string(domain.SuppressionExpired)
		}
		if v.ProposedName != "" || v.ProposedBy != "" {
			out.Proposed = &SuppressionAct{By: v.ProposedBy, Name: v.ProposedName}
		}
		if v.DecidedUS != 0 {
			out.Decided = &SuppressionAct{By: v.DecidedBy, Name: v.DecidedName, At: store.TimeOrNil(v.DecidedUS), Note: v.Note}
		}
		if v.WithdrawnUS != 0 {
			out.Withdrawn = &SuppressionAct{By: v.WithdrawnBy, Name: v.WithdrawnName, At: store.TimeOrNil(v.WithdrawnUS), Note: v.WithdrawnNote}
		}
		return out
	}
}

// SuppressionsInput is the input of GET R/suppressions.
type SuppressionsInput struct {
	InRepository
	Page
	State   string `query:"state" enum:"proposed,accepted,declined,withdrawn,expired" doc:"Only those in this state now"`
	Scope   string `query:"scope" enum:"fingerprint,rule,category" doc:"Only those of this scope"`
	Finding string `query:"finding" maxLength:"100" doc:"Only those that the finding with this id led to" example:"fnd_example"`
}

func (s *server) suppressions(ctx context.Context, in *SuppressionsInput) (*Listed[Suppression], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	now, err := s.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.Suppressions(ctx, c.tenant, c.repository.ID, store.SuppressionsFilter{State: domain.SuppressionState(in.State),
		Scope: domain.SuppressionScope(in.Scope), Finding: in.Finding, Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, suppressionOf(now)), nil
}

// InSuppression names a suppression in a path.
type InSuppression struct {
	InRepository
	ID string `path:"suppressionId"`
}

func (s *server) suppression(ctx context.Context, in *InSuppression) (*Read[Suppression], error) {
	now, err := s.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	return find(ctx, in.ID, s.Store.Suppression, suppressionOf(now))
}

// SuppressionDecision accepts or declines a proposed suppression.
type SuppressionDecision struct {
	Decision  string     `json:"decision" enum:"accept,decline" example:"decline"`
	Scope     string     `json:"scope,omitempty" enum:"fingerprint,rule,category" doc:"Absent: as proposed. Only to accept"`
	Paths     []string   `json:"paths,omitempty" maxItems:"50" doc:"Only to accept; absent: as proposed, or the folder; empty: every file"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"At most in five years; absent: never. Only to accept"`
	Note      string     `json:"note,omitempty" maxLength:"2000" doc:"Why" example:"Generated files"`
}

func (s *server) decideSuppression(ctx context.Context, in *struct {
	InSuppression
	Body SuppressionDecision
}) (*Read[Suppression], error) {
	c := callerFrom(ctx)
	v, err := s.Suppress.Decide(ctx, c.tenant, c.repository, in.ID, suppress.Decision{Accept: in.Body.Decision == "accept",
		Scope: domain.SuppressionScope(in.Body.Scope), Paths: in.Body.Paths, ExpiresAt: in.Body.ExpiresAt, Note: in.Body.Note,
		UserID: c.user.ID, Name: c.user.Name})
	return changedSuppression(v, err)
}

// SuppressionWithdrawal ends an accepted suppression.
type SuppressionWithdrawal struct {
	Note string `json:"note,omitempty" maxLength:"2000" doc:"Why" example:"The folder is no longer generated"`
}

func (s *server) withdrawSuppression(ctx context.Context, in *struct {
	InSuppression
	Body SuppressionWithdrawal
}) (*Read[Suppression], error) {
	c := callerFrom(ctx)
	v, err := s.Suppress.Withdraw(ctx, c.tenant, c.repository, in.ID,
		suppress.Decision{Note: in.Body.Note, UserID: c.user.ID, Name: c.user.Name})
	return changedSuppression(v, err)
}

func changedSuppression(v store.Suppression, err error) (*Read[Suppression], error) {
	if err != nil {
		return nil, err
	}
	return read(suppressionOf(0)(v), nil)
}
