package httpapi

import "github.com/assay-dev/assay/internal/perm"

// instanceRoutes are the endpoints of instance administration
// (specification, section 4).
func instanceRoutes() []Route {
	return []Route{
		{"GET", inst + "/assignment/legal-sign-off", perm.InstanceManage, "-", "-", nil},
		{"PUT", inst + "/assignment/legal-sign-off", perm.InstanceManage, "LegalSignOffUpdate", "-", nil},
		{"GET", inst + "/audit", perm.InstanceManage, "-", "-", typed("List what was done in the instance, newest first", (*server).instanceAudit)},
		{"GET", inst + "/audit/export", perm.InstanceManage, "-", "-", slow(also(typed("Export the instance's audit log", (*server).instanceAuditExport), exportAnswers()))},
		{"GET", inst + "/audit/verify", perm.InstanceManage, "-", "-", slow(typed("Verify the instance's audit log", (*server).instanceAuditVerify))},
		{"GET", inst + "/eval-runs", perm.InstanceManage, "-", "no", typed("Runs of the evaluation harness", (*server).evalRuns)},
		{"GET", inst + "/codehost-apps", perm.InstanceManage, "-", "-", nil},
		{"POST", inst + "/codehost-apps", perm.InstanceManage, "GitHubAppRegister", "-", nil},
		{"DELETE", inst + "/codehost-apps/{providerAppId}", perm.InstanceManage, "-", "-", nil},
		{"PATCH", inst + "/codehost-apps/{providerAppId}", perm.InstanceManage, "GitHubAppUpdate", "-", nil},
		{"POST", inst + "/codehost-apps/{providerAppId}/test", perm.InstanceManage, "-", "-", nil},
		{"GET", inst + "/identity-providers", perm.InstanceManage, "-", "no", typed("List identity providers", (*server).identityProviders)},
		{"POST", inst + "/identity-providers", perm.InstanceManage, "IdentityProviderCreate", "yes", creates("Make an identity provider", (*server).createIdentityProvider)},
		{"DELETE", inst + "/identity-providers/{identityProviderId}", perm.InstanceManage, "-", "yes", typed("Delete an identity provider, its role mappings and what they gave", (*server).deleteIdentityProvider)},
		{"PATCH", inst + "/identity-providers/{identityProviderId}", perm.InstanceManage, "IdentityProviderUpdate", "yes", typed("Change an identity provider", (*server).updateIdentityProvider)},
		{"POST", inst + "/identity-providers/{identityProviderId}/test", perm.InstanceManage, "-", "yes", typed("Ask an identity provider, and say what is wrong", (*server).testIdentityProvider)},
		{"GET", inst + "/settings", perm.InstanceManage, "-", "-", nil},
		{"PUT", inst + "/settings", perm.InstanceManage, "InstanceSettingsUpdate", "-", nil},
		{"GET", inst + "/setup-state", perm.InstanceManage, "-", "-", nil},
		{"GET", inst + "/telemetry", perm.InstanceManage, "-", "no", nil},
		{"PUT", inst + "/telemetry", perm.InstanceManage, "ProductTelemetryUpdate", "yes", nil},
	}
}
