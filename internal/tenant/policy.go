package tenant

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/nearest"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// RepositoryDefaults are the tenant's repository defaults in the interface.
type RepositoryDefaults struct {
	policy.RepositoryDefaultsUpdate
	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"Stored settings that have another effect for now; absent if there are no such settings"`
	Version     int64                `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0 where nothing was said yet"`
	UpdatedAt   *time.Time           `json:"updatedAt,omitempty" audit:"ignore" doc:"Absent where nothing was said yet"`
}

// RepositoryPolicy is the policy document of a repository.
type RepositoryPolicy struct {
	policy.RepositoryPolicyUpdate
	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"Stored settings that have another effect for now; absent if there are no such settings"`
	Version     int64                `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0 where nothing was said yet"`
	UpdatedAt   *time.Time           `json:"updatedAt,omitempty" audit:"ignore" doc:"Absent where nothing was said yet"`
}

// FeatureSetting is an effective setting of a repository.
type FeatureSetting struct {
	Name        string `json:"name" doc:"With dots for what is nested" example:"triggers.opened"`
	Value       any    `json:"value,omitempty" doc:"What holds; absent for nothing, as an outcome that is never to fail"`
	Wished      any    `json:"wished,omitempty" doc:"What was said, where it has no effect yet and value holds instead; otherwise absent"`
	NotInEffect string `json:"notInEffect,omitempty" doc:"Why wished has no effect, in a sentence; otherwise absent"`
	Default     any    `json:"default,omitempty" doc:"Value in effect without a setting"`
	Origin      string `json:"origin" enum:"default,tenant,newRepositories,repository,file" doc:"Source of the value. newRepositories: the repository appeared, and there is no decision about it yet; file: .assay.yaml of the default branch, as the last review has read it"`
	Commit      string `json:"commit,omitempty" doc:"Of a value from the file: the commit at which the file was read"`
	Locked      bool   `json:"locked" doc:"By the tenant: a repository can't change it"`
}

// Defaults returns the repository defaults of a tenant.
func (s *Service) Defaults(ctx context.Context, t domain.Tenant) (RepositoryDefaults, error) {
	d, err := s.Store.Document(ctx, t, "", store.SettingPolicy)
	if err != nil {
		return RepositoryDefaults{}, err
	}
	return defaultsOf(d)
}

func defaultsOf(d store.Document) (RepositoryDefaults, error) {
	out := RepositoryDefaults{Version: d.Version, UpdatedAt: store.TimeOrNil(d.UpdatedUS)}
	err := readDocument(d, &out.RepositoryDefaultsUpdate)
	out.NotInEffect = policy.NotInEffectIn(policy.DocDefaults, out.RepositoryDefaultsUpdate)
	return out, err
}

// PutDefaults replaces the repository defaults. A value without effect is refused (Invalid, by its pointer)
// unless it is stored already. version 0 means any version; otherwise the document must still have it
// (Stale).
func (s *Service) PutDefaults(ctx context.Context, t domain.Tenant, version int64,
	in policy.RepositoryDefaultsUpdate) (RepositoryDefaults, error) {
	var after RepositoryDefaults
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.CheckDefaults(ctx, t, in)
		if err != nil {
			return audit.Act{}, err
		}
		d, err := s.Store.PutSettingAt(ctx, t, "", store.SettingPolicy, store.JSON(in), version)
		if err != nil {
			return audit.Act{}, err
		}
		after, err = defaultsOf(d)
		return audit.Act{Tenant: t, Action: "repository-defaults.update", Target: audit.Target{Kind: "tenant", ID: t.ID}, Before: before,
			After: after}, err
	})
	return after, err
}

// CheckDefaults checks repository defaults before they are stored (Invalid, by pointer), and returns the
// stored ones.
func (s *Service) CheckDefaults(ctx context.Context, t domain.Tenant, in policy.RepositoryDefaultsUpdate) (RepositoryDefaults, error) {
	var c field.Check
	in.Validate(&c)
	c.Distinct("/locked", in.Locked)
	lockable := append(policy.Names(), policy.Groups()...)
	for i, name := range in.Locked {
		c.That(slices.Contains(lockable, name), field.At("/locked", i),
			"must be the name of a setting or of a group of settings, such as publishMode or triggers")
	}
	if err := c.Err(); err != nil {
		return RepositoryDefaults{}, err
	}
	before, err := s.Defaults(ctx, t)
	if err != nil {
		return RepositoryDefaults{}, err
	}
	s.checkAnalysers(&c, before.RepositoryPolicyUpdate, in.RepositoryPolicyUpdate)
	policy.RefuseUnbuilt(&c, policy.DocDefaults, before.RepositoryDefaultsUpdate, in)
	return before, c.Err()
}

// Policy returns the policy document of a repository.
func (s *Service) Policy(ctx context.Context, t domain.Tenant, repository string) (RepositoryPolicy, error) {
	d, err := s.Store.Document(ctx, t, repository, store.SettingPolicy)
	if err != nil {
		return RepositoryPolicy{}, err
	}
	return policyOf(d)
}

func policyOf(d store.Document) (RepositoryPolicy, error) {
	out := RepositoryPolicy{Version: d.Version, UpdatedAt: store.TimeOrNil(d.UpdatedUS)}
	err := readDocument(d, &out.RepositoryPolicyUpdate)
	out.NotInEffect = policy.NotInEffectIn(policy.DocPolicy, out.RepositoryPolicyUpdate)
	return out, err
}

// PutPolicy replaces the policy document of a repository. A setting that the tenant has locked is refused
// (Invalid, by its pointer), and so is a value without effect, unless it is stored already. Setting enabled
// ends the waiting and the onboarding of a new repository. version 0 means any version; otherwise the
// document must still have it (Stale).
func (s *Service) PutPolicy(ctx context.Context, t domain.Tenant, repository store.Repository, version int64,
	in policy.RepositoryPolicyUpdate) (RepositoryPolicy, error) {
	var after RepositoryPolicy
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.CheckPolicy(ctx, t, repository.ID, in)
		if err != nil {
			return audit.Act{}, err
		}
		d, err := s.Store.PutSettingAt(ctx, t, repository.ID, store.SettingPolicy, store.JSON(in), version)
		if err != nil {
			return audit.Act{}, err
		}
		if in.Enabled != nil {
			if err := s.endWaiting(ctx, t, repository.ID, *in.Enabled); err != nil {
				return audit.Act{}, err
			}
		}
		after, err = policyOf(d)
		return audit.Act{Tenant: t, Action: "repository-policy.update", Target: target(repository), Before: before, After: after}, err
	})
	return after, err
}

// endWaiting ends the waiting of a new repository whose policy sets enabled, and its onboarding if that is
// undecided.
func (s *Service) endWaiting(ctx context.Context, t domain.Tenant, repository string, enabled bool) error {
	if err := s.Store.SetIntake(ctx, t, repository, domain.IntakeOn); err != nil {
		return err
	}
	o, err := s.Store.HoldOnboarding(ctx, t, repository)
	if errs.Is(err, errs.NotFound) || err == nil && o.State.Decided() {
		return nil
	}
	if err != nil {
		return err
	}
	who := audit.By(ctx)
	m := store.OnboardingMove{From: o.State, To: domain.OnboardingDeclined, Cause: "the policy says that it is not reviewed",
		By: who.UserID, Name: who.Name, How: domain.OnboardingByPolicy}
	if enabled {
		m.To, m.Cause = domain.OnboardingAccepted, "the policy says that it is reviewed"
	}
	_, err = s.Store.MoveOnboarding(ctx, t, o.ID, m)
	return err
}

// JoinPolicy merges over into a repository's policy document, in the transaction of an act that records it,
// and returns the document before and after. Check over with [Service.CheckTried] first. It returns Stale
// if another request changes the policy at the same time.
func (s *Service) JoinPolicy(ctx context.Context, t domain.Tenant, repository string,
	over policy.RepositoryPolicyUpdate) (before, after RepositoryPolicy, err error) {
	if before, err = s.Policy(ctx, t, repository); err != nil {
		return before, after, err
	}
	next, err := policy.Joined(before.RepositoryPolicyUpdate, over)
	if err != nil {
		return before, after, err
	}
	version := before.Version
	if version == 0 {
		version = store.NeverStored
	}
	d, err := s.Store.PutSettingAt(ctx, t, repository, store.SettingPolicy, store.JSON(next), version)
	if err != nil {
		return before, after, err
	}
	after, err = policyOf(d)
	return before, after, err
}

// CheckPolicy checks a policy document of a repository before it is stored (Invalid, by pointer), and
// returns the stored one.
func (s *Service) CheckPolicy(ctx context.Context, t domain.Tenant, repository string,
	in policy.RepositoryPolicyUpdate) (RepositoryPolicy, error) {
	var c field.Check
	if in.Validate(&c); c.Err() != nil {
		return RepositoryPolicy{}, c.Err()
	}
	names, err := policy.Said(store.JSON(in))
	if err != nil {
		return RepositoryPolicy{}, err
	}
	defaults, err := s.Defaults(ctx, t)
	if err != nil {
		return RepositoryPolicy{}, err
	}
	for _, name := range names {
		c.That(!policy.Locks(defaults.Locked, name), "/"+strings.ReplaceAll(name, ".", "/"),
			"is locked by the tenant's repository defaults; leave it out")
	}
	before, err := s.Policy(ctx, t, repository)
	if err != nil {
		return RepositoryPolicy{}, err
	}
	s.checkAnalysers(&c, before.RepositoryPolicyUpdate, in)
	policy.RefuseUnbuilt(&c, policy.DocPolicy, before.RepositoryPolicyUpdate, in)
	return before, c.Err()
}

// checkAnalysers refuses names of analysers that the operator has not configured, unless they are stored already: a list can outlive an
// analyser, and reviews then name the missing one.
func (s *Service) checkAnalysers(c *field.Check, before, in policy.RepositoryPolicyUpdate) {
	if in.Deterministic == nil || s.Analysers == nil {
		return
	}
	for i, name := range in.Deterministic.Analysers {
		stored := before.Deterministic != nil && slices.Contains(before.Deterministic.Analysers, name)
		say := "must be the name of an analyser that the operator has configured: " + strings.Join(s.Analysers, ", ")
		if len(s.Analysers) == 0 {
			say = "must be left out, because the operator has configured no analysers; deterministic.staticAnalysis switches the built-in checks"
		} else if guess := nearest.Name(name, s.Analysers); guess != "" {
			say += "; did you mean " + guess + "?"
		}
		c.That(stored || slices.Contains(s.Analysers, name), field.At("/deterministic/analysers", i), say)
	}
}

// FeatureSettings lists the effective settings of a repository.
func (s *Service) FeatureSettings(ctx context.Context, t domain.Tenant, repository string) ([]FeatureSetting, error) {
	_, settings, err := policy.Effective(ctx, s.Store, t, repository)
	return shownSettings(settings), err
}

// TriedSettings lists the effective settings of a repository as if over were merged into its policy
// document.
func (s *Service) TriedSettings(ctx context.Context, t domain.Tenant, repository string,
	over policy.RepositoryPolicyUpdate) ([]FeatureSetting, error) {
	_, settings, err := policy.Overlaid(ctx, s.Store, t, repository, over)
	return shownSettings(settings), err
}

func shownSettings(settings []policy.Setting) []FeatureSetting {
	out := make([]FeatureSetting, len(settings))
	for i, v := range settings {
		out[i] = FeatureSetting{Name: v.Name, Value: store.FromJSON[any](string(v.Value)), Wished: store.FromJSON[any](string(v.Wished)),
			NotInEffect: v.Note, Default: store.FromJSON[any](string(v.Default)), Origin: string(v.Origin), Commit: v.Commit,
			Locked: v.Locked}
	}
	return out
}

// EffectiveRule is a rule as reviews of a repository apply it.
type EffectiveRule struct {
	Rule
	Origin string `json:"origin" enum:"tenant,repository,file,guideline" audit:"ignore" doc:"guideline: a sentence of a guideline file of the default branch, and file: a rule or an instruction in its .assay.yaml, as the last review that looked has read them"`
	File   string `json:"file,omitempty" audit:"ignore" doc:"Of a guideline or a rule of .assay.yaml: the file" example:"AGENTS.md"`
	Commit string `json:"commit,omitempty" audit:"ignore" doc:"Of the same: the commit at which the file was read"`

	ExceptPaths []string `json:"exceptPaths,omitempty" audit:"ignore" doc:"Of a guideline: path patterns of files that it is not about, because a nearer file speaks for them"`

	ReadOnly bool `json:"readOnly" audit:"ignore" doc:"It is changed in its file only"`

	CheckedBy string `json:"checkedBy" enum:"model,pattern" audit:"ignore" doc:"pattern: its matcher checks it, and no model is asked"`

	Active bool   `json:"active" audit:"ignore" doc:"Reviews apply it"`
	Reason string `json:"reason,omitempty" enum:"disabled,categoryOff,noProgram,programFails" audit:"ignore" doc:"Why reviews don't apply it. disabled: it is switched off; categoryOff: the policy wants no findings of the category rule; noProgram: its pattern needs ast-grep, which the operator has not set up; programFails: ast-grep cannot run on this instance, and assay doctor says why"`
}

// noGuidelines is the note if guideline files are used and unknown yet.
const noGuidelines = "No review has found guideline files in the default branch yet. The next review of a pull request to it " +
	"looks for them."

// EffectiveRules lists the rules of a repository in the order in which a review reads them, those of its file and its
// guidelines last. note is a sentence about possibly missing rules, or "".
func (s *Service) EffectiveRules(ctx context.Context, t domain.Tenant, repository string) (out []EffectiveRule, note string, err error) {
	src, err := s.Store.PolicySources(ctx, t, repository)
	if err != nil {
		return nil, "", err
	}
	holds, err := policy.ResolveAll(src)
	if err != nil {
		return nil, "", err
	}
	p := holds.Policy
	rules, err := policy.Rules(ctx, s.Store, t, repository, p)
	if err != nil {
		return nil, "", err
	}
	out = []EffectiveRule{}
	for _, r := range rules {
		checkedBy, why := "model", s.Inactive(ctx, r)
		if r.Matcher != "" {
			checkedBy = "pattern"
		}
		out = append(out, EffectiveRule{Rule: ruleOf(r.Rule), Origin: string(r.Origin), CheckedBy: checkedBy, Active: why == "",
			Reason: why})
	}
	for _, r := range holds.Rules {
		out = append(out, EffectiveRule{Origin: string(policy.OriginFile), File: policy.FileName, Commit: holds.Commit, ReadOnly: true,
			CheckedBy: "model", Active: holds.Inactive == "", Reason: holds.Inactive,
			Rule: Rule{ID: r.ID, RepositoryID: repository, Title: r.Title, Instruction: r.Instruction, Paths: list(r.Paths),
				Languages: list(r.Languages), Severity: r.Severity, Enabled: true}})
	}
	guidelines, err := policy.Guidelines(ctx, s.Store, t, repository, p)
	if p.GuidelineFiles && len(guidelines) == 0 {
		note = noGuidelines
	}
	for _, g := range guidelines {
		read := store.Time(g.ReadUS)
		out = append(out, EffectiveRule{Origin: string(policy.OriginGuideline), File: g.File, Commit: g.Commit, ExceptPaths: g.Except,
			ReadOnly: true, CheckedBy: "model", Active: g.Inactive == "", Reason: g.Inactive,
			Rule: Rule{ID: g.ID, RepositoryID: repository, Title: g.File, Instruction: g.Text, Paths: list(g.Paths), Languages: []string{},
				Severity: domain.GuidelineSeverity.String(),
				Enabled:  true, CreatedAt: read, UpdatedAt: read}})
	}
	return out, note, err
}

// readDocument decodes a stored document; an absent one changes nothing.
func readDocument(d store.Document, into any) error {
	if d.Body == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(d.Body), into); err != nil {
		return fmt.Errorf("the stored document cannot be read: %w", err)
	}
	return nil
}

func target(r store.Repository) audit.Target {
	return audit.Target{Kind: "repository", ID: r.ID, Name: r.Owner + "/" + r.Name}
}
