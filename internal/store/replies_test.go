package store_test

import (
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Racing replies of a thread are counted like sequential ones. A comment, and the same words again, are stored once. Replies without
// an answer leave room for others, and answers to commands count for the day.
func TestRepliesOfAThread(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		add := func(comment int64, thread domain.HostID, words string) (string, store.Added) {
			id, added, err := s.AddReply(bg, w.Tenant, store.FindingReply{PullRequest: w.Pull.ID, Finding: "fnd_1", Kind: domain.ReplyFree,
				Comment: domain.NumberID(comment), Thread: thread, Words: words}, 3, 5)
			testkit.OK(t, err)
			return id, added
		}
		var mu sync.Mutex
		got := map[store.Added][]string{}
		atOnce(16, func(i int) {
			id, added := add(int64(i/2)+1, "7.300.abc", string(rune('a'+i/2)))
			mu.Lock()
			defer mu.Unlock()
			got[added] = append(got[added], id)
		})
		testkit.Equal(t, "stored", len(got[store.AddedNew]), 3)
		for _, id := range got[store.AddedNew] {
			ended, err := s.EndReply(bg, w.Tenant, id, domain.ReplyUnanswered, "", "It needs no answer.")
			testkit.OK(t, err)
			testkit.Equal(t, "ended", ended, true)
			again, err := s.EndReply(bg, w.Tenant, id, domain.ReplyStands, "", "")
			testkit.OK(t, err)
			testkit.Equal(t, "ended again", again, false)
		}
		_, added := add(100, "7.300.abc", "new words")
		testkit.Equal(t, "after replies without an answer", added, store.AddedNew)
		_, added = add(101, "7.300.abc", "new words")
		testkit.Equal(t, "the same words", added, store.AddedKnown)
		for i := range 4 {
			_, _, err := s.AddAnswer(bg, w.Tenant, store.CommandAnswer{PullRequest: w.Pull.ID, Comment: domain.NumberID(int64(i + 1)), Body: "Help."}, 5)
			testkit.OK(t, err)
		}
		_, added = add(102, "8", "words")
		testkit.Equal(t, "with four answers and one reply that waits", added, store.AddedOverLimit)
		answer := func(comment, thread domain.HostID) store.Added {
			_, added, err := s.AddAnswer(bg, w.Tenant, store.CommandAnswer{PullRequest: w.Pull.ID, Comment: comment, Thread: thread, Body: "x"}, 5)
			testkit.OK(t, err)
			return added
		}
		testkit.Equal(t, "a command, with four answers and one reply that waits", answer("5", ""), store.AddedOverLimit)
		testkit.Equal(t, "the reply that waits", answer("100", "7.300.abc"), store.AddedNew)

		list, err := s.RepliesOf(bg, w.Tenant, "fnd_1")
		testkit.OK(t, err)
		testkit.Equal(t, "of the finding", len(list), 4)
		r, err := s.ReplyForWork(bg, list[3].ID)
		testkit.OK(t, err)
		testkit.Equal(t, "thread", r.Thread, domain.HostID("7.300.abc"))
		testkit.Equal(t, "repository", r.Repository, w.Repository.ID)
	})
}

// At most twenty replies of a pull request are read in a day, also if none of them needs an answer.
func TestTwentyRepliesAreReadADay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for i := range 21 {
			id, added, err := s.AddReply(bg, w.Tenant, store.FindingReply{PullRequest: w.Pull.ID, Finding: "fnd_1", Kind: domain.ReplyFree,
				Comment: domain.NumberID(int64(i + 1)), Thread: domain.NumberID(int64(i)), Words: string(rune('a' + i))}, 3, 5)
			testkit.OK(t, err)
			want := store.AddedNew
			if i == 20 {
				want = store.AddedOverLimit
			}
			testkit.Equal(t, "reply", added, want)
			if added == store.AddedNew {
				_, err = s.EndReply(bg, w.Tenant, id, domain.ReplyUnanswered, "", "It needs no answer.")
				testkit.OK(t, err)
			}
		}
	})
}
