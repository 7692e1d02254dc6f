package instance_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// Deleting an app ends the sessions that it started. An app that stays keeps its sessions.
func TestDeletedAppEndsItsSessions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		w := storetest.Seed(t, s)
		p := process(s, storetest.Keyring(t, s))
		p.Process.Idle = time.Hour
		user, err := s.CreateUser(ctx, "Mona", false)
		testkit.OK(t, err)
		app := w.App
		app.ID, app.ExternalID = "app_gone", "4711"+app.ExternalID
		_, err = s.CreateApp(ctx, app)
		testkit.OK(t, err)
		for token, from := range map[string]string{"one": "app_gone", "two": "app_gone", "beside": w.App.ID} {
			_, err := s.OpenSession(ctx, store.NewSession{TokenHash: token, User: user.ID, Method: "github", Provider: from, Absolute: time.Hour})
			testkit.OK(t, err)
		}
		left := func(what string, want int) {
			t.Helper()
			all, err := s.SessionsOf(ctx, user.ID, time.Hour)
			testkit.OK(t, err)
			testkit.Equal(t, "sessions "+what, len(all), want)
		}
		if err := p.DeleteApp(ctx, w.App.ID); !errs.Is(err, errs.Conflict) {
			t.Errorf("an app in use: %v", err)
		}
		left("while the app stays", 3)
		testkit.OK(t, p.DeleteApp(ctx, "app_gone"))
		left("after the app is deleted", 1)
	})
}

// The secret of an app that a bootstrap file entered without a client id is replaced, too.
func TestAppWithoutAClientID(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		app := w.App
		app.ID, app.ExternalID, app.ClientID = "app_bootstrap", "4711"+app.ExternalID, ""
		_, err := s.CreateApp(t.Context(), app)
		testkit.OK(t, err)
		p := process(s, storetest.Keyring(t, s))
		in := featuretest.Request[instance.GitHubAppUpdate](t, `{"nextWebhookSecret":"`+strings.Repeat("n", 20)+`"}`)
		_, err = p.UpdateApp(t.Context(), app.ID, 0, in)
		testkit.OK(t, err)
		_, err = p.UpdateApp(t.Context(), app.ID, 0, featuretest.Request[instance.GitHubAppUpdate](t, `{"clientId":""}`))
		testkit.Equal(t, "an empty client id", featuretest.Pointers(t, err), "/clientId")
	})
}

// An app is entered, tested, changed and deleted. Its secrets are replaced without a gap and never shown.
func TestCodeHostApps(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		f := newFresh(t, s)
		spec, err := f.sim.RegisterApp(ctx, simapi.AppSpec{Slug: "byhand", Owner: "acme", Permissions: map[string]string{"metadata": "read", "contents": "read", "administration": "read"}, Events: []string{"push", "fork"}})
		testkit.OK(t, err)
		in := instance.GitHubAppRegister{BaseURL: f.sim.URL, AppID: spec.ID, PrivateKey: spec.PrivateKeyPEM, WebhookSecret: strings.Repeat("w", 16), ClientID: spec.ClientID, ClientSecret: spec.ClientSecret}
		app, err := f.Instance.Register(ctx, in, false)
		testkit.OK(t, err)
		shown, err := json.Marshal(app)
		testkit.OK(t, err)
		for _, secret := range []string{strings.Repeat("w", 16), spec.ClientSecret, "PRIVATE KEY"} {
			if strings.Contains(string(shown), secret) {
				t.Errorf("a secret is shown: %s", shown)
			}
		}
		if _, err := f.Instance.Register(ctx, in, false); !errs.Is(err, errs.Conflict) {
			t.Errorf("the same again: %v", err)
		}

		// The checks name each missing permission.
		checks := func() map[string]instance.AppCheck {
			t.Helper()
			all, err := f.Instance.TestApp(ctx, app.ID)
			testkit.OK(t, err)
			out := map[string]instance.AppCheck{}
			for _, c := range all.Checks {
				out[c.Name] = c
			}
			return out
		}
		got := checks()
		for name, ok := range map[string]bool{"privateKey": true, "appId": true, "clientId": true, "webhookSecret": true, "permission pull_requests: write": false, "permission administration: read": false, "event pull_request": false, "event fork": false, "webhook": false} {
			if c, there := got[name]; !there || c.OK != ok {
				t.Errorf("check %q: %+v, there: %v", name, c, there)
			}
		}
		if !strings.Contains(got["event fork"].Message, "more than needed") || !strings.Contains(got["event pull_request"].Message, "missing") {
			t.Errorf("%+v", got)
		}
		wrongURL := "https://elsewhere.example/webhooks/codehost"
		testkit.OK(t, f.sim.UpdateApp(ctx, spec.ID, simapi.AppUpdate{WebhookURL: &wrongURL}))
		if c := checks()["webhook"]; !strings.Contains(c.Message, "it must be https://assay.example.com/webhooks/codehost") {
			t.Errorf("a wrong webhook URL: %+v", c)
		}

		// A change of the host or of the app's number requires the secrets again.
		patch := func(body string) (instance.App, error) {
			return f.Instance.UpdateApp(ctx, app.ID, 0, featuretest.Request[instance.GitHubAppUpdate](t, body))
		}
		for name, body := range map[string]string{"host": `{"baseUrl":"https://github.example.com"}`, "number": `{"appId":99}`} {
			_, err := patch(body)
			testkit.Equal(t, "another "+name, featuretest.Pointers(t, err), "/privateKey /webhookSecret /clientSecret")
		}
		if _, err := f.Instance.UpdateApp(ctx, app.ID, 9, featuretest.Request[instance.GitHubAppUpdate](t, `{"clientId":"x"}`)); !errs.Is(err, errs.Stale) {
			t.Errorf("a version that never existed: %v", err)
		}

		// The webhook secret is replaced without a gap.
		next := strings.Repeat("n", 20)
		app, err = patch(`{"nextWebhookSecret":"` + next + `"}`)
		testkit.OK(t, err)
		if !app.NextWebhookSecretSet || app.NextWebhookSecretUpdatedAt == nil {
			t.Errorf("%+v", app)
		}
		app, err = patch(`{"nextWebhookSecret":null}`)
		testkit.OK(t, err)
		if app.NextWebhookSecretSet || !app.WebhookSecretSet {
			t.Errorf("%+v", app)
		}
		row, err := s.App(ctx, app.ID)
		testkit.OK(t, err)
		opened, err := f.Keyring.OpenSecret(ctx, secret.Scope{Table: "apps", Row: app.ID, Column: "webhook_secret"}, row.WebhookSecret)
		testkit.OK(t, err)
		testkit.Equal(t, "the secret in force", opened.Reveal(), next)
		_, err = patch(`{"nextWebhookSecret":null}`)
		testkit.Equal(t, "no rotation", featuretest.Pointers(t, err), "/nextWebhookSecret")

		hangs, err := s.UpsertInstallation(ctx, store.Installation{AppID: app.ID, ExternalID: "77", AccountID: "78", AccountLogin: "stranger", AccountType: "Organization"})
		testkit.OK(t, err)
		_, err = s.PlaceInstallation(ctx, storetest.Tenant(t, s), hangs.ID)
		testkit.OK(t, err)
		if err := f.Instance.DeleteApp(ctx, app.ID); !errs.Is(err, errs.Conflict) || !strings.Contains(err.Error(), "in_use") || !strings.Contains(err.Error(), hangs.ID) {
			t.Errorf("an app in use: %v", err)
		}
		f.logged(domain.Tenant{}, "codehost-app.create", "codehost-app.update")
	})
}

// Installations are placed by hand and never moved. An instance admin sees a tenant only as its member, and
// both logs record that.
func TestInstanceAdminsPlaceAndJoin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Instance
		waits, err := s.UpsertInstallation(ctx, store.Installation{AppID: w.App.ID, ExternalID: "77", AccountID: "78", AccountLogin: "stranger", AccountType: "Organization"})
		testkit.OK(t, err)
		list, err := acts.Installations(ctx, "unplaced", instance.Page{Limit: 10})
		testkit.OK(t, err)
		if len(list) != 1 || list[0].ID != waits.ID || list[0].TenantID != "" {
			t.Errorf("waiting: %+v", list)
		}
		place := func(installation, tenant string) error {
			_, err := acts.PlaceByHand(ctx, installation, instance.InstallationPlace{TenantID: tenant})
			return err
		}
		testkit.Equal(t, "no tenant", featuretest.Pointers(t, place(waits.ID, "ten_never")), "/tenantId")
		testkit.Equal(t, "no installation", errs.KindOf(place("ins_never", w.Tenant.ID)), errs.NotFound)
		testkit.OK(t, place(waits.ID, w.Tenant.ID))
		testkit.Equal(t, "moved", errs.KindOf(place(waits.ID, w.Other.Tenant.ID)), errs.Conflict)

		ada, err := s.CreateUser(ctx, "Ada", true)
		testkit.OK(t, err)
		role := func() domain.Role {
			t.Helper()
			got, err := w.Features.Auth.TenantRole(ctx, w.Other.Tenant, ada.ID)
			testkit.OK(t, err)
			return got
		}
		testkit.Equal(t, "before", role(), domain.Role(""))
		_, err = acts.Join(ctx, w.Other.Tenant.ID, ada.ID, instance.TenantJoin{Role: "member", Reason: "Case 4711"})
		testkit.OK(t, err)
		testkit.Equal(t, "joined", role(), domain.RoleMember)
		_, err = acts.Join(ctx, "ten_never", ada.ID, instance.TenantJoin{Role: "member", Reason: "x"})
		testkit.Equal(t, "no tenant to join", errs.KindOf(err), errs.NotFound)
		f := fresh{t: t, store: s}
		f.logged(domain.Tenant{}, "tenant.join", "installation.place")
		f.logged(w.Other.Tenant, "member.grant")
		f.logged(w.Tenant, "installation.place")
	})
}
