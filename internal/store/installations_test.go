package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestApps(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		a := storetest.App(t, s)
		a.Slug, a.NextWebhookSecret = "other", []byte("next")
		got := must2(s.UpdateApp(bg, a, store.AppSecrets{NextWebhook: true}))(t)
		testkit.Equal(t, "slug", got.Slug, "other")
		testkit.Equal(t, "next secret", string(got.NextWebhookSecret), "next")
		testkit.Require(t, "apps", len(must2(s.Apps(bg))(t)), 1)
		other := a
		other.ID = domain.NewID("app")
		_, err := s.CreateApp(bg, other)
		wantKind(t, err, errs.Conflict) // the same app of the same host with another id
		testkit.OK(t, s.MarkSwept(bg, a.ID, 500))
		testkit.OK(t, s.MarkSwept(bg, a.ID, 400))
		testkit.Equal(t, "watermark", must2(s.App(bg, a.ID))(t).SweptUS, 500)
	})
}

func TestInstallationIsNeverMoved(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		app, a, b := storetest.App(t, s), storetest.Tenant(t, s), storetest.Tenant(t, s)
		seen := store.Installation{AppID: app.ID, ExternalID: "7", AccountID: "8", AccountLogin: "octo", AccountType: "User", Tenant: b.ID, State: domain.InstallationActive}
		i := must2(s.UpsertInstallation(bg, seen))(t)
		testkit.Equal(t, "state of a new one", i.State, domain.InstallationUnplaced)
		testkit.Equal(t, "tenant of a new one", i.Tenant, "")
		testkit.OK(t, s.SetInstallationState(bg, i.ID, domain.InstallationActive))
		testkit.Equal(t, "active without a tenant", must2(s.Installation(bg, i.ID))(t).State, domain.InstallationUnplaced)

		testkit.Equal(t, "placed", must2(s.PlaceInstallation(bg, a, i.ID))(t), true)
		testkit.Equal(t, "placed again", must2(s.PlaceInstallation(bg, a, i.ID))(t), true)
		testkit.Equal(t, "placed elsewhere", must2(s.PlaceInstallation(bg, b, i.ID))(t), false)
		seen.AccountLogin = "renamed"
		i = must2(s.UpsertInstallation(bg, seen))(t)
		testkit.Equal(t, "login", i.AccountLogin, "renamed")
		testkit.Equal(t, "tenant", i.Tenant, a.ID)

		testkit.OK(t, s.SetInstallationState(bg, i.ID, domain.InstallationSuspended))
		must2(s.PlaceInstallation(bg, a, i.ID))(t)
		testkit.Equal(t, "state after placing it where it is", must2(s.InstallationByExternal(bg, app.ID, "7"))(t).State, domain.InstallationSuspended)
		testkit.Require(t, "suspended ones", len(must2(s.Installations(bg, domain.InstallationSuspended))(t)), 1)
		testkit.Require(t, "all", len(must2(s.Installations(bg, ""))(t)), 1)
		_, err := s.InstallationByExternal(bg, "app_other", "7")
		wantKind(t, err, errs.NotFound)
		_, err = s.PlaceInstallation(bg, domain.Tenant{ID: "ten_none"}, must2(s.UpsertInstallation(bg, store.Installation{AppID: app.ID, ExternalID: "9"}))(t).ID)
		wantKind(t, err, errs.NotFound)
	})
}

func TestPlaceInstallationAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		app := storetest.App(t, s)
		i := must2(s.UpsertInstallation(bg, store.Installation{AppID: app.ID, ExternalID: "7"}))(t)
		tenants := make([]domain.Tenant, 12)
		for n := range tenants {
			tenants[n] = storetest.Tenant(t, s)
		}
		testkit.Require(t, "placed by", winners(t, len(tenants), func(n int) (bool, error) { return s.PlaceInstallation(bg, tenants[n], i.ID) }), 1)
	})
}

func TestRepositories(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.Seed(t, s), storetest.Seed(t, s)
		r := a.Repository
		again := must2(s.UpsertRepository(bg, a.Tenant, store.Repository{Installation: r.Installation, ExternalID: r.ExternalID, Owner: "octo", Name: "renamed", Private: true}))(t)
		testkit.Equal(t, "id after a rename", again.ID, r.ID)
		testkit.Equal(t, "name", again.Name, "renamed")
		testkit.Equal(t, "default branch left out of the update", again.DefaultBranch, "main")
		testkit.Equal(t, "private", again.Private, true)

		// Another tenant can neither take the row over nor add one beside it.
		for _, external := range []domain.HostID{r.ExternalID, "4711"} {
			_, err := s.UpsertRepository(bg, b.Tenant, store.Repository{Installation: r.Installation, ExternalID: external, Owner: "evil", Name: "evil"})
			wantKind(t, err, errs.NotFound)
		}
		testkit.Equal(t, "name", must2(s.RepositoryByExternal(bg, a.Tenant, r.Installation, r.ExternalID))(t).Name, "renamed")

		second := storetest.Repository(t, s, a.Tenant, a.Installation)
		testkit.OK(t, s.DisconnectRepositories(bg, a.Tenant, r.Installation, second.ExternalID))
		testkit.Equal(t, "state of the one named", must2(s.Repository(bg, a.Tenant, second.ID))(t).State, "disconnected")
		testkit.Equal(t, "state of the other", must2(s.Repository(bg, a.Tenant, r.ID))(t).State, "active")
		testkit.OK(t, s.DisconnectRepositories(bg, a.Tenant, r.Installation))
		for _, v := range must2(s.Repositories(bg, a.Tenant))(t) {
			testkit.Equal(t, "state", v.State, "disconnected")
		}
		testkit.Equal(t, "state of another tenant's", must2(s.Repositories(bg, b.Tenant))(t)[0].State, "active")
	})
}

func TestSettings(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		_, _, there, err := s.Setting(bg, w.Tenant, "", store.SettingPolicy)
		testkit.OK(t, err)
		testkit.Equal(t, "there", there, false)
		testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingPolicy, "{}"))
		testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingPolicy, `{"a":1}`))
		testkit.OK(t, s.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingPolicy, `{"b":1}`))
		body, version, there, err := s.Setting(bg, w.Tenant, "", store.SettingPolicy)
		testkit.OK(t, err)
		testkit.Equal(t, "body", body, `{"a":1}`)
		testkit.Equal(t, "version", version, 2)
		testkit.Equal(t, "there", there, true)
		wantKind(t, s.PutSetting(bg, w.Tenant, "rep_none", store.SettingPolicy, "{}"), errs.NotFound)
		wantKind(t, s.PutSetting(bg, domain.Tenant{ID: "ten_none"}, "", store.SettingPolicy, "{}"), errs.NotFound)
	})
}

func TestCredentials(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.Tenant(t, s), storetest.Tenant(t, s)
		c := store.Credential{ID: domain.NewID("crd"), Name: "main", Kind: "openai", BaseURL: "https://models.example.test/v1", APIKey: []byte{1, 2}, MaxConcurrency: 3}
		c = storetest.Credential(t, s, a, c)
		c.APIKey = nil
		got := must2(s.UpdateCredential(bg, a, c, true))(t)
		if got.APIKey != nil || got.APIKeyUS != 0 || got.Version != 2 || got.MaxConcurrency != 3 {
			t.Fatalf("%+v", got)
		}
		_, err := s.UpdateCredential(bg, b, got, true)
		wantKind(t, err, errs.NotFound)
		storetest.Credential(t, s, b, store.Credential{ID: domain.NewID("crd"), Name: "main", Kind: "openai"}) // names are the tenant's own
		_, err = s.CreateCredential(bg, a, store.Credential{ID: domain.NewID("crd"), Name: "main", Kind: "openai"})
		wantKind(t, err, errs.Conflict)
		testkit.Equal(t, "credentials", len(must2(s.HoldCredentials(bg, a))(t)), 1)
	})
}
