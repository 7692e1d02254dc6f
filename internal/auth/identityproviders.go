package auth

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// maxIdentityProviders is the maximum number of identity providers of an instance, because the sign-in page
// lists them side by side (design choice).
const maxIdentityProviders = 50

// HostUserID declares that an identity provider's subjects are the user ids of a code host.
type HostUserID struct {
	Host string `json:"host" minLength:"1" maxLength:"200" doc:"Web address of the host" example:"https://gitlab.example.com"`
}

// IdentityProviderCreate is a new identity provider.
type IdentityProviderCreate struct {
	Slug         string       `json:"slug" minLength:"1" maxLength:"40" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" doc:"Part of the sign-in paths /auth/oidc/{slug}/…" example:"company"`
	DisplayName  string       `json:"displayName" minLength:"1" maxLength:"100" example:"Company account"`
	Issuer       string       `json:"issuer" minLength:"1" maxLength:"500" doc:"Exactly as the provider's discovery says it. It never changes" example:"https://id.example.com/realms/company"`
	ClientID     string       `json:"clientId" minLength:"1" maxLength:"500" example:"assay"`
	ClientSecret string       `json:"clientSecret" minLength:"1" maxLength:"2000" writeOnly:"true" doc:"Stored sealed, never shown again"`
	Scopes       []string     `json:"scopes,omitempty" maxItems:"20" doc:"openid is always asked for; none: openid and profile" example:"[\"openid\",\"profile\",\"groups\"]"`
	Tenants      TenantChoice `json:"tenants" doc:"Whom it is for: all, or ids of tenants. They may map its claims to roles, and only their memberships hold in its sessions; instance admins act in sessions of one that is for all"`
	Listed       bool         `json:"listed" doc:"Shown where people sign in. One that is not can still be used by its path"`
	HostUserID   *HostUserID  `json:"hostUserId,omitempty" doc:"Its subjects are the user ids of this host"`
	Enabled      *bool        `json:"enabled,omitempty" doc:"True where absent"`
}

// IdentityProviderUpdate changes an identity provider. Absent fields stay.
type IdentityProviderUpdate struct {
	Slug         patch.Value[string]        `json:"slug,omitzero" minLength:"1" maxLength:"40" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" doc:"The redirect address at the provider changes with it" example:"company"`
	DisplayName  patch.Value[string]        `json:"displayName,omitzero" minLength:"1" maxLength:"100"`
	Issuer       patch.Value[string]        `json:"issuer,omitzero" maxLength:"500" doc:"It never changes: only the present one is accepted" example:"https://id.example.com/realms/company"`
	ClientID     patch.Value[string]        `json:"clientId,omitzero" minLength:"1" maxLength:"500"`
	ClientSecret patch.Value[string]        `json:"clientSecret,omitzero" minLength:"1" maxLength:"2000" writeOnly:"true" doc:"Absent: the stored one stays"`
	Scopes       patch.Value[[]string]      `json:"scopes,omitzero" maxItems:"20" example:"[\"openid\",\"profile\",\"groups\"]"`
	Tenants      patch.Value[TenantChoice]  `json:"tenants,omitzero" doc:"A tenant that is taken out loses at once what the provider's claims gave there, and its memberships hold in the provider's sessions no more"`
	Listed       patch.Value[bool]          `json:"listed,omitzero"`
	HostUserID   patch.Nullable[HostUserID] `json:"hostUserId,omitzero"`
	Enabled      patch.Value[bool]          `json:"enabled,omitzero" doc:"false ends every session that came from it"`
}

// IdentityProvider is an identity provider in the interface.
type IdentityProvider struct {
	ID                    string       `json:"id" audit:"ignore"`
	Slug                  string       `json:"slug" audit:"track"`
	DisplayName           string       `json:"displayName" audit:"track"`
	Issuer                string       `json:"issuer" audit:"track"`
	ClientID              string       `json:"clientId" audit:"track"`
	ClientSecretSet       bool         `json:"clientSecretSet" audit:"ignore"`
	ClientSecretUpdatedAt *time.Time   `json:"clientSecretUpdatedAt" audit:"secret"`
	Scopes                []string     `json:"scopes" audit:"track"`
	Tenants               TenantChoice `json:"tenants" audit:"track"`
	Listed                bool         `json:"listed" audit:"track"`
	HostUserID            *HostUserID  `json:"hostUserId,omitempty" audit:"track"`
	Enabled               bool         `json:"enabled" audit:"track"`
	RedirectURL           string       `json:"redirectUrl" audit:"ignore" doc:"To be entered at the provider, exactly"`
	Version               int64        `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt             time.Time    `json:"createdAt" audit:"ignore"`
	UpdatedAt             time.Time    `json:"updatedAt" audit:"ignore"`
}

func (p IdentityProvider) check() error {
	var c field.Check
	c.Name("/displayName", p.DisplayName)
	c.WebURL("/issuer", p.Issuer)
	c.Name("/clientId", p.ClientID)
	for i, s := range p.Scopes {
		c.That(scopeToken(s), field.At("/scopes", i), "must be a scope: 1 to 200 visible ASCII characters without spaces, quotes and backslashes")
	}
	c.Distinct("/scopes", p.Scopes)
	c.Distinct("/tenants", p.Tenants.IDs)
	if p.HostUserID != nil {
		c.WebURL("/hostUserId/host", p.HostUserID.Host)
	}
	return c.Err()
}

// scopeToken reports whether a text is a scope (RFC 6749, section 3.3).
func scopeToken(s string) bool {
	return s != "" && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r > '~' })
}

// CreateIdentityProvider creates an identity provider. Errors: Invalid, Conflict (the slug is taken, or
// there are too many).
func (s *Service) CreateIdentityProvider(ctx context.Context, in IdentityProviderCreate) (IdentityProvider, error) {
	p := IdentityProvider{ID: domain.NewID("idp"), Slug: in.Slug, DisplayName: in.DisplayName, Issuer: in.Issuer,
		ClientID: in.ClientID, Scopes: in.Scopes, Tenants: in.Tenants,
		Listed: in.Listed, HostUserID: in.HostUserID, Enabled: in.Enabled == nil || *in.Enabled}
	if len(p.Scopes) == 0 {
		p.Scopes = []string{"openid", "profile"}
	}
	if err := p.check(); err != nil {
		return IdentityProvider{}, err
	}
	sealed, err := s.Keyring.SealSecret(ctx, providerScope(p.ID), secret.New(in.ClientSecret))
	if err != nil {
		return IdentityProvider{}, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.IdentityProviders(ctx, store.Cursor{}, maxIdentityProviders)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == maxIdentityProviders {
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached",
				"There are already %d identity providers, and more are not possible. Delete some first.", maxIdentityProviders)
		}
		row := p.row()
		row.ClientSecret = sealed
		row, err = s.Store.CreateIdentityProvider(ctx, row)
		if err != nil {
			return audit.Act{}, providerConflict(err)
		}
		p = s.providerOf(row)
		return audit.Act{Action: "identity-provider.create", Target: p.target(), After: p}, nil
	})
	return p, err
}

// providerConflict translates a violated constraint into an error for its field.
func providerConflict(err error) error {
	switch {
	case errs.Is(err, errs.Conflict):
		return errs.New(errs.Conflict, "already_exists", "There is already an identity provider with this slug.")
	case errs.Is(err, errs.NotFound):
		return field.Wrong("/tenants", "must be ids of tenants")
	}
	return err
}

// IdentityProviders lists the identity providers, newest first, at most limit.
func (s *Service) IdentityProviders(ctx context.Context, before store.Cursor, limit int) ([]IdentityProvider, error) {
	rows, err := s.Store.IdentityProviders(ctx, before, limit)
	if err != nil {
		return nil, err
	}
	out := make([]IdentityProvider, len(rows))
	for i, row := range rows {
		if row.Tenants, err = s.Store.ProviderTenants(ctx, row.ID); err != nil {
			return nil, err
		}
		out[i] = s.providerOf(row)
	}
	return out, nil
}

// UpdateIdentityProvider changes an identity provider. version 0 means any version; otherwise the provider
// must still have it (Stale). A tenant that may no longer map its claims loses the memberships from them at
// once. Disabling a provider ends the sessions that signed in through it.
func (s *Service) UpdateIdentityProvider(ctx context.Context, id string, version int64,
	in IdentityProviderUpdate) (IdentityProvider, error) {
	var after IdentityProvider
	var sealed []byte
	if in.ClientSecret.Set() {
		var err error
		if sealed, err = s.Keyring.SealSecret(ctx, providerScope(id), secret.New(in.ClientSecret.Get())); err != nil {
			return after, err
		}
	}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.IdentityProvider(ctx, id)
		if err != nil {
			return audit.Act{}, err
		}
		if version != 0 && version != row.Version {
			return audit.Act{}, errs.Changed()
		}
		before := s.providerOf(row)
		after = before
		if err := in.into(&after); err != nil {
			return audit.Act{}, err
		}
		next := after.row()
		if next.ClientSecret = row.ClientSecret; sealed != nil {
			next.ClientSecret = sealed
		}
		if row, err = s.Store.UpdateIdentityProvider(ctx, next, sealed != nil); err != nil {
			if errs.Is(err, errs.NotFound) && row.ID == "" {
				return audit.Act{}, errs.Changed()
			}
			return audit.Act{}, providerConflict(err)
		}
		after = s.providerOf(row)
		gone, err := s.Store.WithdrawMapped(ctx, id, true)
		if err != nil {
			return audit.Act{}, err
		}
		act := audit.Act{Action: "identity-provider.update", Target: after.target(), Before: before, After: after}
		if before.Enabled && !after.Enabled {
			ended, err := s.Store.EndSessionsFrom(ctx, id, s.Idle(ctx))
			if err != nil {
				return act, err
			}
			act.Note = audit.SessionsEnded(ended)
		}
		return act, s.recordWithdrawn(ctx, gone, "The tenant may no longer use the identity provider.")
	})
	return after, err
}

// into merges the patch into a provider and checks the result.
func (in IdentityProviderUpdate) into(p *IdentityProvider) error {
	if in.Issuer.Set() && in.Issuer.Get() != p.Issuer {
		return field.Wrong("/issuer", "cannot be changed: people are known by issuer and subject. Make another identity provider")
	}
	in.Slug.Into(&p.Slug)
	in.DisplayName.Into(&p.DisplayName)
	in.ClientID.Into(&p.ClientID)
	in.Scopes.Into(&p.Scopes)
	in.Tenants.Into(&p.Tenants)
	in.Listed.Into(&p.Listed)
	in.HostUserID.IntoPointer(&p.HostUserID)
	in.Enabled.Into(&p.Enabled)
	return p.check()
}

// DeleteIdentityProvider deletes an identity provider with all tenants' mappings and the sessions that
// signed in through it, and withdraws the memberships from the mappings at once. Identities stay: the same
// issuer and subject are the same person if the provider is added again.
func (s *Service) DeleteIdentityProvider(ctx context.Context, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if _, err := s.Store.LockProvider(ctx, id); err != nil { // before the mappings, as a sign-in does
			return audit.Act{}, err
		}
		row, err := s.Store.IdentityProvider(ctx, id)
		if err != nil {
			return audit.Act{}, err
		}
		p := s.providerOf(row)
		mappings, err := s.Store.MappingsOfProvider(ctx, id)
		if err != nil {
			return audit.Act{}, err
		}
		for _, m := range mappings { // each tenant's log shows its lost mappings
			shown := mappingOf(m)
			if err := s.Audit.Record(ctx, audit.Act{Tenant: domain.Tenant{ID: m.Tenant}, Action: "oidc-role-mapping.delete",
				Target: shown.target(), Before: shown, Note: "The identity provider was deleted."}); err != nil {
				return audit.Act{}, err
			}
		}
		gone, err := s.Store.WithdrawMapped(ctx, id, false)
		if err != nil {
			return audit.Act{}, err
		}
		if err := s.recordWithdrawn(ctx, gone, "The identity provider was deleted."); err != nil {
			return audit.Act{}, err
		}
		ended, err := s.Store.EndSessionsFrom(ctx, id, s.Idle(ctx))
		if err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Action: "identity-provider.delete", Target: p.target(), Before: p, Note: audit.SessionsEnded(ended)},
			s.Store.DeleteIdentityProvider(ctx, id)
	})
}

// TestIdentityProvider tests the provider and returns the result of each check. The test is recorded in the
// audit log.
func (s *Service) TestIdentityProvider(ctx context.Context, id string) ([]oidc.Verdict, error) {
	row, err := s.Store.IdentityProvider(ctx, id)
	if err != nil {
		return nil, err
	}
	at, err := s.providerAt(ctx, row)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, longestTest)
	defer cancel()
	checks := s.party.Test(bounded, at, s.redirectURL(row.Slug))
	result, note := "ok", ""
	if i := slices.IndexFunc(checks, func(c oidc.Verdict) bool { return !c.OK }); i >= 0 {
		result, note = "failed", "The first check that failed is "+checks[i].Name+"."
	}
	return checks, s.Audit.Record(ctx, audit.Act{Action: "identity-provider.test", Target: s.providerOf(row).target(), Result: result,
		Note: note})
}

// longestTest bounds all requests of one test together, so that its audit entry is written before the
// person's request ends (30 s).
const longestTest = 24 * time.Second

// ProviderName is an identity provider as shown to a tenant.
type ProviderName struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// TenantProviders lists the enabled providers whose claims a tenant may map.
func (s *Service) TenantProviders(ctx context.Context, t domain.Tenant) ([]ProviderName, error) {
	rows, err := s.Store.TenantProviders(ctx, t)
	out := make([]ProviderName, len(rows))
	for i, row := range rows {
		out[i] = ProviderName{row.ID, row.Slug, row.DisplayName}
	}
	return out, err
}

// providerAt returns a provider with its secret opened.
func (s *Service) providerAt(ctx context.Context, row store.IdentityProvider) (oidc.Provider, error) {
	key, err := s.Keyring.OpenSecret(ctx, providerScope(row.ID), row.ClientSecret)
	return oidc.Provider{Issuer: row.Issuer, ClientID: row.ClientID, ClientSecret: key, Scopes: decodeList(row.Scopes)}, err
}

func providerScope(id string) secret.Scope {
	return secret.Scope{Table: "identity_providers", Row: id, Column: "client_secret"}
}

func (s *Service) redirectURL(slug string) string {
	return s.origin() + "/auth/oidc/" + slug + "/callback"
}

func (p IdentityProvider) target() audit.Target {
	return audit.Target{Kind: "identity-provider", ID: p.ID, Name: p.DisplayName}
}

func (p IdentityProvider) row() store.IdentityProvider {
	row := store.IdentityProvider{ID: p.ID, Slug: p.Slug, DisplayName: p.DisplayName, Issuer: p.Issuer, ClientID: p.ClientID,
		Scopes: store.JSON(append([]string{}, p.Scopes...)), AllTenants: p.Tenants.All,
		Tenants: p.Tenants.IDs, Listed: p.Listed, Enabled: p.Enabled, Version: p.Version}
	if p.HostUserID != nil {
		row.HostUserID = strings.ToLower(strings.TrimSuffix(p.HostUserID.Host, "/"))
	}
	return row
}

func (s *Service) providerOf(row store.IdentityProvider) IdentityProvider {
	changed := store.Time(row.SecretUS)
	p := IdentityProvider{ID: row.ID, Slug: row.Slug, DisplayName: row.DisplayName, Issuer: row.Issuer, ClientID: row.ClientID,
		ClientSecretSet:       len(row.ClientSecret) > 0,
		ClientSecretUpdatedAt: &changed, Scopes: decodeList(row.Scopes), Tenants: TenantChoice{All: row.AllTenants, IDs: row.Tenants},
		Listed: row.Listed, Enabled: row.Enabled,
		RedirectURL: s.redirectURL(row.Slug), Version: row.Version, CreatedAt: store.Time(row.CreatedUS), UpdatedAt: store.Time(row.UpdatedUS)}
	if row.HostUserID != "" {
		p.HostUserID = &HostUserID{Host: row.HostUserID}
	}
	return p
}

// decodeList decodes a stored list of texts. It never returns nil; an unreadable list is empty.
func decodeList(text string) []string { return append([]string{}, store.FromJSON[[]string](text)...) }
