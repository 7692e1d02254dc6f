package store_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestDatabaseClock(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		before := time.Now().Add(-2 * time.Millisecond).UnixMicro() // SQLite's clock has milliseconds
		row := must2(s.CreateTenant(bg, "One"))(t)
		after := time.Now().Add(2 * time.Millisecond).UnixMicro()
		if row.CreatedUS < before || row.CreatedUS > after {
			t.Fatalf("%d is not between %d and %d: not microseconds since 1970 in UTC", row.CreatedUS, before, after)
		}
		testkit.Equal(t, "two clock readings in one statement", row.CreatedUS, row.UpdatedUS)
	})
}

func TestInTxCommits(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
			must2(s.CreateTenant(ctx, "One"))(t)
			testkit.Require(t, "tenants seen inside", len(must2(s.Tenants(ctx))(t)), 1)
			testkit.Require(t, "tenants seen outside", len(must2(s.Tenants(bg))(t)), 0)
			return nil
		}))
		testkit.Require(t, "tenants", len(must2(s.Tenants(bg))(t)), 1)
	})
}

func TestInTxRollsBack(t *testing.T) {
	boom := errors.New("boom")
	cases := map[string]func(s *store.Store, t *testing.T){
		"error": func(s *store.Store, t *testing.T) {
			err := s.InTx(bg, func(ctx context.Context) error {
				must2(s.CreateTenant(ctx, "One"))(t)
				return boom
			})
			if !errors.Is(err, boom) {
				t.Fatalf("got %v", err)
			}
		},
		"panic": func(s *store.Store, t *testing.T) {
			defer func() { testkit.Equal(t, "panic", recover(), any("boom")) }()
			_ = s.InTx(bg, func(ctx context.Context) error {
				must2(s.CreateTenant(ctx, "One"))(t)
				panic("boom")
			})
		},
		"context": func(s *store.Store, t *testing.T) {
			ctx, cancel := context.WithCancel(bg)
			err := s.InTx(ctx, func(ctx context.Context) error {
				must2(s.CreateTenant(ctx, "One"))(t)
				cancel()
				return nil
			})
			if err == nil {
				t.Fatal("a transaction whose context is over was committed")
			}
		},
	}
	for name, run := range cases {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				run(s, t)
				testkit.Require(t, "tenants", len(must2(s.Tenants(bg))(t)), 0)
				must2(s.CreateTenant(bg, "Two"))(t) // the connection is free again
			})
		})
	}
}

func TestInTxRefusesMisuse(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		var kept context.Context
		testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
			kept = ctx
			if err := s.InTx(ctx, func(context.Context) error { return nil }); err == nil {
				t.Error("a transaction inside a transaction was allowed")
			}
			return nil
		}))
		if _, err := s.CreateTenant(kept, "One"); err == nil {
			t.Error("a write after the end was allowed")
		}
		if _, err := s.Tenants(kept); err == nil {
			t.Error("a read after the end was allowed")
		}
		testkit.Require(t, "tenants", len(must2(s.Tenants(bg))(t)), 0)
	})
}

// Two stores do not share a transaction: the context of one has no effect on the other.
func TestInTxBelongsToOneStore(t *testing.T) {
	a, b := storetest.SQLite(t), storetest.SQLite(t)
	testkit.OK(t, a.InTx(bg, func(ctx context.Context) error {
		_, err := b.CreateTenant(ctx, "One")
		return err
	}))
	testkit.Require(t, "tenants of a", len(must2(a.Tenants(bg))(t)), 0)
	testkit.Require(t, "tenants of b", len(must2(b.Tenants(bg))(t)), 1)
}

// Holds locks the job, so among many transactions that check and then write, none overwrites another.
func TestInTxAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		storetest.Job(t, s, domain.KindReview, "k", "r")
		job := must2(s.Claim(bg, must2(s.JobsOf(bg, "r"))(t)[0].ID, "w", time.Minute))(t)
		var failed atomic.Int64
		atOnce(24, func(i int) {
			err := s.InTx(bg, func(ctx context.Context) error {
				if _, held, err := s.Holds(ctx, job.ID, job.Gen); err != nil || !held {
					return errors.Join(err, errors.New("not held"))
				}
				_, version, _, err := s.Setting(ctx, w.Tenant, "", "counter")
				if err != nil {
					return err
				}
				if version == 0 {
					version = 0
				}
				return s.PutSetting(ctx, w.Tenant, "", "counter", string(rune('a'+version)))
			})
			if err != nil {
				failed.Add(1)
				t.Error(err)
			}
		})
		body, version, _, err := s.Setting(bg, w.Tenant, "", "counter")
		testkit.OK(t, err)
		testkit.Equal(t, "version", version, 24)
		testkit.Equal(t, "body", body, "x")
	})
}

func TestErrorsOfAClosedDatabase(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.OK(t, s.Close())
		testkit.OK(t, s.Close()) // closing twice is harmless
		_, err := s.Tenants(bg)
		wantKind(t, err, errs.Unavailable)
		_, err = s.CreateTenant(bg, "One")
		wantKind(t, err, errs.Unavailable)
		wantKind(t, s.Ping(bg), errs.Unavailable)
		wantKind(t, s.InTx(bg, func(context.Context) error { return nil }), errs.Unavailable)
		_, err = s.Ingest(bg, delivery("app_1", "g"))
		wantKind(t, err, errs.Unavailable)
	})
}

// The content of text from outside does not decide whether a row can be written: PostgreSQL refuses NUL
// and invalid UTF-8, SQLite accepts them.
func TestTextIsStorableOnBothEngines(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for in, want := range map[string]string{
			"plain": "plain", "a\x00b": "a\uFFFDb", "a\xffb": "a\uFFFDb", "größe 模型 🚀": "größe 模型 🚀", "": "",
		} {
			testkit.Equal(t, "stored text", must2(s.CreateTenant(bg, in))(t).Name, want)
		}
	})
}
