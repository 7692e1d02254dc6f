package httpapi

import "github.com/assay-dev/assay/internal/perm"

// beyondRoutes are endpoints that the specification does not have and people
// need; they obey the same rules.
func beyondRoutes() []Route {
	return []Route{
		{"POST", breakGlass, perm.Public, "-", "-", form(raw("Redeem a one-time sign-in link", linkAnswers(), (*server).takeLink), tokenForm())},
		{"GET", "/openapi.json", perm.Public, "-", "no", raw("This description", openAPIAnswers(), (*server).openAPI)},
		{"GET", "/api/me/sessions", perm.Authenticated, "-", "no", typed("The person's sessions", (*server).sessions)},
		{"DELETE", "/api/me/sessions/{sessionId}", perm.Authenticated, "-", "yes", typed("End a session of the person", (*server).endSession)},
		{"GET", "/setup", perm.Public, "-", "no", raw("The page of the first run", setupPageAnswers(), (*server).setupPage)},
		{"POST", "/setup", perm.Public, "-", "-", form(raw("A step of the first run, from its page", setupPageAnswers(), (*server).setupForm), setupFormFields())},
		{"POST", setupSession, perm.Public, "SetupToken", "-", typed("Open the first run with its token", (*server).openSetup)},
		{"PUT", "/setup/instance", perm.Public, "SetupInstance", "-", typed("Name the instance", (*server).nameInstance)},
		{"PUT", "/setup/connection", perm.Public, "SetupConnection", "-", typed("Connect a code host that has no apps, in the first run", (*server).setupConnect)},
		{"POST", "/setup/finish", perm.Public, "SetupFinish", "-", creates("Make the first tenant with its admin", (*server).finishSetup)},
		{"GET", inst + "/tenants", perm.InstanceManage, "-", "no", typed("List tenants", (*server).instanceTenants)},
		{"POST", inst + "/tenants", perm.InstanceManage, "TenantCreate", "yes", creates("Make a tenant", (*server).createInstanceTenant)},
		{"POST", inst + "/tenants/{id}/join", perm.InstanceManage, "TenantJoin", "yes", typed("Become a member of a tenant, which is told", (*server).joinTenant)},
		{"GET", inst + "/installations", perm.InstanceManage, "-", "no", typed("List installations of apps", (*server).instanceInstallations)},
		{"POST", inst + "/installations/{installationId}/place", perm.InstanceManage, "InstallationPlace", "yes", typed("Give a waiting installation to a tenant", (*server).placeInstallation)},
		{"POST", ten + "/installations", perm.TenantManage, "InstallBegin", "-", typed("Where to install an app for this tenant", (*server).beginInstall)},
		{"GET", inst + "/dead-letters", perm.InstanceManage, "-", "no", typed("List jobs that were given up", (*server).deadLetters)},
		{"POST", inst + "/dead-letters/{jobId}/redrive", perm.InstanceManage, "-", "yes", typed("Give a dead job a new life", (*server).redrive)},
		{"POST", inst + "/dead-letters/{jobId}/discard", perm.InstanceManage, "DeadLetterDiscard", "yes", typed("Give a dead job up", (*server).discard)},
		{"GET", "/api/llm-presets", perm.Authenticated, "-", "no", typed("What is known of model providers", (*server).llmPresets)},
		{"GET", inst + "/llm-prices", perm.InstanceManage, "-", "no", typed("What models cost, as instance admins have entered it", (*server).instancePrices)},
		{"PUT", inst + "/llm-prices", perm.InstanceManage, "LlmPrices", "yes", typed("Enter what models cost, for every tenant", (*server).putInstancePrices)},
		{"GET", ten + "/llm-prices", perm.TenantManage, "-", "no", typed("What models cost, as the tenant's admins have entered it", (*server).tenantPrices)},
		{"PUT", ten + "/llm-prices", perm.TenantManage, "LlmPrices", "yes", typed("Enter what models cost, before the prices of the instance", (*server).putTenantPrices)},
		{"GET", repo + "/review-runs/{runId}/events", perm.RepoView, "-", "no", streamed[RunEvent]("Follow a review run", "The stream: progress says where the run stands, first as it is now and then with each change, and end is the last event of a run that is over. "+
			"A stream ends after half an hour at the latest: connect again, as browsers do", (*server).runEvents)},
		{"GET", repo + "/review-runs/{runId}/tool-calls", perm.RepoView, "-", "no", typed("What models looked at during a review run, at most 200 calls of tools", (*server).toolCalls)},
		{"GET", repo + "/review-runs/{runId}/diff", perm.RepoView, "-", "no", typed("The change that a review run looked at, file by file, with the numbers of both sides and without secrets", (*server).runDiff)},
		{"GET", repo + "/review-runs/{runId}/outputs", perm.RepoView, "-", "no", typed("Every text that a review run made to be published, and what was sent", (*server).runOutputs)},
		{"GET", repo + "/review-runs/{runId}/writes", perm.RepoView, "-", "no", typed("Every write to the code host about a review run, at most 1000", (*server).runWrites)},
		{"GET", repo + "/review-runs/{runId}/dropped", perm.RepoView, "-", "no", typed("What a review run looked into and does not show, with stage and reason, at most 200", (*server).runDropped)},
		{"GET", inst + "/deliveries", perm.InstanceManage, "-", "no", typed("Find what became of a delivery", (*server).deliveries)},
		{"POST", ten + "/provider-connections/{connectionId}/test", perm.TenantManage, "-", "yes", typed("Ask the host of a connection, and say what is wrong", (*server).testProviderConnection)},
		{"GET", ten + "/jobs/{jobId}", perm.TenantManage, "-", "no", typed("What became of work that an answer named", (*server).job)},
		{"GET", ten + "/onboardings", perm.TenantView, "-", "no", typed("New repositories that are tried out, or were, newest first, as far as the person may see them", (*server).onboardings)},
		{"GET", repo + "/onboarding", perm.RepoView, "-", "no", typed("The trial of a repository that is new, with what came of it", (*server).onboarding)},
		{"POST", repo + "/onboarding/accept", perm.RepoManage, "OnboardingAccept", "yes", typed("Have a new repository reviewed, with what is said of its policy", (*server).acceptOnboarding)},
		{"POST", repo + "/onboarding/decline", perm.RepoManage, "OnboardingDecline", "yes", typed("Leave a new repository without reviews", (*server).declineOnboarding)},
		{"POST", repo + "/onboarding/retry", perm.RepoManage, "-", "yes", typed("Try a new repository out again, where that has failed", (*server).retryOnboarding)},
		{"POST", repo + "/policy/what-if", perm.RepoManage, "RepositoryPolicyUpdate", "no", typed("What the last reviews would have looked like under another policy of the repository", (*server).policyWhatIf)},
		{"POST", ten + "/repository-defaults/what-if", perm.TenantManage, "RepositoryDefaultsUpdate", "no", typed("What the last reviews would have looked like under other repository defaults", (*server).defaultsWhatIf)},
		{"POST", repo + "/rules/{ruleId}/what-if", perm.RepoManage, "RuleUpdate", "no", typed("What the last reviews would have looked like with a change of a rule of the repository", (*server).repositoryRuleWhatIf)},
		{"POST", ten + "/rules/{ruleId}/what-if", perm.TenantManage, "RuleUpdate", "no", typed("What the last reviews would have looked like with a change of a rule of the tenant", (*server).tenantRuleWhatIf)},
		{"PUT", ten + "/members/{userId}", perm.TenantManage, "MemberUpdate", "yes", typed("Give a person a role by hand", (*server).putMember)},
		{"POST", ten + "/members/{userId}/sign-out", perm.TenantManage, "-", "yes", typed("End what the person's sessions give in this tenant, until the next sign-in", (*server).signOutMember)},
		{"DELETE", inst + "/users/{userId}/sessions", perm.InstanceManage, "-", "yes", typed("End all sessions of a person", (*server).endSessionsOf)},
		{"DELETE", ten + "/members/{userId}", perm.TenantManage, "-", "yes", typed("Take back the role that was given by hand", (*server).deleteMember)},
	}
}
