package tenant

import (
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// TenantSettingsUpdate replaces the settings of a tenant.
type TenantSettingsUpdate struct {
	Name                   string `json:"name" minLength:"1" maxLength:"100" example:"Example" audit:"track"`
	HostOwnersAreAdmins    bool   `json:"hostOwnersAreAdmins" doc:"Makes owners of the account or organisation on the code host admins here" audit:"track"`
	Collaborators          string `json:"collaborators" enum:"none,member" doc:"What an outside collaborator of a repository becomes here" audit:"track"`
	MembersWithoutHostRole string `json:"membersWithoutHostRole" enum:"none,view" doc:"What a member may do on a repository on which the code host gives no role" audit:"track"`
	AuthorMayApprove       bool   `json:"authorMayApprove" doc:"The author of a pull request may approve and reject what is published about it, and dismiss secrets and what breaks a mandatory rule in it" audit:"track"`
	Currency               string `json:"currency" minLength:"3" maxLength:"3" doc:"Code of ISO 4217, for sums that are shown: USD. Another one is refused until sums are converted; stored, it acts as USD" example:"USD" audit:"track"`
	TimeZone               string `json:"timeZone" minLength:"1" maxLength:"64" doc:"Name in the IANA database, for the times in messages to channels; the console shows those of its reader. Days and months of figures, sums and budgets are of UTC" example:"Europe/Berlin" audit:"track"`
	MonthlyBudgetMicros    *int64 `json:"monthlyBudgetMicros,omitempty" minimum:"0" maximum:"1000000000000000" doc:"What models may cost in a month (UTC), in millionths of the currency, where the model policy has no budget: a soft one, which makes alerts. The budget that stops spending is in the model policy. Absent or 0: none" example:"250000000" audit:"track"`

	RequiredIdentityProviderID string `json:"requiredIdentityProviderId,omitempty" maxLength:"60" doc:"Memberships hold only in sessions that came from this identity provider, and in those of one-time links. It must be one that GET …/identity-providers lists, and the session that sets it must have come from it. Absent: every way to sign in counts" audit:"track"`
}

// TenantSettings are the settings of a tenant in the interface.
type TenantSettings struct {
	TenantSettingsUpdate
	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"Stored settings that have another effect for now; absent if there are no such settings"`
	Version     int64                `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0 where the defaults hold"`
	UpdatedAt   *time.Time           `json:"updatedAt,omitempty" audit:"ignore" doc:"Absent where the defaults hold"`
}

func (in TenantSettingsUpdate) check() error {
	var c field.Check
	c.Name("/name", in.Name)
	c.Currency("/currency", in.Currency)
	c.TimeZone("/timeZone", in.TimeZone)
	return c.Err()
}

// Settings returns the settings of a tenant.
func (s *Service) Settings(ctx context.Context, t domain.Tenant) (TenantSettings, error) {
	row, err := s.Store.ReadTenant(ctx, t)
	if err != nil {
		return TenantSettings{}, err
	}
	d, err := s.Store.Document(ctx, t, "", store.SettingTenant)
	if err != nil {
		return TenantSettings{}, err
	}
	return settingsOf(row.Name, d)
}

func settingsOf(name string, d store.Document) (TenantSettings, error) {
	p, err := policy.TenantSettingsOf(d)
	out := TenantSettings{Version: d.Version, UpdatedAt: store.TimeOrNil(d.UpdatedUS),
		TenantSettingsUpdate: TenantSettingsUpdate{Name: name, HostOwnersAreAdmins: p.HostOwnersAreAdmins,
			Collaborators: p.Collaborators, MembersWithoutHostRole: p.MembersWithoutHostRole, AuthorMayApprove: p.AuthorMayApprove,
			Currency: p.Currency, TimeZone: p.TimeZone, MonthlyBudgetMicros: p.MonthlyBudgetMicros,
			RequiredIdentityProviderID: p.RequiredIdentityProviderID}}
	out.NotInEffect = policy.NotInEffectIn(policy.DocTenant, out.TenantSettingsUpdate)
	return out, err
}

// PutSettings replaces the settings of a tenant, including its name. A value without effect is refused
// (Invalid, by its pointer) unless it is stored already. An identity provider can be required only by a
// session that signed in through it, whose provider is from. Otherwise it returns Conflict with the code
// other_provider, because the provider may let no person in. version 0 means any version; otherwise the
// document must still have it (Stale).
func (s *Service) PutSettings(ctx context.Context, t domain.Tenant, from string, version int64,
	in TenantSettingsUpdate) (TenantSettings, error) {
	if err := in.check(); err != nil {
		return TenantSettings{}, err
	}
	var after TenantSettings
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Settings(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		var c field.Check
		if policy.RefuseUnbuilt(&c, policy.DocTenant, before.TenantSettingsUpdate, in); c.Err() != nil {
			return audit.Act{}, c.Err()
		}
		if in.RequiredIdentityProviderID != before.RequiredIdentityProviderID {
			if err := s.mayRequire(ctx, t, from, in.RequiredIdentityProviderID); err != nil {
				return audit.Act{}, err
			}
		}
		d, err := s.Store.PutSettingAt(ctx, t, "", store.SettingTenant,
			store.JSON(policy.TenantSettings{HostOwnersAreAdmins: in.HostOwnersAreAdmins, Collaborators: in.Collaborators,
				MembersWithoutHostRole: in.MembersWithoutHostRole, AuthorMayApprove: in.AuthorMayApprove, Currency: in.Currency,
				TimeZone: in.TimeZone, MonthlyBudgetMicros: in.MonthlyBudgetMicros, RequiredIdentityProviderID: in.RequiredIdentityProviderID}),
			version)
		if err != nil {
			return audit.Act{}, err
		}
		if in.Name != before.Name {
			if err := s.Store.RenameTenant(ctx, t, in.Name); err != nil {
				return audit.Act{}, err
			}
		}
		after, err = settingsOf(in.Name, d)
		return audit.Act{Tenant: t, Action: "tenant-settings.update", Target: audit.Target{Kind: "tenant", ID: t.ID, Name: in.Name},
			Before: before, After: after}, err
	})
	return after, err
}

// mayRequire returns an error if the tenant cannot use an identity provider, or the session did not sign in
// through it. "" requires no provider, and is always accepted.
func (s *Service) mayRequire(ctx context.Context, t domain.Tenant, from, provider string) error {
	if provider == "" {
		return nil
	}
	all, err := s.Store.TenantProviders(ctx, t)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(p store.IdentityProvider) bool { return p.ID == provider })
	if at < 0 {
		return field.Wrong("/requiredIdentityProviderId", "must be the id of an identity provider that GET …/identity-providers lists")
	}
	if from != provider {
		return errs.New(errs.Conflict, "other_provider", "Your own session did not come from this identity provider, and you would be "+
			"locked out with everybody else for whom it does not work. Sign in with %s, at /auth/oidc/%s/login, and require it from there.",
			all[at].DisplayName, all[at].Slug)
	}
	return nil
}
