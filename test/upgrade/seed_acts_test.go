package upgrade

import (
	"crypto/ecdh"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// instance creates objects without a tenant: apps, sign-in, settings, prices.
func (d *seed) instance() {
	d.t.Helper()
	const at = "/api/instance"
	for n := range 2 {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		must(d.t, err)
		d.apps = append(d.apps, d.create(d.root, at+"/codehost-apps", object{"appId": 9007199254740991 - n, "baseUrl": fmt.Sprintf("https://github-%d.example.com", n),
			"clientId": "Iv23liexample", "clientSecret": rand.Text(), "slug": fmt.Sprint("assay-", n), "webhookSecret": rand.Text(),
			"privateKey": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))}))
	}
	d.change(d.root, http.MethodPatch, at+"/codehost-apps/"+d.apps[0], object{"nextWebhookSecret": rand.Text()})
	for n, listed := range []bool{true, false} {
		d.create(d.root, at+"/identity-providers", object{"slug": fmt.Sprint("company-", n), "displayName": name(n), "issuer": fmt.Sprintf("https://id-%d.example.com/realms/ü", n),
			"clientId": name(n), "clientSecret": rand.Text(), "tenants": "all", "listed": listed, "scopes": []string{"openid", "groups"}})
	}
	d.change(d.root, http.MethodPut, at+"/settings", object{"name": names[1], "installationPlacement": "manual", "pushServiceHosts": []string{"push.example.com"}})
	d.change(d.root, http.MethodPut, at+"/telemetry", object{"enabled": false})
	d.change(d.root, http.MethodPut, at+"/assignment/legal-sign-off", object{"dataUses": []string{"reviewer suggestions"}, "documentReference": names[0], "signedOff": true})
	d.change(d.root, http.MethodPut, at+"/llm-prices", object{"items": prices()})
}

// configure creates everything that a tenant's admin can set up.
func (e *estate) configure() {
	e.t.Helper()
	e.rules()
	e.models()
	e.connections()
	e.channels()
	e.personal()
	for path, body := range map[string]object{
		"/settings": {"name": name(e.n), "currency": "USD", "timeZone": "Europe/Berlin", "monthlyBudgetMicros": 250000000, "authorMayApprove": false,
			"collaborators": "none", "hostOwnersAreAdmins": false, "membersWithoutHostRole": "none"},
		"/repository-defaults": {"language": "de-DE", "locked": []string{"publishMode", "deterministic"}, "paths": object{"exclude": []string{"vendor/**", "ü/*.go"}}},
		"/analytics/settings":  {"perPersonFigures": false, "retentionDays": 365, "smallestGroup": 5},
		"/mcp-settings":        {"allowWrites": false, "enabled": true, "exposedTools": []string{"list_repositories", "list_findings"}},
		"/assignment/settings": {"mode": "shadow", "reviewers": 5, "fairnessWindowDays": 180, "excludedUserIds": []string{e.admin.id},
			"weights": object{"availability": 10, "fairness": 5, "knowledge": 30, "ownership": 40, "workload": 15}},
	} {
		e.change(e.admin, http.MethodPut, e.path(path), body)
	}
	first := "/repositories/" + e.repositories[0].ID
	e.change(e.admin, http.MethodPut, e.path(first+"/policy"), object{"language": "ja", "minConfidence": 0.25, "maxInlineComments": 40, "profile": "assertive"})
	e.change(e.admin, http.MethodPut, e.path(first+"/assignment/apply-opt-in"), object{"optedIn": true})
	for i, kind := range []string{"consumer", "provider", "related"} {
		e.create(e.admin, e.path(first+"/links"), object{"repositoryId": e.repositories[1+i].ID, "kind": kind, "note": names[i], "confirmed": true})
	}
	for i, r := range e.repositories[1:] {
		e.create(e.admin, e.path("/pattern-repositories"), object{"repositoryId": r.ID, "paths": []string{"src/**", "ü/'*'"}, "note": names[i], "confirmed": true})
	}
	e.create(e.admin, e.path("/analytics/teams"), object{"name": names[0], "memberIds": []string{e.admin.id}, "repositoryIds": []string{e.repositories[0].ID, e.repositories[1].ID}})
	e.create(e.admin, e.path("/analytics/teams"), object{"name": names[1], "memberIds": []string{}})
}

func (e *estate) rules() {
	e.t.Helper()
	for i, severity := range []string{"critical", "high", "medium", "low", "info"} {
		rule := object{"title": "Rule " + names[i], "instruction": strings.TrimSpace(string([]rune(long)[:3500])), "severity": severity, "mandatory": i == 0, "paths": []string{"**/*.go", "ü/*"}, "languages": []string{"go"}}
		e.create(e.admin, e.path("/rules"), rule)
		bare := object{"title": names[1] + severity, "instruction": "x", "severity": severity, "enabled": false}
		for _, r := range e.repositories[:2] {
			e.create(e.admin, e.path("/repositories/"+r.ID+"/rules"), bare)
		}
	}
}

func (e *estate) models() {
	e.t.Helper()
	key := ""
	for i, body := range []object{
		{"kind": "compatible", "baseUrl": "https://models.example.com/v1", "apiKey": rand.Text(), "maxConcurrency": 256},
		{"kind": "compatible", "baseUrl": "https://open.example.com/v1"},
		{"kind": "openai", "apiKey": rand.Text()}, {"kind": "anthropic", "apiKey": rand.Text()}, {"kind": "mistral", "apiKey": rand.Text()},
		{"kind": "azure", "resource": "acme-models", "apiKey": rand.Text()}, {"kind": "bedrock", "region": "eu-central-1", "apiKey": rand.Text()},
	} {
		body["name"] = name(i)
		id := e.create(e.admin, e.path("/llm-credentials"), body)
		if i == 0 {
			key = id
		}
	}
	route := object{"credentialId": key, "model": "model/'ü' 🤖"}
	must(e.t, e.Store.KeepRefusals(bg, e.Tenant, key, 1, "model/'ü' 🤖", []string{"json_schema", "temperature"}, 24*time.Hour))
	e.change(e.admin, http.MethodPut, e.path("/llm-policy"), object{"tiers": object{"fast": route, "standard": route, "strong": route}, "repositoryCredentialIds": []string{key}, "allowTools": false})
	e.change(e.admin, http.MethodPut, e.path("/repositories/"+e.repositories[0].ID+"/llm-policy"), object{"allowTools": false})
	e.change(e.admin, http.MethodPut, e.path("/llm-prices"), object{"items": prices()})
}

func (e *estate) connections() {
	e.t.Helper()
	for i, kind := range []string{"gitea", "gitea", "forgejo"} {
		id := e.create(e.admin, e.path("/provider-connections"), object{"kind": kind, "name": name(i), "baseUrl": "https://" + kind + ".example.com", "owner": "acme", "token": rand.Text(),
			"repositories": []string{"one", "two.three"}})
		a := kept[store.Access](e.service)(e.Store.UpsertConnectionAccess(bg, e.Tenant, store.Access{Kind: kind, Connection: id, Host: "https://" + kind + ".example.com", AccountID: domain.HostID(fmt.Sprint("{8f0c-", i, "}")), AccountLogin: "acme"}))
		found, _, err := e.Store.SyncAccessRepositories(bg, e.Tenant, a.ID, []store.Repository{{ExternalID: domain.NumberID(math.MaxInt64 - int64(i)), Owner: "acme", Name: "one"}, {ExternalID: domain.HostID(fmt.Sprint("{8f0c-", i, "}")), Owner: "acme", Name: "two.three", Private: true}})
		must(e.t, err)
		must(e.t, e.Store.ReplaceHostMembers(bg, e.Tenant, a.ID, found.Added[0].ID, []store.HostMember{{HostUser: "{8f0c}", Login: names[0], Permission: "admin", Account: "owner"},
			{HostUser: domain.NumberID(math.MaxInt64), Permission: "maintain", Account: "member"}, {HostUser: "3", Permission: "write"}, {HostUser: "4", Permission: "triage"}, {HostUser: "5", Permission: "read"}}))
		must(e.t, e.Store.KeepHostRefusal(bg, e.Tenant, 1, store.HostRefusal{Connection: id, Op: "reply", Path: "/repos/acme/ü", Words: "🤖"}))
		must(e.t, e.Store.RecordHookSignature(bg, e.Tenant, id, domain.HostID(fmt.Sprint("{8f0c-", i, "}"))))
		left := store.HookRemoval{ID: domain.NewID("hkr"), Access: a.ID, Kind: kind, BaseURL: "https://" + kind + ".example.com", Owner: name(i), Username: names[1], HookURL: "https://assay.example.com/webhooks/ü"}
		left.Token = kept[[]byte](e.service)(e.Keyring.SealSecret(bg, tracking.RemovalScope(e.Tenant, left.ID), secret.New(rand.Text())))
		must(e.t, e.Store.AddHookRemoval(bg, e.Tenant, left, 100*365*24*time.Hour))
		kept[bool](e.service)(e.Store.FailConnection(bg, e.Tenant, domain.ConnectionProvider, id, names[i]))
		if i == 1 { // rare creates one that works and one that does not from the others
			kept[bool](e.service)(e.Store.SetProviderState(bg, e.Tenant, id, 1, domain.ConnectionPending, ""))
		}
		if i > 0 {
			e.change(e.admin, http.MethodPost, e.path("/provider-connections/"+id+"/webhook-secret"), nil)
			e.change(e.admin, http.MethodPost, e.path("/provider-connections/"+id+"/webhook-secret"), nil)
		}
	}
	mapping := object{"acceptanceCriteria": object{"heading": names[0]}, "doneStates": []string{names[1]}, "linkBack": "none"}
	for i, auth := range []object{
		{"kind": "token", "email": "mona@example.com", "token": rand.Text()}, {"kind": "token", "email": "mona@example.com", "token": rand.Text()},
	} {
		id := e.create(e.admin, e.path("/tracker-connections"), object{"kind": "jira", "name": name(i), "baseUrl": "https://jira.example.com", "auth": auth, "projects": []string{"PAY"}, "mapping": mapping})
		if i > 0 {
			e.change(e.admin, http.MethodPost, e.path("/tracker-connections/"+id+"/webhook-secret"), nil)
		}
	}
	e.create(e.admin, e.path("/tracker-connections"), object{"kind": "linear", "name": name(2), "auth": object{"kind": "oauth", "clientId": "client", "clientSecret": rand.Text()}, "projects": []string{"PAY"}, "mapping": mapping})
	for i, auth := range []object{{"kind": "bearer", "secret": rand.Text()}, {"kind": "header", "header": "X-Key", "secret": rand.Text()}, {"kind": "none"}} {
		e.create(e.admin, e.path("/mcp-servers"), object{"name": name(i), "url": "https://mcp.example.com/mcp", "auth": auth, "timeoutSeconds": 60})
	}
}

func (e *estate) channels() {
	e.t.Helper()
	for i, kind := range []string{"webhook", "slack", "teams", "discord", "webhook"} {
		body := object{"kind": kind, "name": name(i), "target": "https://hooks.example.com/services/" + rand.Text(), "events": []string{"review.failed", "review.completed"}}
		if i == 1 {
			body["repositoryIds"] = []string{e.repositories[0].ID, e.repositories[1].ID}
		}
		id := e.create(e.admin, e.path("/notification-channels"), body)
		if i == 0 { // rotated: two secrets sign
			e.change(e.admin, http.MethodPost, e.path("/notification-channels/"+id+"/secret"), nil)
			e.change(e.admin, http.MethodPost, e.path("/notification-channels/"+id+"/secret"), nil)
		}
	}
	e.create(e.admin, e.path("/notification-channels"), object{"kind": "email", "name": name(9), "target": "mona@example.com", "events": []string{"budget.threshold"}})
}

func (e *estate) personal() {
	e.t.Helper()
	mine := "/api/me/tenants/" + e.ID
	e.change(e.admin, http.MethodPut, mine+"/assignment", object{"optOut": false, "timeZone": "Asia/Tokyo", "wantedPaths": []string{"ü/**"}, "unwantedPaths": []string{}})
	for i, kind := range []string{"away", "reduced"} {
		e.create(e.admin, mine+"/assignment/availability", object{"from": "2090-01-07T00:00:00Z", "to": "2090-12-14T00:00:00Z", "kind": kind, "note": names[i]})
	}
	for i := range 2 {
		key, err := ecdh.P256().GenerateKey(rand.Reader)
		must(e.t, err)
		b64 := base64.RawURLEncoding.EncodeToString
		e.change(e.admin, http.MethodPut, mine+"/push-subscriptions", object{"endpoint": fmt.Sprintf("https://push.example.com/send/%d", i), "label": names[i],
			"keys": object{"auth": b64([]byte(rand.Text())[:16]), "p256dh": b64(key.PublicKey().Bytes())}})
	}
	for _, role := range []string{"member", "admin"} {
		e.create(e.admin, e.path("/invitations"), object{"role": role})
	}
	e.create(e.admin, e.path("/mcp-tokens"), object{"name": names[1], "scopes": []string{"reviews:read"}, "expiresAt": e.later()})
}

// prices returns prices of models.
func prices() []object {
	return []object{{"kind": "openai", "model": "model-ü", "from": "2026-01-01T00:00:00Z", "inputMicros": 1, "outputMicros": 1000000000000}}
}
