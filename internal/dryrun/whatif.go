package dryrun

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// The maximum and the default number of reviews that what-if reads.
const (
	maxReviews     = 50
	defaultReviews = 20
)

// WhatIf shows how the last published reviews would have looked under other settings, from their stored
// data. It asks no model and no host, and changes nothing.
type WhatIf struct {
	Settings []WhatIfSetting `json:"settings" doc:"What would be another value, and how well it is known what that changes"`
	Reviews  []WhatIfReview  `json:"reviews" doc:"Newest first"`
	Totals   WhatIfTotals    `json:"totals"`
	Check    *WhatIfHeads    `json:"check,omitempty" doc:"Absent unless a check setting changes"`
	Skipped  int             `json:"skipped" doc:"Reviews among the newest that were made before what decides was stored, and that are left out"`
	DryRuns  []DryRunOffer   `json:"dryRuns" doc:"Requests that find out the results that are not exact, by repository"`
}

// WhatIfSetting is a setting that would change.
type WhatIfSetting struct {
	Name  string `json:"name" doc:"Path of the setting with dots; for a rule: rule and its field" example:"minSeverity"`
	Known string `json:"known" enum:"exact,partly,unknown" doc:"exact: the reviews below are what they would have been. partly: so far as something goes. unknown: the reviews below do not have it"`
	Why   string `json:"why,omitempty" doc:"What is not known, in a sentence"`
}

// WhatIfReview is one published review under the other settings.
type WhatIfReview struct {
	RunID        string        `json:"runId"`
	RepositoryID string        `json:"repositoryId"`
	Number       int           `json:"number" doc:"Of the pull request"`
	HeadSHA      string        `json:"headSha"`
	PublishedAt  *time.Time    `json:"publishedAt,omitempty"`
	Added        []WhatIfMoved `json:"added" doc:"Findings that would be shown, and are not"`
	Dropped      []WhatIfMoved `json:"dropped" doc:"Findings that are shown, and would not be"`
	Rerouted     []WhatIfMoved `json:"rerouted" doc:"Findings that would be shown elsewhere"`
	Before       WhatIfCounts  `json:"before" doc:"Under the settings that hold now"`
	After        WhatIfCounts  `json:"after"`
	CheckOnly    bool          `json:"checkOnly,omitempty" doc:"It would be only its check, because the change is clean"`
	Notes        []string      `json:"notes,omitempty" doc:"Unknown results of this review, one sentence each"`
}

// WhatIfMoved is a finding that would be shown elsewhere, or not shown, or not found.
type WhatIfMoved struct {
	Finding TriedFinding `json:"finding" doc:"Its route is the one that it would have"`
	From    string       `json:"from" enum:"inline,summary,stored"`
	To      string       `json:"to" enum:"inline,summary,stored,none" doc:"none: it would not be found"`
	Why     string       `json:"why,omitempty" doc:"Why it is not shown" example:"below minimum severity"`
}

// WhatIfCounts count the new findings of a review by where they are shown.
type WhatIfCounts struct {
	Inline  int `json:"inline"`
	Summary int `json:"summary"`
	Stored  int `json:"stored"`
}

func (c *WhatIfCounts) add(r domain.Route, n int) {
	switch r {
	case domain.RouteInline:
		c.Inline += n
	case domain.RouteSummary:
		c.Summary += n
	case domain.RouteStored:
		c.Stored += n
	}
}

// WhatIfTotals are the sums over the reviews.
type WhatIfTotals struct {
	Reviews  int `json:"reviews"`
	Changed  int `json:"changed" doc:"Reviews in which something would be added, dropped or shown elsewhere"`
	Added    int `json:"added"`
	Dropped  int `json:"dropped"`
	Rerouted int `json:"rerouted"`

	CheckOnly int          `json:"checkOnly" doc:"Reviews that would be only a check, because the change is clean"`
	Before    WhatIfCounts `json:"before"`
	After     WhatIfCounts `json:"after"`
}

// DryRunOffer is a request for the dry runs of a repository.
type DryRunOffer struct {
	RepositoryID string       `json:"repositoryId"`
	Request      DryRunCreate `json:"request" doc:"The body for POST …/repositories/{repositoryId}/dry-runs"`
}

// policyChange is a repository's policy before and after the tried change.
type policyChange struct {
	before, after domain.Policy
	was, would    []policy.Setting            // the settings that differ
	without       func(f domain.Finding) bool // findings that the change makes impossible; nil: no findings
}

// WhatIfPolicy shows how the last reviews of a repository would have looked with the policy in. Errors are
// those of saving it ([tenant.Service.PutPolicy]).
func (s *Service) WhatIfPolicy(ctx context.Context, t domain.Tenant, repository string, in policy.RepositoryPolicyUpdate,
	reviews int) (WhatIf, error) {
	if _, err := s.Tenant.CheckPolicy(ctx, t, repository, in); err != nil {
		return WhatIf{}, err
	}
	return s.whatIf(ctx, t, repository, reviews, func(src store.PolicySources) (store.PolicySources, policyChange, error) {
		src.Repository = store.JSON(in)
		return src, policyChange{}, nil
	}, nil)
}

// WhatIfDefaults shows how the last reviews of a tenant's repositories would have looked with the
// repository defaults in. Errors are those of saving them.
func (s *Service) WhatIfDefaults(ctx context.Context, t domain.Tenant, in policy.RepositoryDefaultsUpdate, reviews int) (WhatIf, error) {
	if _, err := s.Tenant.CheckDefaults(ctx, t, in); err != nil {
		return WhatIf{}, err
	}
	return s.whatIf(ctx, t, "", reviews, func(src store.PolicySources) (store.PolicySources, policyChange, error) {
		src.Tenant = store.JSON(in)
		return src, policyChange{}, nil
	}, nil)
}

// whatIf evaluates reviews. change turns the policy sources in effect into the tried ones.
func (s *Service) whatIf(ctx context.Context, t domain.Tenant, repository string, reviews int,
	change func(store.PolicySources) (store.PolicySources, policyChange, error), rule *ruleChange) (WhatIf, error) {
	out := WhatIf{Settings: []WhatIfSetting{}, Reviews: []WhatIfReview{}, DryRuns: []DryRunOffer{}}
	if reviews == 0 {
		reviews = defaultReviews
	}
	if reviews < 1 || reviews > maxReviews {
		return out, field.Wrong("/reviews", "must be between 1 and 50")
	}
	runs, err := s.Store.PublishedReviews(ctx, t, repository, reviews)
	if err != nil {
		return out, err
	}
	questions := map[string]policyChange{}
	ask := func(repository string) (policyChange, error) {
		if q, known := questions[repository]; known {
			return q, nil
		}
		q, err := s.question(ctx, t, repository, change)
		questions[repository] = q
		out.addSettings(q)
		return q, err
	}
	if repository != "" { // the settings are listed even if there are no reviews
		if _, err := ask(repository); err != nil {
			return out, err
		}
	}
	if rule == nil {
		if out.Check, err = s.heads(ctx, t, repository, ask); err != nil {
			return out, err
		}
	}
	offers := map[string][]int{}
	var order []string
	for _, run := range runs {
		q, err := ask(run.Repository)
		if err != nil {
			return out, err
		}
		v, known, err := s.lookBack(ctx, t, run, q)
		if err != nil {
			return out, err
		}
		if !known {
			out.Skipped++
			continue
		}
		out.add(v)
		if offers[run.Repository] == nil {
			order = append(order, run.Repository)
		}
		if !slices.Contains(offers[run.Repository], run.Number) {
			offers[run.Repository] = append(offers[run.Repository], run.Number)
		}
	}
	if rule != nil {
		out.Settings = append(out.Settings, rule.settings...)
	}
	if !slices.ContainsFunc(out.Settings, func(v WhatIfSetting) bool { return v.Known != effectExact && v.Why != notMade }) {
		return out, nil
	}
	for _, id := range order {
		offer, err := s.offer(ctx, t, id, offers[id], questions[id], rule)
		if err != nil {
			return out, err
		}
		out.DryRuns = append(out.DryRuns, offer)
	}
	return out, nil
}

// question resolves a repository's policy before and after the change.
func (s *Service) question(ctx context.Context, t domain.Tenant, repository string,
	change func(store.PolicySources) (store.PolicySources, policyChange, error)) (policyChange, error) {
	src, err := s.Store.PolicySources(ctx, t, repository)
	if err != nil {
		return policyChange{}, err
	}
	changed, q, err := change(src)
	if err != nil {
		return policyChange{}, err
	}
	var was, after []policy.Setting
	if q.before, was, err = policy.Resolve(src); err != nil {
		return policyChange{}, err
	}
	if q.after, after, err = policy.Resolve(changed); err != nil {
		return policyChange{}, err
	}
	q.was, q.would = changedSettings(was, after)
	return q, nil
}

// addSettings adds the settings that would change. A setting that changes for several repositories is listed once,
// with its least certain effect.
func (w *WhatIf) addSettings(q policyChange) {
	rank := []string{effectExact, effectPartly, effectUnknown}
	for i, after := range q.would {
		e := effectOf(after.Name, q.was[i], after)
		v := WhatIfSetting{after.Name, e.known, e.why}
		j := slices.IndexFunc(w.Settings, func(o WhatIfSetting) bool { return o.Name == v.Name })
		switch {
		case j < 0:
			w.Settings = append(w.Settings, v)
		case slices.Index(rank, v.Known) > slices.Index(rank, w.Settings[j].Known):
			w.Settings[j] = v
		}
	}
}

func (w *WhatIf) add(v WhatIfReview) {
	w.Reviews = append(w.Reviews, v)
	t := &w.Totals
	t.Reviews++
	if len(v.Added)+len(v.Dropped)+len(v.Rerouted) > 0 {
		t.Changed++
	}
	if v.CheckOnly {
		t.CheckOnly++
	}
	t.Added, t.Dropped, t.Rerouted = t.Added+len(v.Added), t.Dropped+len(v.Dropped), t.Rerouted+len(v.Rerouted)
	for _, x := range []struct {
		sum *WhatIfCounts
		of  WhatIfCounts
	}{{&t.Before, v.Before}, {&t.After, v.After}} {
		x.sum.Inline, x.sum.Summary, x.sum.Stored = x.sum.Inline+x.of.Inline, x.sum.Summary+x.of.Summary, x.sum.Stored+x.of.Stored
	}
}

// storedSummary is the stored summary of a run.
type storedSummary struct {
	engine.Coverage
	Additions int  `json:"additions"`
	Deletions int  `json:"deletions"`
	Earlier   int  `json:"earlier"`
	Basis     bool `json:"basis"`

	EarlierResolved int      `json:"earlierResolved"`
	ModelNote       string   `json:"modelNote"`
	Notices         []string `json:"notices"`
}

// lookBack evaluates one review. It returns false if the run has not stored enough data.
func (s *Service) lookBack(ctx context.Context, t domain.Tenant, run store.Run, q policyChange) (WhatIfReview, bool, error) {
	out := WhatIfReview{RunID: run.ID, RepositoryID: run.Repository, Number: run.Number, HeadSHA: run.HeadSHA,
		PublishedAt: store.TimeOrNil(run.FinishedUS),
		Added:       []WhatIfMoved{}, Dropped: []WhatIfMoved{}, Rerouted: []WhatIfMoved{}}
	var summary storedSummary
	if err := json.Unmarshal([]byte(run.Summary), &summary); err != nil || !summary.Basis {
		return out, false, nil
	}
	all, err := s.Store.RunFindings(ctx, t, run.ID)
	if err != nil {
		return out, false, err
	}
	fresh := slices.DeleteFunc(all, func(f domain.Finding) bool { return f.Basis == nil || f.State != domain.FindingOpen })
	lines := summary.Additions + summary.Deletions
	was := engine.Reroute(fresh, lines, q.before)
	changed := s.rerouteWithout(fresh, lines, q)
	then, now := presenter{redact: s.Scan, mode: q.before.PublishMode}, presenter{redact: s.Scan, mode: q.after.PublishMode}
	differs := false
	for i, f := range fresh {
		differs = differs || was[i].Route != f.Route || was[i].Gone
		a, b := f, f
		a.Route, b.Route = was[i].Route, changed[i].Route
		from, to := then.route(a), now.route(b)
		if !was[i].Gone {
			out.Before.add(from, 1)
		}
		if !changed[i].Gone {
			out.After.add(to, 1)
		}
		m := WhatIfMoved{Finding: now.finding(b, to), From: string(from), To: string(to), Why: changed[i].Why}
		m.Finding.Explanation = ""
		if changed[i].Gone {
			m.To = "none"
		}
		shown, shows := from != domain.RouteStored && !was[i].Gone, to != domain.RouteStored && !changed[i].Gone
		switch {
		case shown && shows && from != to:
			out.Rerouted = append(out.Rerouted, m)
		case shown && !shows:
			out.Dropped = append(out.Dropped, m)
		case !shown && shows:
			out.Added = append(out.Added, m)
		}
	}
	if out.CheckOnly, err = s.checkOnly(ctx, t, run, summary, out.After, q.after); err != nil {
		return out, false, err
	}
	if differs {
		out.Notes = append(out.Notes, "The review was made under other settings than those that hold now; it is compared with what it "+
			"would have been under these.")
	}
	if summary.Earlier > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("Earlier reviews of the pull request had shown %d findings that were still "+
			"open, without those that a person closed on the host; where they are shown was decided then.", summary.Earlier))
	}
	if n := widened(summary.Coverage, q); n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("Files that the review would add: %d. Their findings are unknown.", n))
	}
	return out, true, nil
}

// rerouteWithout is [engine.Reroute] under the tried policy, after removing the findings that would not have been
// looked for.
func (s *Service) rerouteWithout(fresh []domain.Finding, lines int, q policyChange) []engine.Placed {
	if q.without == nil {
		return engine.Reroute(fresh, lines, q.after)
	}
	var left []domain.Finding
	for _, f := range fresh {
		if !q.without(f) {
			left = append(left, f)
		}
	}
	placed := engine.Reroute(left, lines, q.after)
	out := make([]engine.Placed, 0, len(fresh))
	for _, f := range fresh {
		if q.without(f) {
			out = append(out, engine.Placed{Route: domain.RouteStored, Gone: true, Why: "rule switched off"})
			continue
		}
		out, placed = append(out, placed[0]), placed[1:]
	}
	return out
}

// widened counts the files that the review's policy left out and the tried policy includes.
func widened(c engine.Coverage, q policyChange) (n int) {
	for _, f := range c.Skipped {
		if engine.LeavesOut(f.Path, q.before) && !engine.LeavesOut(f.Path, q.after) {
			n++
		}
	}
	return n
}
