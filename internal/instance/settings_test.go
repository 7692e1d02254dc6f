package instance_test

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// put changes the settings of an instance, whatever version they have.
func put(t *testing.T, s *instance.Service, body string) (instance.InstanceSettings, error) {
	t.Helper()
	return s.UpdateSettings(t.Context(), 0, featuretest.Request[instance.InstanceSettingsUpdate](t, body))
}

func TestInstanceSettings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		acts := featuretest.New(t, s, func(o *featuretest.Options) {
			o.Instance = func(c *instance.Config) {
				c.Process.Fixed, c.Process.Retention.RunsDays = map[string]bool{"/retention/runsDays": true}, 30
			}
		}).Instance
		was, err := acts.Settings(ctx)
		testkit.OK(t, err)
		if was.Version != 0 || was.InstallationPlacement != instance.PlaceAppOwner || was.Origins["/retention/runsDays"] != instance.FromConfiguration || was.Retention.RunsDays != 30 {
			t.Errorf("at first: %+v", was)
		}
		now, err := acts.UpdateSettings(ctx, store.NeverStored, featuretest.Request[instance.InstanceSettingsUpdate](t, `{"name":"Ours","installationPlacement":"tenantPerAccount","session":{"idleMinutes":30,"absoluteHours":2},"pushServiceHosts":["*.example.com"]}`))
		testkit.OK(t, err)
		if now.Version != 1 || now.Name != "Ours" || now.Session.IdleMinutes != 30 || !slices.Equal(now.PushServiceHosts, []string{"*.example.com"}) || now.Origins["/name"] != instance.FromStored {
			t.Errorf("stored: %+v", now)
		}
		if _, err := acts.UpdateSettings(ctx, store.NeverStored, featuretest.Request[instance.InstanceSettingsUpdate](t, `{"name":"x"}`)); !errs.Is(err, errs.Stale) {
			t.Errorf("the version before: %v", err)
		}
		idle, absolute := acts.SessionLife(ctx)
		testkit.Equal(t, "sessions", idle.String()+" "+absolute.String(), "30m0s 2h0m0s")
		for body, field := range map[string]string{`{"retention":{"runsDays":31}}`: "/retention/runsDays", `{"edition":"hosted"}`: "/edition", `{"airGap":{"allowHttp":true,"allowedHosts":[],"allowedCidrs":[]}}`: "/airGap",
			`{"publicBaseUrl":"http://assay.example.com"}`: "/publicBaseUrl", `{"publicBaseUrl":"https://assay.example.com/x"}`: "/publicBaseUrl", `{"session":{"idleMinutes":200}}`: "/session/idleMinutes",
			`{"pushServiceHosts":["localhost"]}`: "/pushServiceHosts/0", `{"name":" "}`: "/name"} {
			_, err := put(t, acts, body)
			testkit.Equal(t, "wrong fields of "+body, featuretest.Pointers(t, err), field)
		}
		_, err = put(t, acts, `{"retention":{"runsDays":30},"edition":"self-hosted"}`) // fixed fields may be sent unchanged
		testkit.OK(t, err)

		// Each account gets its own tenant now, once.
		app := storetest.App(t, s)
		i := codehost.Installation{ID: "5", AccountID: "6", AccountLogin: "newcomer", AccountType: "User"}
		made, err := acts.Place(ctx, app.ID, i)
		testkit.OK(t, err)
		again, err := acts.Place(ctx, app.ID, i)
		testkit.OK(t, err)
		if made == "" || made != again {
			t.Errorf("tenants of an account: %q, then %q", made, again)
		}
	})
}

// Product telemetry is off, and the use of data about people is not signed off, until an admin changes it.
func TestDocumentsOfTheInstance(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := audit.As(t.Context(), audit.Actor{Kind: "user", UserID: "usr_ada", Name: "Ada"})
		storetest.Tenant(t, s)
		acts := featuretest.New(t, s, func(o *featuretest.Options) { o.BaseURL = "http://localhost:8080" }).Instance
		off, err := acts.Telemetry(ctx)
		testkit.OK(t, err)
		if off.Enabled || off.Sends || off.Preview.Tenants != 1 {
			t.Errorf("telemetry: %+v", off)
		}
		on, err := acts.UpdateTelemetry(ctx, 0, instance.ProductTelemetryUpdate{Enabled: true})
		testkit.OK(t, err)
		testkit.Equal(t, "telemetry", on.Enabled, true)

		_, err = acts.UpdateLegalSignOff(ctx, 0, instance.LegalSignOffUpdate{SignedOff: true})
		testkit.Equal(t, "an empty sign-off", featuretest.Pointers(t, err), "/documentReference /dataUses")
		signed, err := acts.UpdateLegalSignOff(ctx, 0, instance.LegalSignOffUpdate{SignedOff: true, DocumentReference: "Agreement 3", DataUses: []string{"reviewers"}})
		testkit.OK(t, err)
		if !signed.SignedOff || signed.By != "Ada" || signed.At == nil {
			t.Errorf("%+v", signed)
		}
		gone, err := acts.UpdateLegalSignOff(ctx, 0, instance.LegalSignOffUpdate{})
		testkit.OK(t, err)
		if gone.SignedOff || gone.DocumentReference != "" || gone.By != "Ada" {
			t.Errorf("%+v", gone)
		}
		state, err := acts.Checklist(ctx)
		testkit.OK(t, err)
		if state.Complete || len(state.Items) != 5 || state.Items[0].State != "todo" {
			t.Errorf("%+v", state)
		}
		(&fresh{t: t, store: s}).logged(domain.Tenant{}, "telemetry.update", "legal-sign-off.update")
	})
}
