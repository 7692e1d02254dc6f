package instance_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An app that is deleted takes the sessions with it that came from it, and none
// where it stays.
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
		left("of an app that stays", 3)
		testkit.OK(t, p.DeleteApp(ctx, "app_gone"))
		left("of an app that is gone", 1)
	})
}
