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
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// maxCredentials is the maximum number of model keys of a tenant (design choice).
const maxCredentials = 100

// LlmCredentialCreate is a new model key.
type LlmCredentialCreate struct {
	Name           string `json:"name" minLength:"1" maxLength:"100" example:"OpenAI, reviews"`
	Kind           string `json:"kind" enum:"openai,anthropic,mistral,azure,bedrock,compatible" example:"openai"`
	APIKey         string `json:"apiKey,omitempty" maxLength:"4096" writeOnly:"true" doc:"Key of the provider. Only a compatible service can be without one, and no hosted preset at its own address" example:"example-key"`
	Preset         string `json:"preset,omitempty" maxLength:"40" doc:"compatible: a service of GET /api/llm-presets; it fills baseUrl"`
	BaseURL        string `json:"baseUrl,omitempty" maxLength:"500" doc:"compatible: address up to the version; azure: the full https endpoint, instead of resource"`
	Resource       string `json:"resource,omitempty" maxLength:"64" doc:"azure: name of the resource"`
	Region         string `json:"region,omitempty" maxLength:"40" doc:"bedrock: a region of GET /api/llm-presets"`
	DataRegion     string `json:"dataRegion,omitempty" maxLength:"20" doc:"openai: us or eu, the official regional endpoint. Elsewhere what the administrator declares: a data region of GET /api/llm-presets. bedrock has it from its region"`
	MaxConcurrency *int64 `json:"maxConcurrency,omitempty" minimum:"1" maximum:"256" doc:"Calls at once per process; absent: the process's default"`
}

// LlmCredentialUpdate changes a model key. Absent fields stay. A change of the fields that decide where
// calls go requires apiKey again.
type LlmCredentialUpdate struct {
	Name           patch.Value[string]    `json:"name,omitzero" minLength:"1" maxLength:"100"`
	Kind           patch.Value[string]    `json:"kind,omitzero" enum:"openai,anthropic,mistral,azure,bedrock,compatible" doc:"Can't be changed; the present value is accepted"`
	APIKey         patch.Nullable[string] `json:"apiKey,omitzero" minLength:"1" maxLength:"4096" writeOnly:"true" doc:"null removes it, for a compatible service that wants none"`
	Preset         patch.Nullable[string] `json:"preset,omitzero" minLength:"1" maxLength:"40"`
	BaseURL        patch.Nullable[string] `json:"baseUrl,omitzero" minLength:"1" maxLength:"500"`
	Resource       patch.Nullable[string] `json:"resource,omitzero" minLength:"1" maxLength:"64"`
	Region         patch.Value[string]    `json:"region,omitzero" minLength:"1" maxLength:"40"`
	DataRegion     patch.Nullable[string] `json:"dataRegion,omitzero" minLength:"1" maxLength:"20"`
	MaxConcurrency patch.Nullable[int64]  `json:"maxConcurrency,omitzero" minimum:"1" maximum:"256"`
}

// LlmCredential is a model key in the interface.
type LlmCredential struct {
	ID              string     `json:"id" audit:"ignore"`
	Name            string     `json:"name" audit:"track"`
	Kind            string     `json:"kind" enum:"openai,anthropic,mistral,azure,bedrock,compatible" audit:"track"`
	Preset          string     `json:"preset,omitempty" audit:"track"`
	BaseURL         string     `json:"baseUrl,omitempty" audit:"track" doc:"For a kind with a fixed endpoint, a value kept from an older key; it is not used"`
	Resource        string     `json:"resource,omitempty" audit:"track"`
	Region          string     `json:"region,omitempty" audit:"track"`
	DataRegion      string     `json:"dataRegion,omitempty" audit:"track" doc:"Region where data is processed; absent: unknown"`
	Endpoint        string     `json:"endpoint" audit:"ignore" doc:"Address that calls go to"`
	MaxConcurrency  *int64     `json:"maxConcurrency,omitempty" audit:"track"`
	APIKeySet       bool       `json:"apiKeySet" audit:"ignore"`
	APIKeyUpdatedAt *time.Time `json:"apiKeyUpdatedAt,omitempty" audit:"secret"`
	BlockedUntil    *time.Time `json:"blockedUntil,omitempty" audit:"ignore" doc:"The provider has asked to wait until then"`
	Uses            int        `json:"uses" audit:"ignore" doc:"How many places of model policies name it; then it can't be deleted"`
	Version         int64      `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt       time.Time  `json:"createdAt" audit:"ignore"`
	UpdatedAt       time.Time  `json:"updatedAt" audit:"ignore"`

	UsedBy []LlmKeyUse `json:"usedBy" audit:"ignore" doc:"At most ten of them, the tenant's own first"`
}

// catalogKey returns the fields of a stored credential that decide where calls go.
func catalogKey(c store.Credential) catalog.Key {
	return catalog.Key{Kind: c.Kind, Preset: c.Preset, BaseURL: c.BaseURL, Resource: c.Resource, Region: c.Region, DataRegion: c.DataRegion}
}

// checkCredential checks a key that would replace before. given reports by JSON name whether the request
// has a field. A value that a fixed endpoint inherits from an older key is not an error of this request,
// and neither is a missing secret that was missing before.
func (s *Service) checkCredential(before, c store.Credential, apiKey string, given func(field string) bool) error {
	var f field.Check
	kind, _ := catalog.KindOf(c.Kind)
	f.Name("/name", c.Name)
	for _, name := range []string{"preset", "baseUrl", "resource", "region", "dataRegion"} {
		f.That(kind.Takes(name) || !given(name), "/"+name, "must be absent for this kind")
	}
	f.That(!strings.ContainsFunc(apiKey, unprintable), "/apiKey", "must have printable ASCII characters only, without spaces")
	_, known := catalog.PresetOf(c.Preset)
	f.That(known || c.Preset == "" || !kind.Takes("preset"), "/preset", "must be the id of a service of GET /api/llm-presets")
	switch c.Kind {
	case catalog.OpenAI:
		f.That(c.DataRegion == "" || slices.Contains(catalog.OfficialRegions(), c.DataRegion), "/dataRegion",
			"must be us or eu, or be absent for the endpoint without a region")
	case catalog.Bedrock:
		_, known := catalog.CloudRegionOf(c.Region)
		f.That(known, "/region", "must be a region of GET /api/llm-presets, such as eu-central-1")
	case catalog.Azure:
		f.That(c.Resource == "" || catalog.IsResource(c.Resource), "/resource",
			"must be the name of the resource: 2 to 64 of a-z, 0-9 and -, with no - at either end")
		f.That(c.Resource == "" || c.BaseURL == "", "/baseUrl", "must be absent where resource is given")
		f.That(c.Resource != "" || c.BaseURL != "", "/resource", "must name the resource, or baseUrl the full https endpoint")
	case catalog.Compatible:
		f.That(c.BaseURL != "", "/baseUrl", "must be the address of the service, or preset must name one")
	}
	if c.Kind != catalog.OpenAI && c.Kind != catalog.Bedrock {
		f.That(c.DataRegion == "" || catalog.IsDataRegion(c.DataRegion), "/dataRegion",
			"must be a data region of GET /api/llm-presets, such as eu")
	}
	if kind.Takes("baseUrl") && c.BaseURL != "" {
		s.checkEndpoint(&f, c.Kind, c.BaseURL)
	}
	keyless := len(c.APIKey) == 0 && apiKey == ""
	f.That(!keyless || !kind.KeyRequired, "/apiKey", "must be set for this kind")
	was := before.ID != "" && len(before.APIKey) == 0 && catalogKey(before).Endpoint() == catalogKey(c).Endpoint()
	service, wants := catalogKey(c).WantsKey()
	f.That(!keyless || !wants || was, "/apiKey", "must be set: "+service+
		" needs a key. Only self-hosted services and other base URLs work without one")
	return f.Err()
}

// unprintable reports whether a character cannot be part of a key, because a header cannot contain it (RFC
// 9110, section 5.5).
func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// checkEndpoint checks an entered address. Its resolved address is checked again at each dial.
func (s *Service) checkEndpoint(f *field.Check, kind, raw string) {
	if !f.WebURL("/baseUrl", raw) {
		return
	}
	if end := catalog.CallPath(raw); end != "" {
		f.That(false, "/baseUrl", "must end before "+end+", which is added to it")
		return
	}
	switch {
	case kind == catalog.Azure && !strings.HasPrefix(strings.ToLower(raw), "https://"):
		f.That(false, "/baseUrl", "must be an absolute URL with https")
	case s.Enterprise: // public https only
		f.That(outbound.CheckPublicForm(raw) == nil, "/baseUrl", "must be a public https address on port 443 in this edition: no http, "+
			"no private or local address, whatever the air-gap configuration names")
	default:
		if refused, ok := errors.AsType[*outbound.RefusedError](s.Outbound.CheckForm(raw)); ok {
			f.That(false, "/baseUrl", "must be an address that can be reached: "+refused.Reason)
		}
	}
}

// CreateCredential stores a model key. Errors: Invalid, Conflict (name taken, too many).
func (s *Service) CreateCredential(ctx context.Context, t domain.Tenant, in LlmCredentialCreate) (LlmCredential, error) {
	row := store.Credential{ID: domain.NewID("crd"), Name: in.Name, Kind: in.Kind, Preset: in.Preset,
		BaseURL: strings.TrimRight(in.BaseURL, "/"), Resource: in.Resource, Region: in.Region, DataRegion: in.DataRegion}
	if in.MaxConcurrency != nil {
		row.MaxConcurrency = *in.MaxConcurrency
	}
	if p, ok := catalog.PresetOf(in.Preset); ok && row.BaseURL == "" && in.Kind == catalog.Compatible {
		row.BaseURL = p.BaseURL
	}
	given := map[string]bool{"preset": in.Preset != "", "baseUrl": in.BaseURL != "", "resource": in.Resource != "",
		"region": in.Region != "", "dataRegion": in.DataRegion != ""}
	if err := s.checkCredential(store.Credential{}, row, in.APIKey, func(f string) bool { return given[f] }); err != nil {
		return LlmCredential{}, err
	}
	if err := s.sealKey(ctx, t, &row, in.APIKey); err != nil {
		return LlmCredential{}, err
	}
	var created LlmCredential
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.CredentialPage(ctx, t, store.Cursor{}, maxCredentials)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == maxCredentials {
			return audit.Act{}, limitError("model keys", maxCredentials)
		}
		if row, err = s.Store.CreateCredential(ctx, t, row); err != nil {
			return audit.Act{}, nameTaken(err)
		}
		created = credentialOf(row)
		created.UsedBy = []LlmKeyUse{} // no policy can name a new key
		return audit.Act{Tenant: t, Action: "llm-credential.create", Target: created.target(), After: created}, nil
	})
	return created, err
}

// sealKey seals a key into its row; "" leaves the row without a key.
func (s *Service) sealKey(ctx context.Context, t domain.Tenant, row *store.Credential, apiKey string) (err error) {
	row.APIKey = nil
	if apiKey != "" {
		scope := secret.Scope{Tenant: t.ID, Table: "llm_credentials", Row: row.ID, Column: "api_key"}
		row.APIKey, err = s.Keyring.SealSecret(ctx, scope, secret.New(apiKey))
	}
	return err
}

// nameTaken translates the violation of a unique name.
func nameTaken(err error) error {
	if errs.Is(err, errs.Conflict) {
		return errs.Wrap(err, errs.Conflict, "already_exists", "There is already a model key with this name; name must be unique in the tenant.")
	}
	return err
}

// Credentials lists the tenant's model keys, newest first.
func (s *Service) Credentials(ctx context.Context, t domain.Tenant, p Page) ([]LlmCredential, error) {
	rows, err := s.Store.CredentialPage(ctx, t, p.Before, p.Limit)
	if err != nil {
		return nil, err
	}
	stored, err := s.storedPolicies(ctx, t)
	out := make([]LlmCredential, len(rows))
	for i, row := range rows {
		out[i] = credentialOf(row)
		out[i].addUses(stored)
	}
	return out, err
}

// UpdateCredential changes a model key. version 0 means any version; otherwise the key must still have it
// (Stale).
func (s *Service) UpdateCredential(ctx context.Context, t domain.Tenant, id string, version int64,
	in LlmCredentialUpdate) (LlmCredential, error) {
	sealed := store.Credential{ID: id} // before the transaction, because a tenant's first data key is made outside of it
	if err := s.sealKey(ctx, t, &sealed, in.APIKey.Get()); err != nil {
		return LlmCredential{}, err
	}
	var after LlmCredential
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.HoldCredential(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		if version != 0 && version != row.Version {
			return audit.Act{}, errs.Changed()
		}
		before, next := row, in.applyTo(row)
		if err := s.checkUpdate(before, next, in); err != nil {
			return audit.Act{}, err
		}
		stored, err := s.storedPolicies(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		if catalogKey(before).Where() != catalogKey(next).Where() {
			if err := field.Invalid(checkStaysAllowed(next, stored)); err != nil {
				return audit.Act{}, err
			}
		}
		if in.APIKey.Set() || catalogKey(before).Endpoint() != catalogKey(next).Endpoint() {
			next.BlockedUntilUS = 0 // the provider's pause applied to another key or provider
		}
		next.APIKey = sealed.APIKey
		if row, err = s.Store.UpdateCredential(ctx, t, next, in.APIKey.Set()); err != nil {
			if errs.Is(err, errs.NotFound) {
				return audit.Act{}, errs.Changed()
			}
			return audit.Act{}, nameTaken(err)
		}
		after = credentialOf(row)
		after.addUses(stored)
		return audit.Act{Tenant: t, Action: "llm-credential.update", Target: after.target(), Before: credentialOf(before), After: after}, nil
	})
	return after, err
}

// applyTo returns a row after the update.
func (in LlmCredentialUpdate) applyTo(row store.Credential) store.Credential {
	in.Name.Into(&row.Name)
	in.Region.Into(&row.Region)
	in.Resource.Into(&row.Resource)
	in.DataRegion.Into(&row.DataRegion)
	in.MaxConcurrency.Into(&row.MaxConcurrency)
	if in.Preset.Into(&row.Preset) && !in.BaseURL.Set() {
		if p, ok := catalog.PresetOf(row.Preset); ok {
			row.BaseURL = p.BaseURL
		}
	}
	if in.BaseURL.Into(&row.BaseURL) {
		row.BaseURL = strings.TrimRight(row.BaseURL, "/")
	}
	if in.APIKey.Null() {
		row.APIKey = nil
	}
	return row
}

func (s *Service) checkUpdate(before, next store.Credential, in LlmCredentialUpdate) error {
	given := map[string]bool{"preset": in.Preset.Get() != "", "baseUrl": in.BaseURL.Get() != "", "resource": in.Resource.Get() != "",
		"region": in.Region.Set(), "dataRegion": in.DataRegion.Get() != ""}
	if err := s.checkCredential(before, next, in.APIKey.Get(), func(f string) bool { return given[f] }); err != nil {
		return err
	}
	if in.Kind.Set() && in.Kind.Get() != before.Kind {
		return field.Wrong("/kind", "must stay what it is; make another key for another kind")
	}
	// Otherwise the stored key could be sent to another address and read there.
	if len(before.APIKey) > 0 && !in.APIKey.Set() && catalogKey(before).Endpoint() != catalogKey(next).Endpoint() {
		return field.Wrong("/apiKey", "must be given again when the address that calls go to changes")
	}
	return nil
}

// DeleteCredential deletes a model key that no policy names (Conflict).
func (s *Service) DeleteCredential(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.HoldCredential(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		stored, err := s.storedPolicies(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		if uses := usesOf(stored, id); len(uses) > 0 {
			return audit.Act{}, keyInUse(uses)
		}
		c := credentialOf(row)
		return audit.Act{Tenant: t, Action: "llm-credential.delete", Target: c.target(), Before: c}, s.Store.DeleteCredential(ctx, t, id)
	})
}

func (c LlmCredential) target() audit.Target {
	return audit.Target{Kind: "llm-credential", ID: c.ID, Name: c.Name}
}

func credentialOf(row store.Credential) LlmCredential {
	c := LlmCredential{ID: row.ID, Name: row.Name, Kind: row.Kind, Preset: row.Preset, BaseURL: row.BaseURL, Resource: row.Resource,
		Region:     row.Region,
		DataRegion: catalogKey(row).Where(), Endpoint: catalogKey(row).Endpoint(), APIKeySet: len(row.APIKey) > 0,
		BlockedUntil: store.TimeOrNil(row.BlockedUntilUS),
		Version:      row.Version, CreatedAt: store.Time(row.CreatedUS), UpdatedAt: store.Time(row.UpdatedUS)}
	if c.APIKeySet {
		c.APIKeyUpdatedAt = store.TimeOrNil(row.APIKeyUS)
	}
	if row.MaxConcurrency > 0 {
		c.MaxConcurrency = &row.MaxConcurrency
	}
	return c
}
