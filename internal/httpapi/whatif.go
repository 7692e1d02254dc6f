package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/tenant"
)

// LookBack is the number of past reviews for a what-if.
type LookBack struct {
	Reviews int `query:"reviews" minimum:"1" maximum:"50" doc:"How many of the reviews that were published last; 20 where absent"`
}

func (s *server) policyWhatIf(ctx context.Context, in *struct {
	InRepository
	LookBack
	Body policy.RepositoryPolicyUpdate
}) (*Read[dryrun.WhatIf], error) {
	c := callerFrom(ctx)
	return read(s.DryRun.WhatIfPolicy(ctx, c.tenant, c.repository.ID, in.Body, in.Reviews))
}

func (s *server) defaultsWhatIf(ctx context.Context, in *struct {
	InTenant
	LookBack
	Body policy.RepositoryDefaultsUpdate
}) (*Read[dryrun.WhatIf], error) {
	return read(s.DryRun.WhatIfDefaults(ctx, callerFrom(ctx).tenant, in.Body, in.Reviews))
}

func (s *server) repositoryRuleWhatIf(ctx context.Context, in *struct {
	InRepository
	LookBack
	RuleID string `path:"ruleId"`
	Body   tenant.RuleUpdate
}) (*Read[dryrun.WhatIf], error) {
	c := callerFrom(ctx)
	return read(s.DryRun.WhatIfRule(ctx, c.tenant, c.repository.ID, in.RuleID, in.Body, in.Reviews))
}

func (s *server) tenantRuleWhatIf(ctx context.Context, in *struct {
	InTenant
	LookBack
	RuleID string `path:"ruleId"`
	Body   tenant.RuleUpdate
}) (*Read[dryrun.WhatIf], error) {
	return read(s.DryRun.WhatIfRule(ctx, callerFrom(ctx).tenant, "", in.RuleID, in.Body, in.Reviews))
}

// Previewed holds the parameters of a rule preview.
type Previewed struct {
	LookBack
	Replaces string `query:"replaces" maxLength:"64" doc:"The stored rule of the same place that is being edited; absent for a new one"`
}

func (s *server) previewRepositoryRule(ctx context.Context, in *struct {
	InRepository
	Previewed
	Body tenant.RuleCreate
}) (*Read[dryrun.RulePreview], error) {
	c := callerFrom(ctx)
	return read(s.DryRun.PreviewRule(ctx, c.tenant, c.repository.ID, in.Replaces, in.Body, in.Reviews))
}

func (s *server) previewTenantRule(ctx context.Context, in *struct {
	InTenant
	Previewed
	Body tenant.RuleCreate
}) (*Read[dryrun.RulePreview], error) {
	return read(s.DryRun.PreviewRule(ctx, callerFrom(ctx).tenant, "", in.Replaces, in.Body, in.Reviews))
}
