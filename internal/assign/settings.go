package assign

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// AssignmentWeights are the weights of the parts of a score, relative to their sum.
type AssignmentWeights struct {
	Ownership    int `json:"ownership" example:"40" minimum:"0" maximum:"100" doc:"CODEOWNERS names the person"`
	Knowledge    int `json:"knowledge" example:"30" minimum:"0" maximum:"100" doc:"Wrote or reviewed the touched lines of late"`
	Workload     int `json:"workload" example:"15" minimum:"0" maximum:"100" doc:"Has few open reviews"`
	Availability int `json:"availability" example:"10" minimum:"0" maximum:"100" doc:"Is at work"`
	Fairness     int `json:"fairness" example:"5" minimum:"0" maximum:"100" doc:"Was asked less often than others of late"`
}

func (w AssignmentWeights) sum() int {
	return w.Ownership + w.Knowledge + w.Workload + w.Availability + w.Fairness
}

// TenantAssignmentSettingsUpdate replaces a tenant's settings.
type TenantAssignmentSettingsUpdate struct {
	Mode               string            `json:"mode" enum:"off,shadow,suggest,apply" doc:"off: nothing is computed. shadow: computed, not shown on the pull request. suggest: named in the review. apply: the review is requested on the host, where the gate is open" audit:"track"`
	Weights            AssignmentWeights `json:"weights" doc:"At least one above 0" audit:"track"`
	Reviewers          int               `json:"reviewers" minimum:"1" maximum:"5" doc:"How many people are suggested" audit:"track"`
	ExcludedUserIDs    []string          `json:"excludedUserIds" maxItems:"200" doc:"Members who are never suggested" example:"[]" audit:"track"`
	FairnessWindowDays int               `json:"fairnessWindowDays" minimum:"7" maximum:"180" doc:"How far back fairness looks" audit:"track"`
}

// TenantAssignmentSettings are the settings as the API shows them.
type TenantAssignmentSettings struct {
	TenantAssignmentSettingsUpdate
	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"Stored settings that have another effect for now; absent if there are no such settings"`

	Version   int64      `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0 where the defaults hold"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty" audit:"ignore" doc:"Absent where the defaults hold"`
}

// defaults returns the settings of a tenant that stored none. Assignment is off, and the weights prefer
// people who know the code to people with time (design choice).
func defaults() TenantAssignmentSettingsUpdate {
	return TenantAssignmentSettingsUpdate{Mode: "off", Reviewers: 1, FairnessWindowDays: 30,
		Weights: AssignmentWeights{Ownership: 30, Knowledge: 30, Workload: 20, Availability: 10, Fairness: 10}}
}

// Settings reads a tenant's settings. The list of excluded people omits former members.
func (s *Service) Settings(ctx context.Context, t domain.Tenant) (TenantAssignmentSettings, error) {
	d, err := s.Store.Document(ctx, t, "", store.SettingAssignment)
	if err != nil {
		return TenantAssignmentSettings{}, err
	}
	out := TenantAssignmentSettings{TenantAssignmentSettingsUpdate: defaults(), Version: d.Version, UpdatedAt: store.TimeOrNil(d.UpdatedUS)}
	if err := decode(d.Body, &out.TenantAssignmentSettingsUpdate); err != nil {
		return out, err
	}
	out.NotInEffect = policy.NotInEffectIn(policy.DocAssign, out.TenantAssignmentSettingsUpdate)
	out.ExcludedUserIDs, err = s.Store.Exclusions(ctx, t)
	return out, err
}

// PutSettings replaces a tenant's settings. If version is not 0, it returns Stale unless the document has
// that version. It returns Invalid if an excluded person is not a member.
func (s *Service) PutSettings(ctx context.Context, t domain.Tenant, version int64,
	in TenantAssignmentSettingsUpdate) (TenantAssignmentSettings, error) {
	var c field.Check
	c.That(in.Weights.sum() > 0, "/weights", "must have one weight above 0")
	c.Distinct("/excludedUserIds", in.ExcludedUserIDs)
	if err := c.Err(); err != nil {
		return TenantAssignmentSettings{}, err
	}
	var after TenantAssignmentSettings
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Settings(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		if err := s.members(ctx, t, "/excludedUserIds", in.ExcludedUserIDs); err != nil {
			return audit.Act{}, err
		}
		stored := in
		stored.ExcludedUserIDs = nil // they are stored as rows
		if _, err := s.Store.PutSettingAt(ctx, t, "", store.SettingAssignment, store.JSON(stored), version); err != nil {
			return audit.Act{}, err
		}
		if err := s.Store.ReplaceExclusions(ctx, t, in.ExcludedUserIDs); err != nil {
			return audit.Act{}, err
		}
		after, err = s.Settings(ctx, t)
		return audit.Act{Tenant: t, Action: "assignment-settings.update", Target: audit.Target{Kind: "tenant", ID: t.ID}, Before: before,
			After: after}, err
	})
	return after, err
}

// members returns Invalid unless all ids are members of the tenant.
func (s *Service) members(ctx context.Context, t domain.Tenant, pointer string, ids []string) error {
	there, err := s.Store.Members(ctx, t, ids)
	if err != nil {
		return err
	}
	var c field.Check
	for i, id := range ids {
		c.That(slices.Contains(there, id), field.At(pointer, i), "must be the id of a member of the tenant")
	}
	return c.Err()
}

// ApplyOptInUpdate is a repository's choice whether reviews may be requested in it.
type ApplyOptInUpdate struct {
	OptedIn bool `json:"optedIn" doc:"Reviews may be requested on the host, where the rest of the gate is open too" audit:"track"`
}

// ApplyOptIn is a repository's choice as the API shows it.
type ApplyOptIn struct {
	ApplyOptInUpdate
	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"What is stored and does something else for now; absent where there is nothing"`

	Version   int64      `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	UpdatedAt *time.Time `json:"updatedAt,omitempty" audit:"ignore"`
}

func (s *Service) optIn(ctx context.Context, t domain.Tenant, repository string) (ApplyOptIn, error) {
	d, err := s.Store.Document(ctx, t, repository, store.SettingApply)
	if err != nil {
		return ApplyOptIn{}, err
	}
	return optInOf(d)
}

func optInOf(d store.Document) (ApplyOptIn, error) {
	out := ApplyOptIn{Version: d.Version, UpdatedAt: store.TimeOrNil(d.UpdatedUS)}
	err := decode(d.Body, &out.ApplyOptInUpdate)
	out.NotInEffect = policy.NotInEffectIn(policy.DocOptIn, out.ApplyOptInUpdate)
	return out, err
}

// PutOptIn replaces a repository's choice. If version is not 0, it returns Stale unless the document has
// that version.
func (s *Service) PutOptIn(ctx context.Context, t domain.Tenant, repository string, version int64,
	in ApplyOptInUpdate) (ApplyOptIn, error) {
	var after ApplyOptIn
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.optIn(ctx, t, repository)
		if err != nil {
			return audit.Act{}, err
		}
		d, err := s.Store.PutSettingAt(ctx, t, repository, store.SettingApply, store.JSON(in), version)
		if err != nil {
			return audit.Act{}, err
		}
		after, err = optInOf(d)
		return audit.Act{Tenant: t, Action: "assignment-opt-in.update", Target: audit.Target{Kind: "repository", ID: repository},
			Before: before, After: after}, err
	})
	return after, err
}

// decode reads a stored document over the defaults in v. It leaves them if body is "".
func decode(body string, v any) error {
	if body == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(body), v); err != nil {
		return errs.Wrap(err, errs.Internal, "internal", "%s", fmt.Sprintf("A stored document of %T cannot be read.", v))
	}
	return nil
}
