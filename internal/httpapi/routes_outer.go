package httpapi

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
)

// codehostWebhook is the path of deliveries of code-host apps.
const codehostWebhook = "/webhooks/codehost"

// outerRoutes returns the endpoints of authentication, setup, health, MCP and webhooks.
func outerRoutes() []Route {
	return []Route{
		{"GET", "/auth/break-glass", perm.Public, "-", "-", raw("Show what a one-time sign-in link would do", pageAnswers(), (*server).linkPage)},
		{"GET", "/auth/codehost/callback", perm.Public, "-", "-", query(raw("End a sign-in by a code host", enterAnswers(), (*server).hostCallback), "code", "state", "error", "error_description", "error_uri")},
		{"GET", "/auth/codehost/login", perm.Public, "-", "-", query(raw("Begin a sign-in by a code host", startAnswers(), (*server).hostLogin), "app", "return", "link")},
		{"POST", "/auth/logout", perm.Authenticated, "-", "-", raw("End the session", logoutAnswers(), (*server).logout)},
		{"GET", "/auth/oidc/{slug}/callback", perm.Public, "-", "no", query(raw("End a sign-in with an identity provider", enterAnswers(), (*server).oidcCallback), "code", "state", "iss", "error", "error_description", "error_uri")},
		{"GET", "/auth/oidc/{slug}/login", perm.Public, "-", "no", query(raw("Begin a sign-in with an identity provider", startAnswers(), (*server).oidcLogin), "return", "link")},
		{"GET", "/auth/providers", perm.Public, "-", "no", typed("The ways to sign in", (*server).providers)},
		{"GET", "/auth/trackers/tracker-b/callback", perm.Authenticated, "-", "yes", query(raw("Return from the tracker's OAuth consent", trackerCallbackAnswers(), (*server).trackerCallback), "code", "state", "error", "error_description")},
		{"GET", "/healthz", perm.Public, "-", "-", typed("Liveness of the process", (*server).healthz)},
		{"GET", "/readyz", perm.Public, "-", "-", withAnswers(typed("Readiness to serve requests", (*server).readyz), readyAnswers())},
		{"GET", "/version", perm.Public, "-", "-", typed("Version and build of the service", (*server).version)},
		{"GET", "/mcp", perm.Public, "-", "-", raw("No stream is opened from here: 405", onlyPostAnswers(), (*server).onlyPost)},
		{"DELETE", "/mcp", perm.Public, "-", "-", raw("There are no sessions to end: 405", onlyPostAnswers(), (*server).onlyPost)},
		{"POST", "/mcp", perm.Authenticated, "-", "-", messages(raw("Speak the Model Context Protocol", mcpAnswers(), (*server).mcp))},
		{"GET", "/setup/codehost/callback", perm.Public, "-", "-", asksServer(raw("Come back from making an app", setupPageAnswers(), (*server).setupCallback))},
		{"GET", "/setup/codehost/installed", perm.Public, "-", "-", raw("Come back from installing an app", setupPageAnswers(), (*server).installed)},
		{"GET", "/setup/codehost/manifest", perm.Public, "-", "-", typed("Prepare an app for the code host to make", (*server).setupManifest)},
		{"POST", "/setup/codehost/register", perm.Public, "SetupRegisterApp", "-", asksServer(creates("Enter an app in the first run", (*server).setupRegister))},
		{"GET", "/setup/codehost/state", perm.Public, "-", "-", typed("How far the first run has come", (*server).setupProgress)},
		{"POST", codehostWebhook, perm.Public, "-", "-", raw("Take a signed delivery", webhookAnswers(), (*server).webhook)},
		{"POST", "/webhooks/host-b/{connectionId}", perm.Public, "-", "-", query(raw("Take a signed delivery of GitLab", webhookAnswers(), connectionWebhook(domain.GitLab)), codehost.HookRepository)},
		{"POST", "/webhooks/host-c/{connectionId}", perm.Public, "-", "no", query(raw("Take a signed delivery of Bitbucket Cloud", webhookAnswers(), connectionWebhook(domain.BitbucketCloud)), codehost.HookRepository)},
		{"POST", "/webhooks/host-d/{connectionId}", perm.Public, "-", "no", query(raw("Take a signed delivery of Bitbucket Data Center", webhookAnswers(), connectionWebhook(domain.BitbucketDataCenter)), codehost.HookRepository)},
		{"POST", "/webhooks/host-e/{connectionId}", perm.Public, "-", "no", query(raw("Take a signed delivery of Gitea", webhookAnswers(), connectionWebhook(domain.Gitea)), codehost.HookRepository)},
		{"POST", "/webhooks/host-f/{connectionId}", perm.Public, "-", "no", query(raw("Take a signed delivery of Forgejo", webhookAnswers(), connectionWebhook(domain.Forgejo)), codehost.HookRepository)},
		{"POST", "/webhooks/host-g/{connectionId}", perm.Public, "-", "-", query(raw("Take a delivery of Azure DevOps, with the secret of the webhook", webhookAnswers(), connectionWebhook(domain.AzureDevOps)), codehost.HookRepository)},
		{"POST", "/webhooks/tracker-a/{connectionId}", perm.Public, "-", "no", raw("Take a signed delivery of Jira", webhookAnswers(), connectionWebhook(domain.Jira))},
		{"POST", "/webhooks/tracker-b/{connectionId}", perm.Public, "-", "no", raw("Take a signed delivery of Linear", webhookAnswers(), connectionWebhook(domain.Linear))},
		{"POST", "/webhooks/tracker-c/{connectionId}", perm.Public, "-", "no", raw("Take a signed delivery of Azure Boards", webhookAnswers(), connectionWebhook(domain.AzureBoards))},
	}
}

func (s *server) webhook(w http.ResponseWriter, r *http.Request) { s.Webhook.ServeHTTP(w, r) }

// connectionWebhook passes deliveries to the handler for a kind of connection. It answers 404 if there is
// no handler, because then the kind has no connections.
func connectionWebhook(kind domain.ConnectionKind) func(*server, http.ResponseWriter, *http.Request) {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		h := s.Webhooks[kind.PathWord()]
		if h == nil {
			s.refuse(w, r, errs.Absent())
			return
		}
		h.ServeHTTP(w, r)
	}
}

func webhookAnswers() map[string]*huma.Response {
	return map[string]*huma.Response{"202": {Description: "Stored", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
		Type: "object", Required: []string{"accepted", "duplicate"}, Properties: map[string]*huma.Schema{
			"accepted":  {Type: "boolean"},
			"duplicate": {Type: "boolean", Description: "This delivery was stored before"},
		}}}}}}
}

func readyAnswers() map[string]*huma.Response {
	return map[string]*huma.Response{"503": {Description: "Requests fail; the body names what is down", Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Ref: schemas + "Readiness"}}}}}
}
