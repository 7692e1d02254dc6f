package app

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// The roles that decide who sees a page also decide who gets a push message.
func TestStanding(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		ctx := context.Background()
		w, other := storetest.Seed(t, s), storetest.Seed(t, s)
		keys := storetest.Keyring(t, s)
		out := outbound.New(outbound.Policy{})
		t.Cleanup(out.Close)
		log := slog.New(slog.DiscardHandler)
		people := auth.New(auth.Config{Store: s, Keyring: keys, Audit: audit.New(s, keys, log), Outbound: out, BaseURL: "https://assay.example.com", Logger: log})
		t.Cleanup(func() { testkit.OK(t, people.Close()) })
		ask := standing(s, people)
		addPerson := func(name string, in domain.Tenant, role domain.Role, on string) string {
			u, err := s.CreateUser(ctx, name, false)
			testkit.OK(t, err)
			if role != "" {
				testkit.OK(t, s.SetMember(ctx, in, u.ID, role, "hand"))
			}
			if on != "" {
				testkit.OK(t, s.SetRepositoryRole(ctx, w.Tenant, w.Repository.ID, u.ID, on))
			}
			return u.ID
		}
		stale := addPerson("stale", w.Tenant, domain.RoleMember, "manage")
		raw(`UPDATE repository_roles SET checked_us = checked_us - 3601000000 WHERE user_id = $1`, stale)
		for _, tc := range []struct{ name, user, repository, want string }{
			{"an admin", addPerson("admin", w.Tenant, domain.RoleAdmin, ""), w.Repository.ID, "admin manage"},
			{"a member with a role", addPerson("viewer", w.Tenant, domain.RoleMember, "view"), w.Repository.ID, "member view"},
			{"a member without one", addPerson("member", w.Tenant, domain.RoleMember, ""), w.Repository.ID, "member none"},
			{"a member whose role is old", stale, w.Repository.ID, "member none"},
			{"a person who left", addPerson("former", w.Tenant, "", "manage"), w.Repository.ID, " none"},
			{"an admin of another tenant", addPerson("stranger", other.Tenant, domain.RoleAdmin, ""), w.Repository.ID, " none"},
			{"an admin, on a repository of another tenant", addPerson("admin2", w.Tenant, domain.RoleAdmin, ""), other.Repository.ID, "admin none"},
			{"a member, without a repository", addPerson("member2", w.Tenant, domain.RoleMember, ""), "", "member none"},
		} {
			role, on, err := ask(ctx, w.Tenant, tc.user, tc.repository)
			testkit.OK(t, err)
			testkit.Equal(t, tc.name, fmt.Sprint(role, " ", on), tc.want)
		}
	})
}

// Every kind of job that the service enqueues has a worker that can run it.
func TestEveryKindOfJobHasAHandler(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	a := &App{Store: s}
	a.Intake, a.Review, a.Feature.Notify = intake.New(intake.Config{Store: s}), review.New(review.Config{Store: s}), notify.New(notify.Config{Store: s})
	for _, kind := range []domain.JobKind{domain.KindDelivery, domain.KindReview, domain.KindPublish, domain.KindReflect, domain.KindCheck, domain.KindEvent, domain.KindNotify, domain.KindPush} {
		if a.kinds()[kind].Run == nil {
			t.Errorf("no worker runs %s", kind)
		}
	}
}
