package httpapi

import "github.com/assay-dev/assay/internal/perm"

// instanceRoutes returns the endpoints of instance administration.
func instanceRoutes() []Route {
	return []Route{
		{"GET", inst + "/assignment/legal-sign-off", perm.InstanceManage, "-", "-", typed("Read the legal sign-off", (*server).legalSignOff)},
		{"PUT", inst + "/assignment/legal-sign-off", perm.InstanceManage, "LegalSignOffUpdate", "-", typed("Record or withdraw the legal sign-off", (*server).putLegalSignOff)},
		{"GET", inst + "/audit", perm.InstanceManage, "-", "-", typed("List what was done in the instance, newest first", (*server).instanceAudit)},
		{"GET", inst + "/audit/export", perm.InstanceManage, "-", "-", slow(withAnswers(typed("Export the instance's audit log", (*server).instanceAuditExport), exportAnswers()))},
		{"GET", inst + "/audit/verify", perm.InstanceManage, "-", "-", slow(typed("Verify the instance's audit log", (*server).instanceAuditVerify))},
		{"GET", inst + "/eval-runs", perm.InstanceManage, "-", "no", typed("Runs of the evaluation harness", (*server).evalRuns)},
		{"GET", inst + "/codehost-apps", perm.InstanceManage, "-", "-", typed("List code-host apps", (*server).apps)},
		{"POST", inst + "/codehost-apps", perm.InstanceManage, "GitHubAppRegister", "-", asksServer(creates("Enter a GitHub App", (*server).registerApp))},
		{"DELETE", inst + "/codehost-apps/{providerAppId}", perm.InstanceManage, "-", "-", typed("Delete a code-host app", (*server).deleteApp)},
		{"PATCH", inst + "/codehost-apps/{providerAppId}", perm.InstanceManage, "GitHubAppUpdate", "-", asksServer(typed("Change a code-host app", (*server).updateApp))},
		{"POST", inst + "/codehost-apps/{providerAppId}/test", perm.InstanceManage, "-", "-", asksServer(typed("Test a code-host app", (*server).testApp))},
		{"GET", inst + "/identity-providers", perm.InstanceManage, "-", "no", typed("List identity providers", (*server).identityProviders)},
		{"POST", inst + "/identity-providers", perm.InstanceManage, "IdentityProviderCreate", "yes", asksServer(creates("Make an identity provider", (*server).createIdentityProvider))},
		{"DELETE", inst + "/identity-providers/{identityProviderId}", perm.InstanceManage, "-", "yes", typed("Delete an identity provider, its role mappings and what they gave", (*server).deleteIdentityProvider)},
		{"PATCH", inst + "/identity-providers/{identityProviderId}", perm.InstanceManage, "IdentityProviderUpdate", "yes", asksServer(typed("Change an identity provider", (*server).updateIdentityProvider))},
		{"POST", inst + "/identity-providers/{identityProviderId}/test", perm.InstanceManage, "-", "yes", asksServer(typed("Ask an identity provider, and say what is wrong", (*server).testIdentityProvider))},
		{"GET", inst + "/settings", perm.InstanceManage, "-", "-", typed("Read the instance's settings", (*server).instanceSettings)},
		{"PUT", inst + "/settings", perm.InstanceManage, "InstanceSettingsUpdate", "-", typed("Change the instance's settings", (*server).putInstanceSettings)},
		{"GET", inst + "/setup-state", perm.InstanceManage, "-", "-", typed("Steps that are missing for the first review", (*server).setupState)},
		{"GET", inst + "/telemetry", perm.InstanceManage, "-", "no", typed("Read the telemetry setting, and what would be sent", (*server).telemetrySetting)},
		{"PUT", inst + "/telemetry", perm.InstanceManage, "ProductTelemetryUpdate", "yes", typed("Switch telemetry", (*server).putTelemetry)},
	}
}
