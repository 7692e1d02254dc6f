package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/suppress"
)

// Suppression is a suppression as tools list it. Its reason is text from outside.
type Suppression struct {
	ID        string   `json:"id"`
	State     string   `json:"state" jsonschema:"proposed, accepted, declined, withdrawn or expired"`
	Scope     string   `json:"scope" jsonschema:"fingerprint: one finding; rule or category: all of it in the paths"`
	Matches   string   `json:"matches" jsonschema:"The fingerprint, rule id or category"`
	Paths     []string `json:"paths" jsonschema:"Path patterns; none: every file"`
	Rule      string   `json:"rule,omitempty" jsonschema:"Rule of the finding that led to it"`
	Path      string   `json:"path,omitempty" jsonschema:"File of that finding"`
	Severity  string   `json:"severity,omitempty" jsonschema:"A rule or category covers findings up to this severity; absent: every severity"`
	Source    string   `json:"source" jsonschema:"dismissal, command, repetition or usefulness"`
	Reason    string   `json:"reason,omitempty"`
	Finding   string   `json:"finding,omitempty" jsonschema:"Id of the finding that led to it, for explain_finding"`
	ExpiresAt string   `json:"expiresAt,omitempty" jsonschema:"UTC; absent: never"`
}

// Suppressions is a page of suppressions.
type Suppressions struct {
	Items      []Suppression `json:"items"`
	NextCursor string        `json:"nextCursor,omitempty" jsonschema:"For the next page; absent on the last one"`
}

// SuppressionsWanted is the input of list_suppressions.
type SuppressionsWanted struct {
	Place
	State string `json:"state,omitempty" jsonschema:"Only those in this state now; proposed where absent, any for all"`
	Paging
}

func suppressionStates() []string {
	return []string{"proposed", "accepted", "declined", "withdrawn", "expired", "any"}
}

// suppressionEnums adds the allowed words of the filter to the input schema.
func suppressionEnums(s *jsonschema.Schema) {
	for _, w := range suppressionStates() {
		s.Properties["state"].Enum = append(s.Properties["state"].Enum, w)
	}
}

func (s *Service) suppression(v store.Suppression, now int64) Suppression {
	out := Suppression{ID: v.ID, State: string(v.State), Scope: string(v.Scope), Matches: s.line(v.Matches), Source: string(v.Source),
		Reason: s.line(v.Reason), Finding: v.Finding, Paths: []string{}, Rule: s.line(v.RuleID), Path: s.line(v.Path),
		Severity: v.Severity}
	for _, p := range store.FromJSON[[]string](v.Paths) {
		out.Paths = append(out.Paths, s.line(p))
	}
	if v.ExpiresUS != 0 {
		out.ExpiresAt = formatTime(v.ExpiresUS)
		if v.State == domain.SuppressionAccepted && v.ExpiresUS <= now {
			out.State = string(domain.SuppressionExpired)
		}
	}
	return out
}

// markdown returns a suppression as one line.
func (v Suppression) markdown() string {
	scope := v.Scope + " " + v.Matches
	if v.Scope == string(domain.ScopeFingerprint) && v.Rule != "" {
		scope = "one finding of " + v.Rule + " in " + v.Path
	}
	if v.Severity != "" && v.Scope != string(domain.ScopeFingerprint) {
		scope += " up to " + v.Severity
	}
	if len(v.Paths) > 0 {
		scope += " in " + strings.Join(v.Paths, ", ")
	}
	return fmt.Sprintf("%s (%s): %s. %s\n", v.ID, v.State, scope, v.Reason)
}

func (in SuppressionsWanted) filter() (store.SuppressionsFilter, error) {
	if in.State != "" && !slices.Contains(suppressionStates(), in.State) {
		return store.SuppressionsFilter{}, field.Wrong("/state", "must be one of "+strings.Join(suppressionStates(), ", "))
	}
	limit, before, err := in.window()
	out := store.SuppressionsFilter{State: domain.SuppressionState(in.State), Before: before, Limit: limit + 1}
	switch in.State {
	case "":
		out.State = domain.SuppressionProposed
	case "any":
		out.State = ""
	}
	return out, err
}

func listSuppressions(ctx context.Context, v *visit, in SuppressionsWanted) (Suppressions, string, error) {
	out := Suppressions{Items: []Suppression{}}
	f, err := in.filter()
	if err != nil {
		return out, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return out, "", err
	}
	now, err := v.Store.Now(ctx)
	if err != nil {
		return out, "", err
	}
	rows, err := v.Store.Suppressions(ctx, v.Tenant, at.ID, f)
	if err != nil {
		return out, "", err
	}
	rows, out.NextCursor = cutPage(rows, f.Limit-1)
	var b strings.Builder
	for _, r := range rows {
		shown := v.suppression(r, now)
		out.Items = append(out.Items, shown)
		b.WriteString(shown.markdown())
	}
	text := pluralize(len(rows), "suppression.", "suppressions.") + nextPageHint(out.NextCursor)
	if len(rows) > 0 {
		text += "\n" + fenced(b.String())
	}
	return out, text, nil
}

// SuppressionDecision is the input of decide_suppression.
type SuppressionDecision struct {
	Place
	Suppression string   `json:"suppression" jsonschema:"Id of a proposed suppression, from list_suppressions"`
	Decision    string   `json:"decision" jsonschema:"accept or decline"`
	Scope       string   `json:"scope,omitempty" jsonschema:"fingerprint, rule or category; absent: as it was proposed. Only to accept"`
	Paths       []string `json:"paths,omitempty" jsonschema:"Path patterns; empty: every file; absent: as proposed, or the folder"`
	ExpiresAt   string   `json:"expiresAt,omitempty" jsonschema:"When it ends, as 2027-01-31T00:00:00Z; absent: never"`
	Note        string   `json:"note,omitempty" jsonschema:"Why, in a sentence or two"`
}

// decideEnums adds the allowed words of a decision to the input schema.
func decideEnums(s *jsonschema.Schema) {
	s.Properties["decision"].Enum = []any{"accept", "decline"}
	s.Properties["scope"].Enum = []any{"fingerprint", "rule", "category"}
}

func decideSuppression(ctx context.Context, v *visit, in SuppressionDecision) (Suppression, string, error) {
	var c field.Check
	c.That(in.Decision == "accept" || in.Decision == "decline", "/decision", "must be accept or decline")
	c.That(slices.Contains([]string{"", "fingerprint", "rule", "category"}, in.Scope), "/scope", "must be one of fingerprint, rule, category")
	c.That(len(in.Paths) <= 50, "/paths", "must have at most 50 patterns")
	c.That(len(in.Note) <= 2000, "/note", "must have at most 2000 bytes")
	d := suppress.Decision{Accept: in.Decision == "accept", Scope: domain.SuppressionScope(in.Scope), Paths: in.Paths, Note: in.Note,
		UserID: v.User.ID, Name: v.User.Name}
	if in.ExpiresAt != "" {
		at, err := time.Parse(time.RFC3339, in.ExpiresAt)
		c.That(err == nil, "/expiresAt", "must be a time such as 2027-01-31T00:00:00Z")
		d.ExpiresAt = &at
	}
	if err := c.Err(); err != nil {
		return Suppression{}, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoManage, true)
	if err == nil {
		err = checkID(in.Suppression)
	}
	if err != nil {
		return Suppression{}, "", err
	}
	row, err := v.Suppress.Decide(ctx, v.Tenant, at, in.Suppression, d)
	if err != nil {
		return Suppression{}, "", err
	}
	return v.suppression(row, 0), fmt.Sprintf("The suppression %s is %s.", row.ID, row.State), nil
}
