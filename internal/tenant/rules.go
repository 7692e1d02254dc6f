package tenant

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/store"
)

// MaxRules is the maximum number of rules of a tenant or a repository: the prompt has no room for more
// (design choice).
const MaxRules = 200

// RuleMatcher makes a rule a check without a model.
type RuleMatcher struct {
	Kind     string `json:"kind" enum:"regex,ast" doc:"regex: a regular expression in RE2 syntax, matched against each added line. ast: a piece of code in which $NAME and $_ stand for one part and $$$NAME for any number of them"`
	Pattern  string `json:"pattern" minLength:"1" maxLength:"1000" example:"\\bfmt\\.Print"`
	Language string `json:"language,omitempty" maxLength:"40" doc:"Needed for ast, and without effect for regex: go, java, javascript, python or typescript. Those other than go need the operator's ast-grep" example:"go"`
}

// RuleCreate is a new rule.
type RuleCreate struct {
	Title       string       `json:"title" minLength:"1" maxLength:"200" example:"Wrap errors"`
	Instruction string       `json:"instruction" minLength:"1" maxLength:"4000" doc:"What to look for, in plain language" example:"Errors that cross a package border are wrapped with what was attempted."`
	Paths       []string     `json:"paths,omitempty" maxItems:"50" doc:"Path patterns; none: every file" example:"[\"**/*.go\"]"`
	Languages   []string     `json:"languages,omitempty" maxItems:"20" doc:"Languages; none: every one" example:"[\"go\"]"`
	Severity    string       `json:"severity" enum:"critical,high,medium,low,info" example:"medium"`
	Enabled     *bool        `json:"enabled,omitempty" doc:"True where absent"`
	Mandatory   bool         `json:"mandatory,omitempty" doc:"A repository can't switch it off"`
	Matcher     *RuleMatcher `json:"matcher,omitempty" doc:"Makes the rule a check that needs no model: what the pattern matches breaks the rule"`
}

// RuleUpdate changes a rule. Absent fields stay.
type RuleUpdate struct {
	Title       patch.Value[string]         `json:"title,omitzero" minLength:"1" maxLength:"200"`
	Instruction patch.Value[string]         `json:"instruction,omitzero" minLength:"1" maxLength:"4000"`
	Paths       patch.Value[[]string]       `json:"paths,omitzero" maxItems:"50"`
	Languages   patch.Value[[]string]       `json:"languages,omitzero" maxItems:"20"`
	Severity    patch.Value[string]         `json:"severity,omitzero" enum:"critical,high,medium,low,info"`
	Enabled     patch.Value[bool]           `json:"enabled,omitzero"`
	Mandatory   patch.Value[bool]           `json:"mandatory,omitzero"`
	Matcher     patch.Nullable[RuleMatcher] `json:"matcher,omitzero" doc:"A matcher: its pattern checks the rule. null: the model does"`
}

// Rule is a rule in the interface.
type Rule struct {
	ID           string       `json:"id" audit:"ignore"`
	RepositoryID string       `json:"repositoryId,omitempty" audit:"track" doc:"Absent for a rule of the tenant"`
	Title        string       `json:"title" audit:"track"`
	Instruction  string       `json:"instruction" audit:"track"`
	Paths        []string     `json:"paths" audit:"track"`
	Languages    []string     `json:"languages" audit:"track"`
	Severity     string       `json:"severity" enum:"critical,high,medium,low,info" audit:"track"`
	Enabled      bool         `json:"enabled" audit:"track"`
	Mandatory    bool         `json:"mandatory" audit:"track"`
	Matcher      *RuleMatcher `json:"matcher,omitempty" audit:"track"`
	Version      int64        `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt    time.Time    `json:"createdAt" audit:"ignore"`
	UpdatedAt    time.Time    `json:"updatedAt" audit:"ignore"`
}

// check returns the errors of a rule. A matcher is compiled.
func (r Rule) check() error {
	var c field.Check
	c.Name("/title", r.Title)
	c.Text("/instruction", r.Instruction)
	c.Globs("/paths", r.Paths)
	c.Distinct("/paths", r.Paths)
	c.Lines("/languages", r.Languages)
	c.Distinct("/languages", r.Languages)
	if m := r.Matcher; m != nil {
		c.Line("/matcher/language", m.Language)
		c.Text("/matcher/pattern", m.Pattern)
		_, err := match.Compile(match.Spec(*m))
		if wrong, ok := errors.AsType[*match.Error](err); ok {
			c.That(false, "/matcher/"+wrong.Field, wrong.Message)
		} else if m.Kind == match.AST {
			files := match.FileLanguages(m.Language)
			reads := func(language string) bool {
				return slices.ContainsFunc(files, func(f string) bool { return strings.EqualFold(f, language) })
			}
			c.That(len(r.Languages) == 0 || slices.ContainsFunc(r.Languages, reads),
				"/languages", "must have "+strings.ToLower(files[0])+" or be empty, because the pattern is code of this language")
		}
	}
	return c.Err()
}

// rule returns the rule that the request creates.
func (in RuleCreate) rule(repository string) Rule {
	return Rule{RepositoryID: repository, Title: in.Title, Instruction: in.Instruction, Paths: list(in.Paths),
		Languages: list(in.Languages), Severity: in.Severity,
		Enabled: in.Enabled == nil || *in.Enabled, Mandatory: in.Mandatory, Matcher: in.Matcher}
}

// CreateRule creates a rule of the tenant, or of a repository if one is given. The repository must be the
// tenant's. Errors: Invalid, Conflict (too many).
func (s *Service) CreateRule(ctx context.Context, t domain.Tenant, repository string, in RuleCreate) (Rule, error) {
	r := in.rule(repository)
	if err := r.check(); err != nil {
		return Rule{}, err
	}
	if err := s.tryPattern(ctx, Rule{}, r); err != nil {
		return Rule{}, err
	}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.Rules(ctx, t, repository, store.Cursor{}, MaxRules)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == MaxRules {
			return audit.Act{}, limitError("rules", MaxRules)
		}
		row, err := s.Store.CreateRule(ctx, t, r.row())
		r = ruleOf(row)
		return audit.Act{Tenant: t, Action: "rule.create", Target: r.target(), After: r}, err
	})
	return r, err
}

// Rules lists the rules of a place, newest first.
func (s *Service) Rules(ctx context.Context, t domain.Tenant, repository string, p Page) ([]Rule, error) {
	rows, err := s.Store.Rules(ctx, t, repository, p.Before, p.Limit)
	out := make([]Rule, len(rows))
	for i, row := range rows {
		out[i] = ruleOf(row)
	}
	return out, err
}

// UpdateRule changes a rule of a place. version 0 means any version; otherwise the rule must still have it
// (Stale).
func (s *Service) UpdateRule(ctx context.Context, t domain.Tenant, repository, id string, version int64, in RuleUpdate) (Rule, error) {
	var after Rule
	if err := s.tryUpdate(ctx, t, repository, id, in); err != nil {
		return Rule{}, err
	}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, changed, err := s.CheckRule(ctx, t, repository, id, version, in)
		if err != nil {
			return audit.Act{}, err
		}
		after = changed
		row, err := s.Store.UpdateRule(ctx, t, after.row())
		if errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		after = ruleOf(row)
		return audit.Act{Tenant: t, Action: "rule.update", Target: after.target(), Before: before, After: after}, err
	})
	return after, err
}

// CheckRule checks a change of a rule (Invalid, by pointer; Stale; NotFound), and returns the rule before
// and after.
func (s *Service) CheckRule(ctx context.Context, t domain.Tenant, repository, id string, version int64,
	in RuleUpdate) (before, after Rule, err error) {
	row, err := s.Store.Rule(ctx, t, repository, id)
	if err != nil {
		return Rule{}, Rule{}, err
	}
	if version != 0 && version != row.Version {
		return Rule{}, Rule{}, errs.Changed()
	}
	before = ruleOf(row)
	after = before
	in.Title.Into(&after.Title)
	in.Instruction.Into(&after.Instruction)
	in.Paths.Into(&after.Paths)
	in.Languages.Into(&after.Languages)
	in.Severity.Into(&after.Severity)
	in.Enabled.Into(&after.Enabled)
	in.Mandatory.Into(&after.Mandatory)
	in.Matcher.IntoPointer(&after.Matcher)
	return before, after, after.check()
}

// CheckNewRule checks a rule as its creation would (Invalid, by pointer), and returns it with its row.
// replaces is the id of a stored rule of the same place that the rule replaces, or "". The rule then gets
// that id, and before is the stored rule. Errors: NotFound.
func (s *Service) CheckNewRule(ctx context.Context, t domain.Tenant, repository, replaces string,
	in RuleCreate) (before, after Rule, row store.Rule, err error) {
	after = in.rule(repository)
	after.ID = domain.NewID("rul")
	if replaces != "" {
		stored, err := s.Store.Rule(ctx, t, repository, replaces)
		if err != nil {
			return Rule{}, Rule{}, store.Rule{}, err
		}
		before = ruleOf(stored)
		after.ID = before.ID
	}
	if err = after.check(); err == nil {
		err = s.tryPattern(ctx, Rule{}, after)
	}
	return before, after, after.row(), err
}

// DeleteRule deletes a rule of a place.
func (s *Service) DeleteRule(ctx context.Context, t domain.Tenant, repository, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.Rule(ctx, t, repository, id)
		if err != nil {
			return audit.Act{}, err
		}
		r := ruleOf(row)
		return audit.Act{Tenant: t, Action: "rule.delete", Target: r.target(), Before: r}, s.Store.DeleteRule(ctx, t, repository, id)
	})
}

func (r Rule) target() audit.Target { return audit.Target{Kind: "rule", ID: r.ID, Name: r.Title} }

func (r Rule) row() store.Rule {
	row := store.Rule{ID: r.ID, Repository: r.RepositoryID, Title: r.Title, Instruction: r.Instruction,
		Paths: store.JSON(list(r.Paths)), Languages: store.JSON(list(r.Languages)),
		Severity: r.Severity, Enabled: r.Enabled, Mandatory: r.Mandatory, Version: r.Version}
	if r.Matcher != nil {
		row.Matcher = store.JSON(r.Matcher)
	}
	return row
}

func ruleOf(row store.Rule) Rule {
	r := Rule{ID: row.ID, RepositoryID: row.Repository, Title: row.Title, Instruction: row.Instruction,
		Paths: store.FromJSON[[]string](row.Paths), Languages: store.FromJSON[[]string](row.Languages),
		Severity: row.Severity, Enabled: row.Enabled, Mandatory: row.Mandatory, Version: row.Version,
		CreatedAt: store.Time(row.CreatedUS), UpdatedAt: store.Time(row.UpdatedUS)}
	if row.Matcher != "" {
		r.Matcher = new(store.FromJSON[RuleMatcher](row.Matcher))
	}
	return r
}

// list returns a copy that is never null in JSON.
func list(v []string) []string { return append([]string{}, slices.Clone(v)...) }
