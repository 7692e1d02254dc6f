package store_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestKeysetsFirstCounts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		got := must2(s.LoadKeyset(bg, "ten_1"))(t)
		if got != nil {
			t.Fatalf("%v", got)
		}
		all := make([][]byte, 16)
		atOnce(len(all), func(i int) {
			var err error
			if all[i], err = s.CreateKeyset(bg, "ten_1", fmt.Append(nil, i)); err != nil {
				t.Error(err)
			}
		})
		kept := must2(s.LoadKeyset(bg, "ten_1"))(t)
		for _, k := range all {
			if !bytes.Equal(k, kept) {
				t.Fatalf("one got %q, kept is %q", k, kept)
			}
		}
	})
}

// wrapping returns wrapped data keys as the instance key of a name would make them.
func wrapping(key, rest string) []byte { return append(bytes.Repeat([]byte(key), 4), rest...) }

// name returns the name of such a key.
func name(key string) string { return strings.Repeat(fmt.Sprintf("%x", key), 4) }

// A keyset changes only if it equals the one that the caller has read. It keeps the name of the key
// that first wrapped the sealing data key.
func TestKeysetsAreSwapped(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for _, owner := range []string{"ten_2", "", "ten_1"} {
			must2(s.CreateKeyset(bg, owner, wrapping("a", owner+"1")))(t)
		}
		all := must2(s.Keysets(bg, "", 2))(t)
		all = append(all, must2(s.Keysets(bg, all[1].Owner, 2))(t)...)
		testkit.Require(t, "keysets", len(all), 3)
		testkit.Equal(t, "owners", all[0].Owner+","+all[1].Owner+","+all[2].Owner, ",ten_1,ten_2")
		testkit.Equal(t, "by key", fmt.Sprint(must2(s.KeysetKeys(bg))(t)), "[{"+name("a")+" 3}]")
		k := all[1]
		testkit.Equal(t, "first wrapped by", k.BornKey, name("a"))
		testkit.Equal(t, "rewrapped", must2(s.RewrapKeyset(bg, k, wrapping("b", "2")))(t), true)
		testkit.Equal(t, "by key, of two", fmt.Sprint(must2(s.KeysetKeys(bg))(t)), "[{"+name("a")+" 2} {"+name("b")+" 1}]")
		for what, swap := range map[string]func(context.Context, store.Keyset, []byte) (bool, error){"rewrapped": s.RewrapKeyset, "replaced": s.ReplaceKeyset, "trimmed": s.TrimKeyset} {
			testkit.Equal(t, what+" by who read it before", must2(swap(bg, k, wrapping("c", "3")))(t), false)
		}
		k = must2(s.KeysetOf(bg, "ten_1"))(t)
		testkit.Equal(t, "first wrapped by, still", k.BornKey, name("a"))
		testkit.Equal(t, "replaced", must2(s.ReplaceKeyset(bg, k, wrapping("b", "4")))(t), true)
		k = must2(s.KeysetOf(bg, "ten_1"))(t)
		testkit.Equal(t, "the new data key first wrapped by", k.BornKey, name("b"))
		if k.ReplacedUS == 0 || k.ReplacedUS > k.NowUS {
			t.Errorf("replaced at %d, now %d", k.ReplacedUS, k.NowUS)
		}
		testkit.Equal(t, "trimmed", must2(s.TrimKeyset(bg, k, wrapping("b", "5")))(t), true)
		k = must2(s.KeysetOf(bg, "ten_1"))(t)
		testkit.Equal(t, "kept", string(k.Wrapped)+fmt.Sprint(k.ReplacedUS), "bbbb50")
		testkit.Equal(t, "of another", string(must2(s.LoadKeyset(bg, "ten_2"))(t)), "aaaaten_21")
	})
}

// retired reports whether an error refuses a retired key.
func retired(err error) bool {
	return errs.Is(err, errs.Conflict) && strings.Contains(err.Error(), "was retired")
}

func TestARetiredKeyMakesNothingNew(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		p := seedPublishing(t, s)
		testkit.OK(t, s.CheckInstanceKey(bg, name("a")))
		must2(s.CreateKeyset(bg, "", wrapping("a", "1")))(t)
		testkit.Equal(t, "retired", must2(s.RetireKey(bg, name("a")))(t), true)
		testkit.Equal(t, "retired again", must2(s.RetireKey(bg, name("a")))(t), false)
		_, created := s.CreateKeyset(bg, "ten_1", wrapping("a", "1"))
		row := p.row("frozen")
		row.MarkKey = name("a")
		_, prepared := s.Prepare(bg, p.Tenant, row, p.job.ID, p.job.Gen)
		_, _, answered := s.AddAnswer(bg, p.Tenant, store.CommandAnswer{PullRequest: p.Pull.ID, Comment: "1", Body: "Help.", MarkKey: name("a")}, 5)
		for what, err := range map[string]error{"looked at": s.CheckInstanceKey(bg, name("a")), "wraps": created, "marks a review": prepared, "marks an answer": answered} {
			if !retired(err) {
				t.Errorf("a retired key %s: %v", what, err)
			}
		}
		if k := must2(s.LoadKeyset(bg, "ten_1"))(t); k != nil {
			t.Errorf("a keyset was stored: %q", k)
		}
		must2(s.CreateKeyset(bg, "ten_1", wrapping("b", "1")))(t)
		keys := must2(s.InstanceKeys(bg))(t)
		testkit.Require(t, "keys", len(keys), 2)
		if keys[0].ID != name("a") || keys[0].RetiredUS == 0 || keys[1].RetiredUS != 0 {
			t.Errorf("%+v", keys)
		}
	})
}

// A transaction that uses the key ends before the key is retired, so that the following scan sees the
// transaction's rows.
func TestRetiringWaitsForTransactionsThatUseTheKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for i := range 20 {
			owner, key := fmt.Sprintf("ten_%d", i), string(rune('a'+i))
			var created, seen error
			found := false
			atOnce(2, func(n int) {
				if n == 0 {
					created = s.InTx(bg, func(ctx context.Context) error {
						_, err := s.CreateKeyset(ctx, owner, wrapping(key, "1"))
						return err
					})
					return
				}
				seen = s.InTx(bg, func(ctx context.Context) error {
					if _, err := s.RetireKey(ctx, name(key)); err != nil {
						return err
					}
					all, err := s.Keysets(ctx, "", 100)
					for _, k := range all {
						found = found || k.Owner == owner
					}
					return err
				})
			})
			testkit.OK(t, seen)
			if (created == nil) != found || created != nil && !retired(created) {
				t.Fatalf("created: %v, seen by who retired the key: %v", created, found)
			}
		}
	})
}

func TestKeyMarks(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		p := seedPublishing(t, s)
		row := p.row("frozen")
		row.MarkKey = name("a")
		pub := must2(s.Prepare(bg, p.Tenant, row, p.job.ID, p.job.Gen))(t)
		testkit.Equal(t, "key", pub.MarkKey, name("a"))
		row.MarkKey = name("b")
		testkit.Equal(t, "key, prepared again", must2(s.Prepare(bg, p.Tenant, row, p.job.ID, p.job.Gen))(t).MarkKey, name("a"))
		other := storetest.PullRequest(t, s, p.Repository, 2)
		for i, a := range []struct{ pull, key string }{{p.Pull.ID, name("a")}, {p.Pull.ID, name("b")}, {other.ID, name("b")}, {other.ID, ""}} {
			id, _, err := s.AddAnswer(bg, p.Tenant, store.CommandAnswer{PullRequest: a.pull, Comment: domain.NumberID(int64(i + 1)), Body: "Help.", MarkKey: a.key}, 9)
			testkit.OK(t, err)
			testkit.Equal(t, "key of an answer", must2(s.AnswerForWork(bg, id))(t).MarkKey, a.key)
			_, err = s.EndAnswer(bg, p.Tenant, id, domain.AnswerSaid, "7", "")
			testkit.OK(t, err)
		}
		marks := func() (out string) {
			for _, m := range must2(s.KeyMarks(bg))(t) {
				out += fmt.Sprintf("%s %d ", m.Key, m.N)
			}
			return out
		}
		testkit.Equal(t, "marks", marks(), fmt.Sprintf(" 1 %s 1 %s 2 ", name("a"), name("b")))
		testkit.Equal(t, "pull requests", fmt.Sprint(must2(s.MarkedPulls(bg, name("b"), 5))(t)), "[octo/repo#1 octo/repo#2]")
		testkit.Equal(t, "at most", len(must2(s.MarkedPulls(bg, name("b"), 1))(t)), 1)
		raw(`UPDATE pull_requests SET state = 'merged'`)
		testkit.Equal(t, "marks while the review is not published", marks(), name("a")+" 1 ")
		raw(`UPDATE publications SET phase = 'PUBLISHED'`)
		testkit.Equal(t, "marks on closed pull requests", marks(), "")
		raw(`UPDATE publications SET clean_us = 5`)
		testkit.Equal(t, "marks while drafts may be left", marks(), name("a")+" 1 ")
	})
}
