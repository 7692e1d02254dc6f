package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// TenantSettings are what a tenant says of itself and of its people. The name
// is in the tenant's own row.
type TenantSettings struct {
	HostOwnersAreAdmins    bool   `json:"hostOwnersAreAdmins"`           // an owner of the account on the host is an admin
	Collaborators          string `json:"collaborators"`                 // what an outside collaborator of a repository becomes: none, member
	MembersWithoutHostRole string `json:"membersWithoutHostRole"`        // what a member may do on a repository that the host gives no role on: none, view
	AuthorMayApprove       bool   `json:"authorMayApprove"`              // the author of a pull request may approve its review
	Currency               string `json:"currency"`                      // ISO 4217
	TimeZone               string `json:"timeZone"`                      // of the IANA database
	MonthlyBudgetMicros    *int64 `json:"monthlyBudgetMicros,omitempty"` // millionths of the currency; nil: none said

	RequiredIdentityProviderID string `json:"requiredIdentityProviderId,omitempty"` // memberships hold only in sessions that came from it; "" for none
}

// The words of [TenantSettings].
const (
	CollaboratorsNone   = "none"
	CollaboratorsMember = "member"
	WithoutHostRoleNone = "none"
	WithoutHostRoleView = "view"
)

// DefaultTenantSettings are those of a tenant that has said nothing.
func DefaultTenantSettings() TenantSettings {
	return TenantSettings{HostOwnersAreAdmins: true, Collaborators: CollaboratorsNone, MembersWithoutHostRole: WithoutHostRoleNone, Currency: "USD", TimeZone: "UTC"}
}

// Location is the time zone of [TenantSettings.TimeZone]; UTC for a name that
// this version does not know.
func (v TenantSettings) Location() *time.Location {
	zone, err := time.LoadLocation(v.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Settings reads the settings of a tenant as they hold, the defaults where none
// are stored.
func Settings(ctx context.Context, s *store.Store, t domain.Tenant) (TenantSettings, error) {
	d, err := s.Document(ctx, t, "", store.SettingTenant)
	if err != nil {
		return TenantSettings{}, err
	}
	said, err := TenantSettingsOf(d)
	return InEffect(DocTenant, said), err
}

// TenantSettingsOf reads the stored document as it was said; what it does not
// say is the default.
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
