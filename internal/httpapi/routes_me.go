package httpapi

import "github.com/assay-dev/assay/internal/perm"

// meRoutes returns the endpoints of the signed-in person.
func meRoutes() []Route {
	return []Route{
		{"GET", "/api/me", perm.Authenticated, "-", "-", typed("The signed-in person", (*server).me)},
		{"GET", "/api/me/tenants", perm.Authenticated, "-", "-", typed("The person's tenants", (*server).myTenants)},
		{"GET", mine + "/analytics", perm.TenantView, "-", "no", typed("Figures of the person's own pull requests", (*server).myFigures)},
		{"GET", mine + "/assignment", perm.TenantView, "-", "-", typed("The person's settings for assignment", (*server).myAssignment)},
		{"PUT", mine + "/assignment", perm.TenantView, "MyAssignmentSettingsUpdate", "-", typed("Replace the person's settings for assignment", (*server).putMyAssignment)},
		{"GET", mine + "/assignment/availability", perm.TenantView, "-", "-", typed("When the person is away or reviews less", (*server).myAvailability)},
		{"POST", mine + "/assignment/availability", perm.TenantView, "AvailabilityCreate", "-", creates("Say when the person is away or reviews less", (*server).addAvailability)},
		{"DELETE", mine + "/assignment/availability/{id}", perm.TenantView, "-", "-", typed("Delete a time of absence", (*server).deleteAvailability)},
		{"GET", mine + "/push-subscriptions", perm.TenantView, "-", "-", typed("The person's browsers that get notifications", (*server).pushSubscriptions)},
		{"PUT", mine + "/push-subscriptions", perm.TenantView, "PushSubscriptionCreate", "-", typed("Make or renew the subscription of a browser", (*server).putPushSubscription)},
		{"DELETE", mine + "/push-subscriptions/{id}", perm.TenantView, "-", "-", typed("Delete the subscription of a browser", (*server).deletePushSubscription)},
		{"PATCH", mine + "/push-subscriptions/{id}", perm.TenantView, "PushSubscriptionUpdate", "-", typed("Change the subscription of a browser", (*server).updatePushSubscription)},
		{"POST", mine + "/push-subscriptions/{id}/test", perm.TenantView, "-", "-", asksServer(typed("Send a notification to the browser now", (*server).testPushSubscription))},
	}
}
