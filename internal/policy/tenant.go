package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// TenantSettings are a tenant's settings for itself and its people. The tenant's name is in its row.
type TenantSettings struct {
	HostOwnersAreAdmins    bool   `json:"hostOwnersAreAdmins"`           // an owner of the account on the host is an admin
	Collaborators          string `json:"collaborators"`                 // role for outside collaborators of a repository: none, member
	MembersWithoutHostRole string `json:"membersWithoutHostRole"`        // access without a role on the host: none, view
	AuthorMayApprove       bool   `json:"authorMayApprove"`              // a member without a role on the host gets: none, view
	Currency               string `json:"currency"`                      // ISO 4217
	TimeZone               string `json:"timeZone"`                      // of the IANA database
	MonthlyBudgetMicros    *int64 `json:"monthlyBudgetMicros,omitempty"` // millionths of the currency; nil if unset

	RequiredIdentityProviderID string `json:"requiredIdentityProviderId,omitempty"` // memberships count only in its sessions; "": any
}

// The values of fields of [TenantSettings].
const (
	CollaboratorsNone   = "none"
	CollaboratorsMember = "member"
	WithoutHostRoleNone = "none"
	WithoutHostRoleView = "view"
)

// DefaultTenantSettings returns the settings of a tenant that has stored none.
func DefaultTenantSettings() TenantSettings {
	return TenantSettings{HostOwnersAreAdmins: true, Collaborators: CollaboratorsNone, MembersWithoutHostRole: WithoutHostRoleNone,
		Currency: "USD", TimeZone: "UTC"}
}

// Location returns the zone of [TenantSettings.TimeZone], or UTC if this version does not know the name.
func (v TenantSettings) Location() *time.Location {
	zone, err := time.LoadLocation(v.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Settings returns the settings of a tenant as they take effect, or the defaults if none are stored.
func Settings(ctx context.Context, s *store.Store, t domain.Tenant) (TenantSettings, error) {
	d, err := s.Document(ctx, t, "", store.SettingTenant)
	if err != nil {
		return TenantSettings{}, err
	}
	said, err := TenantSettingsOf(d)
	return InEffect(DocTenant, said), err
}

// TenantSettingsOf decodes the stored document. Fields that it leaves out have their defaults.
func TenantSettingsOf(d store.Document) (TenantSettings, error) {
	out := DefaultTenantSettings()
	if d.Body == "" {
		return out, nil
	}
	if err := json.Unmarshal([]byte(d.Body), &out); err != nil {
		return TenantSettings{}, fmt.Errorf("the stored settings of the tenant cannot be read: %w", err)
	}
	return out, nil
}
