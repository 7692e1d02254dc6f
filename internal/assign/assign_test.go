package assign_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

func TestPersonalSettingsRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	mona := w.Person("mona", domain.RoleMember)
	hours := func(pairs ...string) (out []assign.WorkingHours) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, assign.WorkingHours{Day: "monday", From: pairs[i], To: pairs[i+1]})
		}
		return out
	}
	for name, tc := range map[string]struct {
		in     assign.MyAssignmentSettingsUpdate
		fields string
	}{
		"a zone alone":     {assign.MyAssignmentSettingsUpdate{TimeZone: "Europe/Berlin"}, ""},
		"no such zone":     {assign.MyAssignmentSettingsUpdate{TimeZone: "Europe/Atlantis"}, "/timeZone"},
		"the machine's":    {assign.MyAssignmentSettingsUpdate{TimeZone: "Local"}, "/timeZone"},
		"hours that touch": {assign.MyAssignmentSettingsUpdate{TimeZone: "UTC", WorkingHours: hours("09:00", "12:00", "12:00", "24:00")}, ""},
		"backwards":        {assign.MyAssignmentSettingsUpdate{TimeZone: "UTC", WorkingHours: hours("12:00", "09:00")}, "/workingHours/0/to"},
		"overlap":          {assign.MyAssignmentSettingsUpdate{TimeZone: "UTC", WorkingHours: hours("09:00", "12:00", "11:59", "13:00")}, "/workingHours/1"},
		"out of the tree":  {assign.MyAssignmentSettingsUpdate{TimeZone: "UTC", WantedPaths: []string{"../x"}}, "/wantedPaths/0"},
		"wanted twice":     {assign.MyAssignmentSettingsUpdate{TimeZone: "UTC", WantedPaths: []string{"a", "a"}}, "/wantedPaths/1"},
		"wanted and not":   {assign.MyAssignmentSettingsUpdate{TimeZone: "UTC", WantedPaths: []string{"a"}, UnwantedPaths: []string{"b", "a"}}, "/unwantedPaths/1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.Features.Assign.PutMine(bg, w.Tenant, mona, 0, tc.in)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
		})
	}
}

// Personal settings belong to one person and are replaced by version.
func TestPersonalSettingsLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		mona, olga := w.Person("mona", domain.RoleMember), w.Person("olga", domain.RoleAdmin)
		mine, err := w.Features.Assign.Mine(bg, w.Tenant, mona)
		testkit.OK(t, err)
		testkit.Equal(t, "zone without a stored document", mine.TimeZone, "UTC")
		in := assign.MyAssignmentSettingsUpdate{OptOut: true, MaxOpenReviews: new(3), TimeZone: "Europe/Berlin", WantedPaths: []string{"a/**"}, UnwantedPaths: []string{"b/**"},
			WorkingHours: []assign.WorkingHours{{Day: "monday", From: "09:00", To: "12:00"}, {Day: "monday", From: "12:00", To: "24:00"}}}
		mine, err = w.Features.Assign.PutMine(bg, w.Tenant, mona, store.NeverStored, in)
		testkit.OK(t, err)
		testkit.Equal(t, "version", mine.Version, 1)
		if _, err := w.Features.Assign.PutMine(bg, w.Tenant, mona, store.NeverStored, in); !errs.Is(err, errs.Stale) {
			t.Errorf("stored over the preceding version: %v", err)
		}
		mine, err = w.Features.Assign.Mine(bg, w.Tenant, mona)
		testkit.OK(t, err)
		if !reflect.DeepEqual(mine.MyAssignmentSettingsUpdate, in) {
			t.Errorf("stored is %+v, want %+v", mine.MyAssignmentSettingsUpdate, in)
		}
		theirs, err := w.Features.Assign.Mine(bg, w.Tenant, olga)
		testkit.OK(t, err)
		testkit.Equal(t, "another person's", theirs.Version, 0)
	})
}

func TestAvailabilityRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		mona := w.Person("mona", domain.RoleMember)
		us, err := s.Now(bg)
		testkit.OK(t, err)
		day := func(n int) time.Time { return time.UnixMicro(us).AddDate(0, 0, n) }
		for name, tc := range map[string]struct {
			from, to int
			note     string
			fields   string
		}{
			"under way":     {-1, 2, "Sea", ""},
			"backwards":     {2, 1, "", "/to"},
			"over already":  {-9, -1, "", "/to"},
			"too long":      {1, 368, "", "/to"},
			"as long as":    {1, 367, "", ""},
			"two lines":     {1, 2, "a\nb", "/note"},
			"both mistakes": {2, 1, "a\nb", "/note /to"},
		} {
			t.Run(name, func(t *testing.T) {
				_, err := w.Features.Assign.AddAvailability(bg, w.Tenant, mona, assign.AvailabilityCreate{From: day(tc.from), To: day(tc.to), Kind: "away", Note: tc.note})
				testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
			})
		}
	})
}

// Times of absence belong to one person, and their number is bounded.
func TestAvailabilityLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Assign
		mona, olga := w.Person("mona", domain.RoleMember), w.Person("olga", domain.RoleAdmin)
		us, err := s.Now(bg)
		testkit.OK(t, err)
		day := func(n int) time.Time { return time.UnixMicro(us).AddDate(0, 0, n).UTC() }
		listed := func(what, user string, past bool, want int) []assign.Availability {
			t.Helper()
			v, err := acts.Availability(bg, w.Tenant, user, past, store.Cursor{}, 100)
			testkit.OK(t, err)
			testkit.Require(t, what, len(v), want)
			return v
		}
		made, err := acts.AddAvailability(bg, w.Tenant, mona, assign.AvailabilityCreate{From: day(-1), To: day(2), Kind: "away", Note: "Sea"})
		testkit.OK(t, err)
		if got := listed("listed", mona, false, 1)[0]; !reflect.DeepEqual(got, made) {
			t.Errorf("listed is %+v, want %+v", got, made)
		}
		if made.From != day(-1) || made.To != day(2) || made.Kind != "away" || made.Note != "Sea" || len(made.NotInEffect) == 0 {
			t.Errorf("stored is %+v", made)
		}
		listed("listed for another person", olga, true, 0)
		if err := acts.DeleteAvailability(bg, w.Tenant, olga, made.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("deleted by another person: %v", err)
		}
		testkit.OK(t, acts.DeleteAvailability(bg, w.Tenant, mona, made.ID))
		listed("after it was deleted", mona, true, 0)
		soon := assign.AvailabilityCreate{From: day(1), To: day(2), Kind: "reduced"}
		for range assign.MaxAvailability {
			_, err := acts.AddAvailability(bg, w.Tenant, mona, soon)
			testkit.OK(t, err)
		}
		if _, err := acts.AddAvailability(bg, w.Tenant, mona, soon); !errs.Is(err, errs.Conflict) {
			t.Errorf("one too many: %v", err)
		}
		_, err = acts.AddAvailability(bg, w.Tenant, olga, soon)
		testkit.OK(t, err)
	})
}

// The gate opens once every condition is met, and not earlier. A setting that has no effect yet meets no
// condition.
func TestGate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		signed := false
		c := w.Features.Assign.Config
		c.SignOff = func(context.Context) (assign.SignOff, error) { return assign.SignOff{SignedOff: signed}, nil }
		acts := assign.New(c)
		gate := func(step, want string) {
			t.Helper()
			g, err := acts.Gate(bg, w.Tenant, w.Repository.ID)
			testkit.OK(t, err)
			got := fmt.Sprint(g.Open)
			for _, condition := range g.Conditions {
				if condition.Met {
					got += " " + condition.Name
				}
			}
			testkit.Equal(t, step, got, want)
		}
		gate("at first", "false")
		_, err := acts.PutSettings(bg, w.Tenant, 0, assign.TenantAssignmentSettingsUpdate{Mode: "apply", Reviewers: 1, FairnessWindowDays: 30, Weights: assign.AssignmentWeights{Ownership: 1}})
		testkit.OK(t, err)
		gate("the tenant's mode", "false")
		_, err = acts.PutOptIn(bg, w.Tenant, w.Repository.ID, 0, assign.ApplyOptInUpdate{OptedIn: true})
		testkit.OK(t, err)
		gate("the repository's choice", "false")
		shown := 0
		add := func() {
			_, err := store.AddRecord(bg, s, w.Tenant, store.Assignment{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: 1, Mode: "shadow", Suggestions: `[]`, Agreed: new(shown%2 == 0)})
			testkit.OK(t, err)
			shown++
		}
		for range assign.MinShadowResults - 1 {
			add()
		}
		gate("one result too few", "false")
		add()
		gate("enough results", "false shadow_results")
		signed = true
		gate("signed off", "false legal_sign_off shadow_results")
		g, err := acts.Gate(bg, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		for _, c := range g.Conditions {
			if !c.Met && !strings.Contains(c.Message, "not built yet") {
				t.Errorf("the condition %s says %q", c.Name, c.Message)
			}
		}
		if g.Shadow.Known != assign.MinShadowResults || g.Shadow.Agreed != assign.MinShadowResults/2 || *g.Shadow.Share != 0.5 {
			t.Errorf("results of mode shadow: %+v", g.Shadow)
		}
	})
}
