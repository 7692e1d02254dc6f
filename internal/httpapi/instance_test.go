package httpapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// managed is a fresh instance with an admin, who is signed in.
func managed(t *testing.T, s *store.Store, raw storetest.Raw, change ...func(*instance.Config)) (*visitor, instance.Finished, func(*http.Request)) {
	t.Helper()
	v := newFresh(t, s, raw, change...).visitor().open()
	end := read[instance.Finished](t, v.want("the end", v.send("POST", "/setup/finish", `{"tenantName":"Acme","adminName":"Ada"}`), http.StatusCreated))
	_, token, _ := strings.Cut(end.SignInLink, "#")
	v.want("signed in", v.send("POST", "/auth/break-glass", token), http.StatusSeeOther)
	me := read[struct{ CSRFToken string }](t, v.send("GET", "/api/me", ""))
	return v, end, header("X-CSRF-Token", me.CSRFToken)
}

func TestCodeHostApps(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		v, end, csrf := managed(t, s, raw)
		const path = "/api/instance/codehost-apps"
		spec, err := v.sim.RegisterApp(bg, simapi.AppSpec{Slug: "byhand", Owner: "acme", Permissions: map[string]string{"metadata": "read", "contents": "read", "administration": "read"}, Events: []string{"push", "fork"}})
		must(t, err)
		body, err := json.Marshal(map[string]any{"baseUrl": v.simURL, "appId": spec.ID, "privateKey": spec.PrivateKeyPEM, "webhookSecret": strings.Repeat("w", 16), "clientId": spec.ClientID, "clientSecret": spec.ClientSecret})
		must(t, err)
		made := v.want("made", v.send("POST", path, string(body), csrf), http.StatusCreated)
		app := read[instance.App](t, made)
		one := path + "/" + app.ID
		for _, secret := range []string{strings.Repeat("w", 16), spec.ClientSecret, "PRIVATE KEY"} {
			if strings.Contains(made.body, secret) {
				t.Errorf("the answer has a secret: %s", made.body)
			}
		}
		v.want("the same again", v.send("POST", path, string(body), csrf), http.StatusConflict)

		// What is missing is named, one by one.
		got := map[string]instance.AppCheck{}
		for _, c := range read[instance.AppChecks](t, v.want("test", v.send("POST", one+"/test", "", csrf), http.StatusOK)).Checks {
			got[c.Name] = c
		}
		for name, ok := range map[string]bool{"privateKey": true, "appId": true, "clientId": true, "webhookSecret": true, "permission pull_requests: write": false, "permission administration: read": false, "event pull_request": false, "event fork": false, "webhook": false} {
			if c, there := got[name]; !there || c.OK != ok {
				t.Errorf("check %q: %+v, there: %v", name, c, there)
			}
		}
		if !strings.Contains(got["event fork"].Message, "more than needed") || !strings.Contains(got["event pull_request"].Message, "missing") {
			t.Errorf("%+v", got)
		}
		wrongURL := "https://elsewhere.example/webhooks/codehost"
		must(t, v.sim.UpdateApp(bg, spec.ID, simapi.AppUpdate{WebhookURL: &wrongURL}))
		if r := v.send("POST", one+"/test", "", csrf); !strings.Contains(r.body, "it must be "+v.base+"/webhooks/codehost") {
			t.Errorf("a wrong webhook URL: %s", r.body)
		}

		// A change of host or number needs the secrets again.
		patch := func(body string, with ...func(*http.Request)) reply {
			return v.send("PATCH", one, body, append(with, csrf)...)
		}
		again := []string{"/privateKey", "/webhookSecret", "/clientSecret"}
		for name, body := range map[string]string{"host": `{"baseUrl":"https://github.example.com"}`, "number": `{"appId":99}`} {
			if fields := wrongFields(t, patch(body)); !slices.Equal(fields, again) {
				t.Errorf("another %s: %v", name, fields)
			}
		}
		v.want("a version that never was", patch(`{"clientId":"x"}`, header("If-Match", `"v9"`)), http.StatusPreconditionFailed)

		// The webhook secret is replaced without a gap.
		next := strings.Repeat("n", 20)
		app = read[instance.App](t, v.want("the next secret", patch(`{"nextWebhookSecret":"`+next+`"}`), http.StatusOK))
		if !app.NextWebhookSecretSet || app.NextWebhookSecretUpdatedAt == nil {
			t.Errorf("%+v", app)
		}
		app = read[instance.App](t, v.want("the end of the rotation", patch(`{"nextWebhookSecret":null}`), http.StatusOK))
		if app.NextWebhookSecretSet || !app.WebhookSecretSet {
			t.Errorf("%+v", app)
		}
		row, err := s.App(bg, app.ID)
		must(t, err)
		opened, err := v.keys.OpenSecret(bg, connect.AppScope(app.ID, "webhook_secret"), row.WebhookSecret)
		must(t, err)
		testkit.Equal(t, "the secret in force", opened.Reveal(), secret.New(next).Reveal())
		if fields := wrongFields(t, patch(`{"nextWebhookSecret":null}`)); !slices.Equal(fields, []string{"/nextWebhookSecret"}) {
			t.Errorf("no rotation: %v", fields)
		}

		// Placed by hand, never moved; an app in use stays.
		inst, err := s.SeeInstallation(bg, store.Installation{AppID: app.ID, ExternalID: "77", AccountID: "78", AccountLogin: "stranger", AccountType: "Organization"})
		must(t, err)
		list := read[httpList[instance.Installation]](t, v.send("GET", "/api/instance/installations?state=unplaced", ""))
		if len(list.Items) != 1 || list.Items[0].ID != inst.ID || list.Items[0].TenantID != "" {
			t.Errorf("waiting: %+v", list)
		}
		place := "/api/instance/installations/" + inst.ID + "/place"
		if fields := wrongFields(t, v.send("POST", place, `{"tenantId":"ten_never"}`, csrf)); !slices.Equal(fields, []string{"/tenantId"}) {
			t.Errorf("no tenant: %v", fields)
		}
		v.want("no installation", v.send("POST", "/api/instance/installations/ins_never/place", `{"tenantId":"`+end.TenantID+`"}`, csrf), http.StatusNotFound)
		v.want("placed", v.send("POST", place, `{"tenantId":"`+end.TenantID+`"}`, csrf), http.StatusOK)
		other := read[instance.Tenant](t, v.want("another tenant", v.send("POST", "/api/instance/tenants", `{"name":"Other"}`, csrf), http.StatusCreated))
		v.want("moved", v.send("POST", place, `{"tenantId":"`+other.ID+`"}`, csrf), http.StatusConflict)
		if r := v.send("DELETE", one, "", csrf); r.status != http.StatusConflict || problemOf(t, r) != "in_use" || !strings.Contains(r.body, inst.ID) {
			t.Errorf("an app in use: %d %s", r.status, r.body)
		}

		// An instance admin sees into a tenant as its member only, and both logs say so.
		v.want("not a member", v.send("GET", "/api/tenants/"+other.ID+"/settings", ""), http.StatusNotFound)
		v.want("joined", v.send("POST", "/api/instance/tenants/"+other.ID+"/join", `{"role":"member","reason":"Case 4711"}`, csrf), http.StatusOK)
		v.want("a member", v.send("GET", "/api/tenants/"+other.ID+"/settings", ""), http.StatusOK)
		v.want("no tenant", v.send("POST", "/api/instance/tenants/ten_never/join", `{"role":"member","reason":"x"}`, csrf), http.StatusNotFound)
		v.logged("tenant.join", "installation.place", "codehost-app.update")
		v.loggedIn(other.ID, "member.grant")
		v.loggedIn(end.TenantID, "installation.place")
	})
}

func TestInstanceSettings(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		v, _, csrf := managed(t, s, raw, func(c *instance.Config) {
			c.Process.Fixed, c.Process.Retention.RunsDays = map[string]bool{"/retention/runsDays": true}, 30
		})
		const path = "/api/instance/settings"
		first := v.want("read", v.send("GET", path, ""), http.StatusOK)
		was := read[instance.InstanceSettings](t, first)
		if was.Version != 0 || was.InstallationPlacement != instance.PlaceAppOwner || was.Origins["/retention/runsDays"] != instance.FromConfiguration || was.Retention.RunsDays != 30 {
			t.Errorf("at first: %+v", was)
		}
		now := read[instance.InstanceSettings](t, v.want("put", v.send("PUT", path, `{"name":"Ours","installationPlacement":"tenantPerAccount","session":{"idleMinutes":30,"absoluteHours":2},"pushServiceHosts":["*.example.com"]}`,
			csrf, header("If-Match", first.header.Get("ETag"))), http.StatusOK))
		if now.Version != 1 || now.Name != "Ours" || now.Session.IdleMinutes != 30 || !slices.Equal(now.PushServiceHosts, []string{"*.example.com"}) || now.Origins["/name"] != instance.FromStored {
			t.Errorf("stored: %+v", now)
		}
		v.want("the version before", v.send("PUT", path, `{"name":"x"}`, csrf, header("If-Match", first.header.Get("ETag"))), http.StatusPreconditionFailed)
		idle, absolute := v.instance.SessionLife(bg)
		testkit.Equal(t, "sessions", idle.String()+" "+absolute.String(), "30m0s 2h0m0s")
		for body, field := range map[string]string{`{"retention":{"runsDays":31}}`: "/retention/runsDays", `{"edition":"hosted"}`: "/edition", `{"airGap":{"allowHttp":true,"allowedHosts":[],"allowedCidrs":[]}}`: "/airGap",
			`{"publicBaseUrl":"http://assay.example.com"}`: "/publicBaseUrl", `{"publicBaseUrl":"https://assay.example.com/x"}`: "/publicBaseUrl", `{"session":{"idleMinutes":200}}`: "/session/idleMinutes",
			`{"pushServiceHosts":["localhost"]}`: "/pushServiceHosts/0", `{"name":" "}`: "/name"} {
			if fields := wrongFields(t, v.send("PUT", path, body, csrf)); !slices.Equal(fields, []string{field}) {
				t.Errorf("%s: %v, want %s", body, fields, field)
			}
		}
		v.want("what is fixed, unchanged", v.send("PUT", path, `{"retention":{"runsDays":30},"edition":"self-hosted"}`, csrf), http.StatusOK)

		const telemetry = "/api/instance/telemetry"
		off := v.send("GET", telemetry, "")
		if p := read[instance.ProductTelemetry](t, off); p.Enabled || p.Sends || p.Preview.Tenants != 1 {
			t.Errorf("telemetry: %+v", p)
		}
		if p := read[instance.ProductTelemetry](t, v.want("on", v.send("PUT", telemetry, `{"enabled":true}`, csrf, header("If-Match", off.header.Get("ETag"))), http.StatusOK)); !p.Enabled {
			t.Errorf("telemetry: %+v", p)
		}
		const legal = "/api/instance/assignment/legal-sign-off"
		if fields := wrongFields(t, v.send("PUT", legal, `{"signedOff":true}`, csrf)); !slices.Equal(fields, []string{"/documentReference", "/dataUses"}) {
			t.Errorf("an empty sign-off: %v", fields)
		}
		signed := read[instance.LegalSignOff](t, v.want("signed", v.send("PUT", legal, `{"signedOff":true,"documentReference":"Agreement 3","dataUses":["reviewers"]}`, csrf), http.StatusOK))
		if !signed.SignedOff || signed.By != "Ada" || signed.At == nil {
			t.Errorf("%+v", signed)
		}
		if gone := read[instance.LegalSignOff](t, v.want("withdrawn", v.send("PUT", legal, `{"signedOff":false}`, csrf), http.StatusOK)); gone.SignedOff || gone.DocumentReference != "" || gone.By != "Ada" {
			t.Errorf("%+v", gone)
		}
		state := read[instance.SetupChecklist](t, v.want("checklist", v.send("GET", "/api/instance/setup-state", ""), http.StatusOK))
		if state.Complete || len(state.Items) != 5 || state.Items[0].State != "todo" {
			t.Errorf("%+v", state)
		}
		v.logged("settings.update", "telemetry.update", "legal-sign-off.update")

		// Each account gets a tenant of its own now, once.
		app := storetest.App(t, s)
		inst, err := s.SeeInstallation(bg, store.Installation{AppID: app.ID, ExternalID: "5", AccountID: "6", AccountLogin: "newcomer", AccountType: "User"})
		must(t, err)
		made, err := v.instance.Place(bg, app.ID, codehostInstallation(inst))
		must(t, err)
		again, err := v.instance.Place(bg, app.ID, codehostInstallation(inst))
		must(t, err)
		if made == "" || made != again {
			t.Errorf("tenants of an account: %q, then %q", made, again)
		}
	})
}

func codehostInstallation(i store.Installation) codehost.Installation {
	return codehost.Installation{ID: i.ExternalID, AccountID: i.AccountID, AccountLogin: i.AccountLogin, AccountType: i.AccountType}
}

// loggedIn expects acts in a tenant's log.
func (f *fresh) loggedIn(tenant string, actions ...string) {
	f.t.Helper()
	rows, err := f.store.AuditEntries(bg, domain.Tenant{ID: tenant}, store.AuditFilter{Limit: 200})
	must(f.t, err)
	for _, a := range actions {
		if !slices.ContainsFunc(rows, func(r store.AuditEntry) bool { return r.Action == a }) {
			f.t.Errorf("the tenant's log has no %s", a)
		}
	}
}
