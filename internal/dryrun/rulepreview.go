package dryrun

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// Bounds of a preview (design choices). Matching files against the rule is bounded in number and in time,
// because patterns may be slow; listed files and findings are bounded too.
const (
	maxPreviewFiles    = 10_000
	previewTime        = 3 * time.Second
	maxPreviewListed   = 100
	maxPreviewFindings = 50
)

// RulePreview lists the files and findings that an unstored rule would concern, from the stored data of the
// last published reviews. It asks no model. A matcher is tried on the code of the newest of them, which may be fetched from
// the host.
type RulePreview struct {
	Reviews int `json:"reviews" doc:"Published reviews that were looked back at"`

	Files        []RuleFile `json:"files" doc:"Files that these reviews looked at and that the rule is about, those of the newest review first; at most 100"`
	FilesFitting int        `json:"filesFitting" doc:"How many there are"`
	FilesSeen    int        `json:"filesSeen" doc:"Files that the rule was held against. Files that were deleted are not among them"`
	FilesAll     bool       `json:"filesAll" doc:"False: there are more, beyond 10000 files or three seconds, and the older reviews were not held against the rule"`

	Findings         []RuleFinding `json:"findings" doc:"What these reviews have found in such files, and of the rule that this one replaces; at most 50"`
	FindingsFitting  int           `json:"findingsFitting" doc:"How many findings there are in files that the rule is about"`
	FindingsReplaced int           `json:"findingsReplaced" doc:"How many findings break the rule that this one replaces and are in files that this one is not about; they would not be found"`

	Matcher *MatcherPreview `json:"matcher,omitempty" doc:"What the rule's matcher finds in the newest review; absent without one"`

	Prompt RuleCost `json:"prompt"`
	Active bool     `json:"active" doc:"Reviews would apply it"`
	Reason string   `json:"reason,omitempty" enum:"disabled,categoryOff,noProgram,programFails" doc:"Why they would not. disabled: it is switched off; categoryOff: the policy of the repository wants no findings of the category rule; noProgram: its pattern needs ast-grep, which the operator has not set up; programFails: ast-grep cannot run on this instance, and assay doctor says why"`

	Settings []WhatIfSetting `json:"settings" doc:"What would be another value, and how well it is known what that changes"`
	DryRuns  []DryRunOffer   `json:"dryRuns" doc:"Requests that find out a model's answer to the rule, by repository"`
}

// RuleFile is a file that a rule concerns. Its path is untrusted text.
type RuleFile struct {
	RepositoryID string `json:"repositoryId"`
	Path         string `json:"path" example:"shop/cart.go"`
	Language     string `json:"language" doc:"As in Linguist; empty where unknown" example:"Go"`
	LeftOut      bool   `json:"leftOut" doc:"The policy of the repository leaves the file out of reviews, so that the rule changes nothing there"`
}

// RuleFinding is an earlier finding that a rule concerns.
type RuleFinding struct {
	RepositoryID string       `json:"repositoryId"`
	RunID        string       `json:"runId"`
	Number       int          `json:"number" doc:"Of the pull request"`
	Finding      TriedFinding `json:"finding" doc:"As it was found, without its explanation"`
	Fits         bool         `json:"fits" doc:"It is in a file that the rule is about"`
	Replaced     bool         `json:"replaced" doc:"It breaks the rule that this one replaces"`
}

// RuleCost is the size of rules in a prompt. A model gets the rules for its part of the change, mandatory
// ones first, as far as they fit.
type RuleCost struct {
	Tokens    int `json:"tokens" doc:"Of the rule, estimated, in each prompt that has it; 0 with a matcher" example:"42"`
	AllTokens int `json:"allTokens" doc:"Of all rules of the place that are applied, with this one. The place is the tenant, or a repository with the rules of its tenant"`
	AllRules  int `json:"allRules" doc:"How many these are, without those with a matcher"`
	MaxTokens int `json:"maxTokens" doc:"Room for rules in one prompt, at most"`
	MaxRules  int `json:"maxRules" doc:"Rules of one prompt, at most"`
}

// PreviewRule shows which files and findings an unstored rule would concern in the last published reviews:
// those of a repository, or with "" those of all of the tenant's repositories. replaces is the stored rule
// of the same place that is being edited; "" for a new one. Errors: those of creating the rule except the
// limit on their number (Invalid, by pointer); NotFound for replaces.
func (s *Service) PreviewRule(ctx context.Context, t domain.Tenant, repository, replaces string, in tenant.RuleCreate,
	reviews int) (RulePreview, error) {
	out := RulePreview{Files: []RuleFile{}, Findings: []RuleFinding{}, Settings: []WhatIfSetting{}, DryRuns: []DryRunOffer{}, FilesAll: true}
	before, after, draft, err := s.Tenant.CheckNewRule(ctx, t, repository, replaces, in)
	if err != nil {
		return out, err
	}
	rule, err := review.EngineRule(draft)
	if err != nil {
		return out, err
	}
	p := &preview{Service: s, t: t, out: &out, rule: rule, replaces: replaces, policies: map[string]domain.Policy{}, budget: maxPreviewFiles}
	if err := p.cost(ctx, repository, draft); err != nil {
		return out, err
	}
	change := ruleChange{id: draft.ID, after: after.AsCreate(), settings: ruleSettings(before, after, before.Enabled && !after.Enabled)}
	looked, err := s.whatIf(ctx, t, repository, reviews, func(src store.PolicySources) (store.PolicySources, policyChange, error) {
		return src, policyChange{}, nil
	}, &change)
	if err != nil {
		return out, err
	}
	out.Settings, out.DryRuns = looked.Settings, looked.DryRuns
	runs, err := s.Store.PublishedReviews(ctx, t, repository, cmp.Or(reviews, defaultReviews))
	if err != nil {
		return out, err
	}
	if rule.Matcher != nil {
		if out.Matcher, err = p.tryMatcher(ctx, runs); err != nil {
			return out, err
		}
	}
	until, stop := context.WithTimeout(ctx, previewTime)
	defer stop()
	for _, run := range runs {
		if err := p.look(ctx, until, run); err != nil {
			return out, err
		}
		out.Reviews++
	}
	return out, nil
}

// preview matches a rule against reviews.
type preview struct {
	*Service
	t        domain.Tenant
	out      *RulePreview
	rule     engine.Rule
	replaces string
	policies map[string]domain.Policy // by repository
	budget   int                      // files that may still be matched
	known    map[[2]string]string     // languages of files by repository and path
}

// cost computes the prompt size of the place's rules with this one, and whether the rule is active.
func (p *preview) cost(ctx context.Context, repository string, draft store.Rule) error {
	origin, holds := policy.OriginTenant, domain.DefaultPolicy()
	var all []policy.Rule
	if repository == "" {
		rows, err := p.Store.Rules(ctx, p.t, "", store.Cursor{}, tenant.MaxRules)
		if err != nil {
			return err
		}
		all = policy.Ordered(rows, origin, holds)
	} else {
		var err error
		origin = policy.OriginRepository
		if holds, err = p.policy(ctx, repository); err != nil {
			return err
		}
		if all, err = policy.Rules(ctx, p.Store, p.t, repository, holds); err != nil {
			return err
		}
	}
	all = slices.DeleteFunc(all, func(r policy.Rule) bool { return r.ID == draft.ID })
	this := policy.Ordered([]store.Rule{draft}, origin, holds)[0]
	p.out.Reason = p.Tenant.Inactive(ctx, this)
	p.out.Active = p.out.Reason == ""
	p.out.Prompt = RuleCost{Tokens: p.rule.Tokens(), MaxTokens: engine.MaxRuleTokens, MaxRules: engine.MaxRules}
	for _, r := range append(all, this) {
		if r.Inactive != "" {
			continue
		}
		e, err := review.EngineRule(r.Rule)
		if err != nil {
			return err
		}
		if e.Matcher != nil {
			continue // no prompt has it
		}
		p.out.Prompt.AllRules++
		p.out.Prompt.AllTokens += e.Tokens()
	}
	return nil
}

func (p *preview) policy(ctx context.Context, repository string) (domain.Policy, error) {
	if v, known := p.policies[repository]; known {
		return v, nil
	}
	v, _, err := policy.Effective(ctx, p.Store, p.t, repository)
	p.policies[repository] = v
	return v, err
}

// look matches the rule against the stored files and findings of a review, until a deadline.
func (p *preview) look(ctx, until context.Context, run store.Run) error {
	holds, err := p.policy(ctx, run.Repository)
	if err != nil {
		return err
	}
	files, err := p.Store.RunDiffNames(ctx, p.t, run.ID, 0, store.MaxDiffFiles)
	if err != nil {
		return err
	}
	p.files(until, run.Repository, files, holds)
	found, err := p.Store.RunFindings(ctx, p.t, run.ID)
	if err != nil {
		return err
	}
	p.findings(run, found)
	return nil
}

// files matches the rule against files, each path of a repository once, until the deadline or the budget
// ends it.
func (p *preview) files(until context.Context, repository string, files []store.DiffFile, holds domain.Policy) {
	if p.known == nil {
		p.known = map[[2]string]string{}
	}
	for _, f := range files {
		key := [2]string{repository, f.Path}
		if _, seen := p.known[key]; seen || f.Status == string(diff.Deleted) {
			continue
		}
		if p.budget == 0 || until.Err() != nil {
			p.out.FilesAll = false
			return
		}
		p.budget--
		p.known[key] = f.Language
		p.out.FilesSeen++
		if !p.rule.Concerns(f.Path, f.Language) {
			continue
		}
		p.out.FilesFitting++
		if len(p.out.Files) < maxPreviewListed {
			p.out.Files = append(p.out.Files, RuleFile{RepositoryID: repository, Path: p.Scan(f.Path), Language: f.Language,
				LeftOut: engine.LeavesOut(f.Path, holds)})
		}
	}
}

// findings adds the new findings of a review that lie in files of the rule, or that come from the rule that
// this one replaces. It skips findings in files that were not matched.
func (p *preview) findings(run store.Run, found []domain.Finding) {
	replaced := breaksRule(p.replaces)
	shown := presenter{redact: p.Scan}
	for _, f := range found {
		language, known := p.known[[2]string{run.Repository, f.Anchor.Path}]
		if f.Known || !known {
			continue
		}
		v := RuleFinding{RepositoryID: run.Repository, RunID: run.ID, Number: run.Number, Fits: p.rule.Concerns(f.Anchor.Path, language),
			Replaced: p.replaces != "" && replaced(f)}
		switch {
		case v.Fits:
			p.out.FindingsFitting++
		case v.Replaced:
			p.out.FindingsReplaced++
		default:
			continue
		}
		if len(p.out.Findings) < maxPreviewFindings {
			v.Finding = shown.finding(f, f.Route)
			v.Finding.Explanation = ""
			p.out.Findings = append(p.out.Findings, v)
		}
	}
}
