package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/tenant"
)

func (s *server) llmCredentials(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.LlmCredential], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tenant.Credentials(ctx, callerFrom(ctx).tenant, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(c tenant.LlmCredential) (time.Time, string) { return c.CreatedAt, c.ID }), nil
}

func (s *server) createLlmCredential(ctx context.Context, in *struct {
	InTenant
	Body tenant.LlmCredentialCreate
}) (*Made[tenant.LlmCredential], error) {
	c, err := s.Tenant.CreateCredential(ctx, callerFrom(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[tenant.LlmCredential]{Location: in.path() + "/llm-credentials/" + c.ID, ETag: etag(c.Version), Body: c}, nil
}

func (s *server) updateLlmCredential(ctx context.Context, in *struct {
	InTenant
	Guard
	CredentialID string `path:"credentialId"`
	Body         tenant.LlmCredentialUpdate
}) (*Shown[tenant.LlmCredential], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c, err := s.Tenant.UpdateCredential(ctx, callerFrom(ctx).tenant, in.CredentialID, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.LlmCredential]{ETag: etag(c.Version), Body: c}, nil
}

func (s *server) deleteLlmCredential(ctx context.Context, in *struct {
	InTenant
	CredentialID string `path:"credentialId"`
}) (*Gone, error) {
	return nil, s.Tenant.DeleteCredential(ctx, callerFrom(ctx).tenant, in.CredentialID)
}

func (s *server) llmModels(ctx context.Context, in *struct {
	InTenant
	CredentialID string `path:"credentialId"`
}) (*Read[tenant.LlmModels], error) {
	return read(s.Tenant.Models(ctx, callerFrom(ctx).tenant, in.CredentialID))
}

func (s *server) llmModelPrices(ctx context.Context, in *struct {
	InTenant
	CredentialID string `path:"credentialId"`
}) (*Read[tenant.LlmModelPrices], error) {
	return read(s.Tenant.ModelPrices(ctx, callerFrom(ctx).tenant, in.CredentialID))
}

func (s *server) testLlmCredential(ctx context.Context, in *struct {
	InTenant
	CredentialID string `path:"credentialId"`
	Body         tenant.ConnectionTestRequest
}) (*Read[tenant.LlmChecks], error) {
	return read(s.Tenant.TestCredential(ctx, callerFrom(ctx).tenant, in.CredentialID, in.Body))
}
