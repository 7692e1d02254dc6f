package httpapi

import "github.com/assay-dev/assay/internal/perm"

// meRoutes are the endpoints of the current user
// (specification, section 4).
func meRoutes() []Route {
	return []Route{
		{"GET", "/api/me", perm.Authenticated, "-", "-", typed("The signed-in person", (*server).me)},
		{"GET", "/api/me/tenants", perm.Authenticated, "-", "-", typed("The person's tenants", (*server).myTenants)},
		{"GET", mine + "/analytics", perm.TenantView, "-", "no", nil},
		{"GET", mine + "/assignment", perm.TenantView, "-", "-", nil},
		{"PUT", mine + "/assignment", perm.TenantView, "MyAssignmentSettingsUpdate", "-", nil},
		{"GET", mine + "/assignment/availability", perm.TenantView, "-", "-", nil},
		{"POST", mine + "/assignment/availability", perm.TenantView, "AvailabilityCreate", "-", nil},
		{"DELETE", mine + "/assignment/availability/{id}", perm.TenantView, "-", "-", nil},
		{"GET", mine + "/push-subscriptions", perm.TenantView, "-", "-", nil},
		{"PUT", mine + "/push-subscriptions", perm.TenantView, "PushSubscriptionCreate", "-", nil},
		{"DELETE", mine + "/push-subscriptions/{id}", perm.TenantView, "-", "-", nil},
		{"PATCH", mine + "/push-subscriptions/{id}", perm.TenantView, "PushSubscriptionUpdate", "-", nil},
		{"POST", mine + "/push-subscriptions/{id}/test", perm.TenantView, "-", "-", nil},
	}
}
