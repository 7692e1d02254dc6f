package instance_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// placements returns the entries of a log about placed installations, each with the person and the account.
func (f *fresh) placements(t domain.Tenant) (out []string) {
	f.t.Helper()
	rows, err := f.store.AuditEntries(f.t.Context(), t, store.AuditFilter{Action: "installation.place", Limit: 200})
	testkit.OK(f.t, err)
	all, err := f.store.Installations(f.t.Context(), "")
	testkit.OK(f.t, err)
	for _, r := range rows {
		at := slices.IndexFunc(all, func(i store.Installation) bool { return i.ID == r.TargetID })
		who, err := f.store.UserByID(f.t.Context(), r.ActorID)
		testkit.OK(f.t, err)
		out = append(out, who.Name+": "+all[at].AccountLogin)
	}
	slices.Sort(out)
	return out
}

func TestTenantAdminsPlaceWhatTheyOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFresh(t, s)
		_, ada, _ := f.setUp("Acme")
		f.accounts("olga", "mona")
		f.organization("beta", map[string]string{"olga": "admin", "mona": "member"})
		f.repositories("beta/shop", "beta/site", "olga/dots", "eve/blog")
		olga, mona, eve := f.admin("olga"), f.admin("mona"), f.admin("eve")

		// She owns the organisation, and then a personal account.
		first := olga.installs("beta")
		olga.comes(first, instance.OutcomePlaced, "beta")
		testkit.Equal(t, "repositories", fmt.Sprint(olga.names()), "[beta/shop beta/site]")
		olga.comes(olga.installs("beta"), instance.OutcomePlaced, "beta") // a second time nothing changes
		olga.comes(olga.installs("olga"), instance.OutcomePlaced, "olga")
		testkit.Equal(t, "repositories of both accounts", fmt.Sprint(olga.names()), "[beta/shop beta/site olga/dots]")
		testkit.Equal(t, "the tenant's log", fmt.Sprint(f.placements(olga.tenant)), "[olga: beta olga: olga]")

		// A state works once, for the person who began, and only with an installation of the app.
		again := olga.installs("beta")
		if _, err := f.Instance.Installed(t.Context(), instance.BindingOf(mona.id), again); !errs.Is(err, errs.Malformed) {
			t.Errorf("another person: %v", err)
		}
		never := again
		never.Installation = 99999
		if _, err := f.Instance.Installed(t.Context(), instance.BindingOf(olga.id), never); !errs.Is(err, errs.NotFound) {
			t.Errorf("an installation that is not the app's: %v", err)
		}
		if _, err := f.Instance.Installed(t.Context(), instance.BindingOf(olga.id), again); !errs.Is(err, errs.Malformed) {
			t.Errorf("a state that is used up: %v", err)
		}

		// A member of the organisation can request the installation on the host, and owns nothing.
		asked := mona.installs("beta")
		asked.State = mona.installs("beta").State
		mona.comes(asked, instance.OutcomeRequested, "")
		theirs := mona.installs("beta")
		theirs.Action, theirs.Installation = "install", first.Installation
		mona.comes(theirs, instance.OutcomeElsewhere, "beta")
		if len(mona.names()) != 0 || len(f.placements(mona.tenant)) != 0 {
			t.Errorf("mona got %v", mona.names())
		}

		// A person who is no longer an admin when the browser returns places nothing. An instance admin does.
		home := eve.installs("eve")
		eve.role(domain.RoleMember)
		eve.comes(home, instance.OutcomeWaits, "eve")
		waiting, err := f.Instance.Installations(t.Context(), "unplaced", instance.Page{Limit: 10})
		testkit.OK(t, err)
		if len(waiting) != 1 || waiting[0].Account != "eve" || waiting[0].TenantID != "" {
			t.Fatalf("waiting: %+v", waiting)
		}
		place := func(t domain.Tenant) (instance.PlacedInstallation, error) {
			return f.Instance.PlaceByHand(ada.acts(), waiting[0].ID, instance.InstallationPlace{TenantID: t.ID})
		}
		got, err := place(eve.tenant)
		testkit.OK(t, err)
		if got.TenantID != eve.tenant.ID || got.TenantName != "Tenant of eve" || got.State != "active" || *got.Repositories != 1 {
			t.Errorf("placed: %+v", got)
		}
		if _, err := place(olga.tenant); !errs.Is(err, errs.Conflict) {
			t.Errorf("to another tenant: %v", err)
		}
		testkit.Equal(t, "repositories", fmt.Sprint(eve.names()), "[eve/blog]")
		testkit.Equal(t, "the tenant's log", fmt.Sprint(f.placements(eve.tenant)), "[ada: eve]")
		testkit.Equal(t, "the instance's log", fmt.Sprint(f.placements(domain.Tenant{})), "[ada: eve]")
	})
}

// Repositories that a person brings in get the tenant's default for new repositories, like those that arrive
// with an event.
func TestPlacedRepositoriesAreReviewedAsTheTenantSays(t *testing.T) {
	t.Parallel()
	const many = 7 // number of repositories of an account, which all appear at once
	for name, tt := range map[string]struct{ defaults, want string }{
		"nothing said": {"", domain.IntakeOn},
		"on":           {`{"reviewNewRepositories":"on"}`, domain.IntakeOn},
		"off":          {`{"reviewNewRepositories":"off"}`, domain.IntakeOff},
		"onboarding":   {`{"reviewNewRepositories":"onboarding"}`, domain.IntakeOnboarding},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				f := newFresh(t, s)
				first, err := s.CreateTenant(t.Context(), "First")
				testkit.OK(t, err)
				in := domain.Tenant{ID: first.ID}
				if tt.defaults != "" {
					testkit.OK(t, s.PutSetting(t.Context(), in, "", store.SettingPolicy, tt.defaults))
				}
				f.accounts("olga")
				f.organization("beta", map[string]string{"olga": "admin"})
				for _, owner := range []string{"acme", "beta", "olga"} {
					for i := range many {
						f.repositories(fmt.Sprint(owner, "/repo", i))
					}
				}
				expect := func(account string) {
					t.Helper()
					all, err := s.Repositories(t.Context(), in)
					testkit.OK(t, err)
					found := 0
					for _, r := range all {
						if r.Owner == account {
							found++
							testkit.Equal(t, "intake of "+r.Owner+"/"+r.Name, r.Intake, tt.want)
						}
					}
					if found < many {
						t.Errorf("%d repositories of %s are there, want %d", found, account, many)
					}
				}
				f.open()
				app, err := f.made(f.manifest(instance.ManifestChoice{Organization: "acme", Name: "Acme reviews", Public: true}))
				testkit.OK(t, err)
				f.installation(app, "acme")
				_, err = f.Instance.Finish(t.Context(), instance.SetupFinish{TenantName: "Second", AdminName: "Ada"}, "")
				testkit.OK(t, err)
				expect("acme") // at the end of setup
				_, err = f.Instance.PlaceByHand(t.Context(), f.installation(app, "beta").ID, instance.InstallationPlace{TenantID: in.ID})
				testkit.OK(t, err)
				expect("beta") // placed by hand
				olga := f.person("olga")
				olga.tenant = in
				olga.role(domain.RoleAdmin)
				olga.comes(olga.installs("olga"), instance.OutcomePlaced, "olga")
				expect("olga") // placed by its owner
			})
		})
	}
}

// The admins of a tenant see its installations, the number of repositories that each reaches, and the host's
// page to change that.
func TestInstallationsOfATenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		second := storetest.Installation(t, s, w.App, w.Tenant)
		testkit.OK(t, s.SetInstallationState(t.Context(), second.ID, domain.InstallationSuspended))
		list, err := w.Features.Instance.TenantInstallations(t.Context(), w.Tenant, store.Cursor{}, 10)
		testkit.OK(t, err)
		testkit.Require(t, "how many", len(list), 2)
		testkit.Equal(t, "state of the newest", list[0].State, "suspended")
		testkit.Equal(t, "repositories that it reaches", list[0].Repositories, int64(0))
		first := list[1]
		testkit.Equal(t, "id", first.ID, w.Installation.ID)
		testkit.Equal(t, "state", first.State, "active")
		testkit.Equal(t, "repositories that the first one reaches", first.Repositories, int64(1))
		testkit.Equal(t, "where it is managed", first.ManageURL, fmt.Sprintf("https://github.example.test/organizations/octo/settings/installations/%s", w.Installation.ExternalID))
	})
}
